/** A block at the end of a YAML file comes and goes without a trace, and files that it would break are refused. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ConfigFile } from '@openviking/memory-core/full';
import { Refusal } from '../src/cli/refusal.ts';
import { unwireYaml, wireYaml } from '../src/wiring/wire-yaml.ts';
import { EMPTY_RECORD } from '../src/wiring/record.ts';

const entries = (version: number, shape: 'list' | 'map') =>
  shape === 'list'
    ? `- id: openviking\n  name: 'invented'\n  config:\n    version: ${version}\n    timeout: 10\n    last: true`
    : `openviking:\n  version: ${version}\n  timeout: 10\n  last: true`;

const invented = (version = 1, shape: 'list' | 'map' = 'list'): ConfigFile => ({
  format: 'yaml',
  path: '/home/me/.invented/patch.yml',
  create: 'always',
  operations: [{ kind: 'block', path: ['openviking'], text: entries(version, shape) }],
  check: () => [],
  owns: () => undefined,
});

const LISTS: Readonly<Record<string, string>> = {
  'no content': '',
  'a byte order mark': '\uFEFF',
  'comments only': '# mine\n\n  # and this',
  'a list': '- id: a\n  config: { x: 1, y: [1, 2] }\n- id: b # beside\n',
  'a list without a final line break': '- id: a\n-\n  id: b',
  'a start of a document and directives': '%YAML 1.2\n---\n- &anchor a\n- *anchor\n- !tag {x: 1}\n',
  'a text that keeps its last line breaks': '- |+\n  text\n\n\n',
  'a text with our marks in it': '- |\n  # >>> openviking: added by openviking-install >>>\n',
};
const MAPS: Readonly<Record<string, string>> = {
  'a map': 'a: 1\n"b c": { d: 1 }\n\'e: f\': |\n  text\n\ng.h-i: "x"\n',
  'a map over CRLF': 'a: 1\r\nb:\r\n  - 1\r\n',
  'lists at the indentation of their key':
    'a:\n- 1\n- b: 2\n  c: 3\n\n# beside\n- 4\nd: # list\n- 5\ne: &all !!seq\n- 6\n',
  'a list at the indentation of the last key': 'a:\n- 1\n- 2',
  'keys with an anchor, a tag, and an alias for a key': '&x a: 1\n!!str b: *x\n&y !!str "c: d": 2\n*y : 3\n',
  'keys with a question mark': '? x\n: 1\n? [a, b]\n:\n- 2\n?\n- c\n: 3\n? alone\n',
  'a map with a value that looks like a comment': 'url: http://x#y # z\nempty:\n',
};

describe.each([
  ...Object.entries(LISTS).map(([name, text]) => [name, text, 'list'] as const),
  ...Object.entries(MAPS).map(([name, text]) => [name, text, 'map'] as const),
])('%s', (_name, text, shape) => {
  it('gets the block behind all that it has, and is given back to the byte', () => {
    const file = invented(1, shape);
    const wired = wireYaml(text, file, EMPTY_RECORD);
    expect(wired.text.startsWith(text)).toBe(true);
    expect(wired.text.replaceAll('\r\n', '\n')).toContain(entries(1, shape));
    expect(wireYaml(wired.text, file, wired.record).text).toBe(wired.text);
    expect(unwireYaml(wired.text, file, wired.record)).toMatchObject({ text, removed: 1 });
  });
});

type Action =
  | { readonly kind: 'install'; readonly version: number }
  | { readonly kind: 'append' | 'prepend'; readonly text: string }
  | { readonly kind: 'timeout' };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('install' as const), version: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('append' as const), text: fc.constantFrom('\n- id: later\n', '\n# said later\n') }),
  fc.record({ kind: fc.constant('prepend' as const), text: fc.constantFrom('# first\n', '\n', '- id: first\n') }),
  fc.constant({ kind: 'timeout' as const }),
);

it('any sequence of installing, upgrading, editing and uninstalling keeps what is not ours', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(LISTS)),
      fc.constantFrom('\n', '\r\n'),
      fc.array(action, { maxLength: 6 }),
      (seed, newline, actions) => {
        let now = seed.replaceAll('\n', newline);
        let theirs = now;
        let record = EMPTY_RECORD;
        for (const step of [{ kind: 'install' as const, version: 1 }, ...actions]) {
          if (step.kind === 'install') ({ text: now, record } = wireYaml(now, invented(step.version), record));
          else if (step.kind === 'append') [now, theirs] = [now + step.text, theirs + step.text];
          else if (step.kind === 'timeout') now = now.replace('timeout: 10', 'timeout: 300');
          // A directive has to be the first line.
          else if (!theirs.replace(/^\uFEFF/, '').startsWith('%')) {
            const mark = now.startsWith('\uFEFF') ? 1 : 0;
            [now, theirs] = [now, theirs].map((file) => file.slice(0, mark) + step.text + file.slice(mark)) as [
              string,
              string,
            ];
          }
        }
        const again = wireYaml(now, invented(3), record);
        if (now.includes('timeout: 300')) expect(again.text).toContain('timeout: 300');
        expect(again.text).toContain('version: 3');
        expect(unwireYaml(again.text, invented(3), again.record).text).toBe(theirs);
      },
    ),
    { numRuns: 1000 },
  );
});

describe('refused, with the line', () => {
  it.each([
    ['another outermost level', '# mine\na: 1\n', 2],
    ['brackets', '[{ id: a }]\n', 1],
    ['a text', 'only words\n', 1],
    ['a second document', '- a\n---\n- b\n', 2],
    ['an end of the document', '- a\n...\n', 2],
    ['brackets that go on at the very left', '- [a,\nb]\n', 2],
    ['marks of a merge', '- a\n<<<<<<< HEAD\n', 2],
    ['a mark without the other', '- a\n# >>> openviking: added by openviking-install >>>\n- b\n', 2],
    ['a value without its key', 'a: 1\n: 2\n', 2, 'map'],
    ['items behind a value', 'a: 1\n- 2\n', 2, 'map'],
    ['items behind a map', 'a:\n  b: 1\n- 2\n', 3, 'map'],
    ['items at the beginning', '- a\nb: 1\n', 1, 'map'],
    ['items in a text', 'a: |\n- 2\n', 2, 'map'],
    ['an anchor before brackets', '&x {a: 1}\n', 1, 'map'],
    ['a key with a question mark', '? x\n: 1\n', 1],
  ] as const)('%s', (_name, text, line, shape: 'list' | 'map' = 'list') => {
    let refusal: unknown;
    try {
      wireYaml(text, invented(1, shape), EMPTY_RECORD);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect((refusal as Refusal).place?.line).toBe(line);
  });
});
