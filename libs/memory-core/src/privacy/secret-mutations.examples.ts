/**
 * Texts as nobody would write them into a list of examples: the words of the tables strung together, and the examples with
 * pieces dropped, doubled, swapped and changed in case. All of it comes from the tables, so that a new row is tried at once.
 * Only tests import this.
 */
import fc from 'fast-check';
import { SHAPE_ANCHORS, startGroups } from './format-starts.ts';
import { FORMAT_EXAMPLES } from './rules.examples.ts';
import { PLACE_EXAMPLES } from './secret-places.examples.ts';
import { KEY_OF, NAME_WORDS, OPTION_TRACES, PLACE_TRACES, STEP_WORDS } from './secret-words.ts';

const MARKS: readonly string[] = [
  ...[
    ' is ',
    ' for the db was ',
    ': ',
    '=',
    ' => ',
    '"',
    "'",
    '`',
    '\\',
    '\\n',
    '\n',
    '\t',
    ' ',
    '  ',
    ')',
    ']',
    '?',
    '!',
  ],
  ...[
    ',',
    '>',
    '<',
    '</',
    '{',
    '}',
    '[',
    '(',
    ';',
    '|',
    '&',
    '--',
    '-',
    '_',
    '.',
    '是',
    '：',
    '://me:',
    '@h',
    ' -p ',
    '", "',
  ],
  ...[
    'x',
    'value',
    'default',
    'login',
    '?key=',
    '&pw=',
    '\u212a',
    'İ',
    'ſ',
    '\u200b',
    '%41',
    'ｐ',
    '_prod',
    '_base',
    '-v2',
  ],
];
const VALUES: readonly string[] = [
  ...['hunter2', 'q7Vx9LmZ2pK4wTn8RbYc3', 'P4ssw0rd99', 'correcthorse', '12345678', 'a=b12345c', 'swordfish'],
  ...['9f86d081884c7d659a2feaa0c55ad015'],
];
const JOINERS: readonly string[] = ['', '_', '-', '.', ' '];

/** Every word of the tables. */
const WORDS: readonly string[] = [
  ...NAME_WORDS,
  ...KEY_OF.flatMap((of) => JOINERS.map((joiner) => `${of}${joiner}key`)),
  ...OPTION_TRACES,
  ...PLACE_TRACES,
  ...Object.values(STEP_WORDS).flat(),
  ...startGroups().flatMap(({ starts }) => starts),
  ...Object.values(SHAPE_ANCHORS).map((anchor) => anchor.replace(/\\/g, '')),
];

const EXAMPLES: readonly string[] = [
  ...PLACE_EXAMPLES.map(({ text }) => text),
  ...FORMAT_EXAMPLES.flatMap(({ secret }) => [secret, `see ${secret}, please`]),
];

const pieceOfTable = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 4, arbitrary: fc.constantFrom(...MARKS) },
  { weight: 3, arbitrary: fc.constantFrom(...VALUES) },
);

const inCase = (piece: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(piece, fc.nat(5)).map(([text, choice]) => {
    if (choice === 0) return text.toUpperCase();
    if (choice === 1) return text.toLowerCase();
    return choice === 2 ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  });

/** Words, marks and values one after the other. */
const strung = fc.array(inCase(pieceOfTable), { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(''));

/** One step of a mutation: what to do with the piece at a place, chosen as a share of the whole. */
const step = fc.record({
  kind: fc.constantFrom('drop', 'insert', 'swap', 'case', 'replace'),
  at: fc.nat(999),
  other: fc.nat(999),
  piece: inCase(pieceOfTable),
});

const mutated = fc.tuple(fc.constantFrom(...EXAMPLES), fc.array(step, { maxLength: 5 })).map(([example, steps]) => {
  const pieces = example.match(/[A-Za-z0-9]+|[^A-Za-z0-9]/gu) ?? [];
  for (const { kind, at, other, piece } of steps) {
    const index = Math.floor((at * pieces.length) / 1_000);
    const second = Math.floor((other * pieces.length) / 1_000);
    const here = pieces[index] ?? '';
    if (kind === 'drop') pieces.splice(index, 1);
    else if (kind === 'insert') pieces.splice(index, 0, piece);
    else if (kind === 'replace') pieces[index] = piece;
    else if (kind === 'case') pieces[index] = here === here.toUpperCase() ? here.toLowerCase() : here.toUpperCase();
    else [pieces[index], pieces[second]] = [pieces[second] ?? '', here];
  }
  return pieces.join('');
});

/** Texts that may hold a secret, as they are, in JSON, and in JSON in JSON. */
export const secretTexts: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      strung,
      mutated,
      fc.tuple(mutated, strung).map(([one, other]) => one + other),
    ),
    fc.nat(4),
  )
  .map(([text, wraps]) => {
    if (wraps === 1) return JSON.stringify({ out: text });
    if (wraps === 2) return JSON.stringify({ out: JSON.stringify([text]) });
    return wraps === 3 ? `log:\n${text}\nend\n` : text;
  });

/** A name as members and arguments have it. */
const name = fc.array(inCase(pieceOfTable), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));
const value = fc.oneof(fc.constantFrom(...VALUES), fc.constant(12345678), fc.constant(4711), secretTexts);

/** Members, pairs of name and value, and arguments, some within others. */
export const secretValues: fc.Arbitrary<unknown> = fc
  .tuple(name, value, fc.nat(5))
  .map(([called, given, form]): unknown => {
    if (form === 0) return [`--${called}`, given];
    if (form === 1) return { name: called, value: given };
    if (form === 2) return { list: [{ variable: called, VALUE: given }] };
    if (form === 3) return { [called]: [given, [given]] };
    return form === 4 ? { deep: { [called]: given } } : { [called]: given };
  });
