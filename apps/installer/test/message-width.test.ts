/** Every message fits a terminal of 80 columns, Chinese characters counted as two; what the guided run draws, on one line. */
import { describe, expect, it } from '@jest/globals';
import { displayWidth } from '../src/cli/display-width.ts';
import { ENGLISH } from '../src/cli/messages-en.ts';
import { CHINESE } from '../src/cli/messages-zh.ts';
import { wrap } from '../src/cli/wrap.ts';
import { LIST_FRAME } from '../src/guided/fit.ts';

const COLUMNS = 80;
/** Columns of the bar and the mark beside a text. */
const FRAME = 5;
/** What the prompt library breaks into lines by itself has less: it counts the colour codes of the bar as columns. */
const BROKEN_BY_LIBRARY = new Set(['guidedClients', 'guidedConnection', 'confirmPlan']);
/** A path that cannot be broken: longer ones stand alone on a line. */
const PATH = '/home/user/.openviking/agent-integrations/zcode/launch';

/** What messages take, by kind; objects have the members of all of them. */
const ARGUMENTS: readonly unknown[] = [
  PATH,
  12_345_678,
  ['zcode', 'claude', 'cursor'],
  undefined,
  'change',
  'folder',
  'object',
  'skill',
  'ready',
  {
    name: 'Claude Code',
    wiring: 'incomplete',
    version: '10.20.30-beta.1',
    payload: 'damaged',
    problems: 12,
    foundAt: PATH,
    entry: 'user-prompt-submit',
    agoMs: 86_400_000,
    durationMs: 12_345,
    outcome: 'unauthorized',
    tokens: 1_200,
    depth: 1_000,
    deadLetters: 12,
    oldestMs: 86_400_000,
    state: 'backing-off',
    at: '2026-11-30T12:00:00.000Z',
    messages: 123,
    reason: '422 INVALID_ARGUMENT',
  },
];

type Message = string | ((...args: unknown[]) => string);

/** Every text that a message can yield from arguments of the kinds that it takes. */
function textsOf(message: Message): readonly string[] {
  if (typeof message === 'string') return [message];
  let lists: readonly (readonly unknown[])[] = [[]];
  for (let count = 0; count < message.length; count += 1) {
    lists = lists.flatMap((list) => ARGUMENTS.map((argument) => [...list, argument]));
  }
  const texts = lists.flatMap((list) => {
    try {
      return message(...list);
    } catch {
      return [];
    }
  });
  const sensible = texts.filter((text) => !/undefined|NaN|\[object/.test(text));
  // A message may take one of a few words that are not among ours; then the gap in its text is as good as the word.
  return [...new Set(sensible.length > 0 ? sensible : texts)];
}

const LANGUAGES = [
  ['en', ENGLISH],
  ['zh', CHINESE],
] as const;
const NAMES = Object.keys(ENGLISH).filter((name) => name !== 'language');

describe.each(LANGUAGES)('in %s', (_language, table) => {
  it.each(NAMES)('%s', (name) => {
    const texts = textsOf(table[name as keyof typeof ENGLISH] as Message);
    expect(texts.length).toBeGreaterThan(0);
    const isDrawn = name.startsWith('guided');
    for (const text of texts) {
      if (isDrawn && !text.includes(PATH)) expect(displayWidth(text)).toBeLessThanOrEqual(COLUMNS - FRAME);
      if (BROKEN_BY_LIBRARY.has(name)) expect(displayWidth(text)).toBeLessThanOrEqual(COLUMNS - LIST_FRAME + FRAME);
      for (const line of text.split('\n').flatMap((part) => wrap(part, COLUMNS))) {
        // Nothing but one word can be too wide.
        if (displayWidth(line) > COLUMNS) expect(line.trim()).not.toMatch(/\s|\p{Script=Han}{2}/u);
      }
    }
  });
});

it('a choice of the guided run and its hint stand on one line', () => {
  for (const [, t] of LANGUAGES) {
    const rows = [
      [t.guidedLocal, t.guidedLocalHint],
      [t.guidedOwn, t.guidedOwnHint],
      [t.guidedCloud, t.guidedCloudHint],
    ] as const;
    for (const [label, hint] of rows) expect(displayWidth(label + hint)).toBeLessThanOrEqual(COLUMNS - LIST_FRAME);
  }
});
