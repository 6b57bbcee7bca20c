/**
 * Whatever the file looks like: what is put in and taken out again leaves no byte changed, and what is inserted into a
 * spread-out container only adds lines.
 */
import { describe, expect, it } from '@jest/globals';
import { diffLines } from 'diff';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import { declaration } from '@openviking/harness-zcode/harness';
import { insertFirst, removeMember } from '../src/json/edit.ts';
import { parseDocument } from '../src/json/document.ts';
import { unwireConfig } from '../src/wiring/unwire-config.ts';
import { wireConfig } from '../src/wiring/wire-config.ts';
import { EMPTY_RECORD } from '../src/wiring/record.ts';

interface Hand {
  readonly newline: string;
  readonly unit: string;
  readonly spread: boolean;
  readonly colon: string;
  readonly comments: boolean;
  readonly trailing: boolean;
  readonly padded: boolean;
}

const hand: fc.Arbitrary<Hand> = fc.record({
  newline: fc.constantFrom('\n', '\r\n'),
  unit: fc.constantFrom('  ', '\t', '    ', ' '),
  spread: fc.boolean(),
  colon: fc.constantFrom(':', ': ', ' : '),
  comments: fc.boolean(),
  trailing: fc.boolean(),
  padded: fc.boolean(),
});

/** Writes a value the way some author's hand would: own line ends, indentation, comments, trailing commas. */
function write(value: unknown, by: Hand, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  const members = list
    ? value.map((element) => write(element, by, depth + 1))
    : Object.entries(value).map(([key, member]) => JSON.stringify(key) + by.colon + write(member, by, depth + 1));
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  if (members.length === 0)
    return open + (by.padded ? (by.spread ? by.newline + by.unit.repeat(depth) : ' ') : '') + close;
  if (!by.spread)
    return `${open}${by.padded ? ' ' : ''}${members.join(by.padded ? ', ' : ',')}${by.padded ? ' ' : ''}${close}`;
  const lead = by.newline + by.unit.repeat(depth + 1);
  const note = by.comments ? ' // kept' : '';
  const own = by.comments ? `${lead}/* above */` : '';
  const end = by.trailing ? ',' : '';
  return `${open}${note}${own}${lead}${members.join(`,${note}${lead}`)}${end}${by.newline}${by.unit.repeat(depth)}${close}`;
}

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const key = fc.string({ minLength: 1 }).filter((name) => name !== '__proto__' && name !== 'hooks' && name !== 'mcp');
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const userHandler = fc.record({ type: fc.constant('command'), command: fc.constantFrom('echo hi', 'true') });
const groups = fc.array(fc.record({ hooks: fc.array(userHandler, { minLength: 1, maxLength: 2 }) }), { maxLength: 2 });
const config = fc
  .record(
    {
      rest: fc.dictionary(key, anything, { maxKeys: 3 }),
      hooks: fc.record(
        {
          enabled: fc.boolean(),
          timeoutMs: fc.constant(60000),
          events: fc.record({ Stop: groups, SessionStart: groups, PostToolUse: groups }, { requiredKeys: [] }),
        },
        { requiredKeys: [] },
      ),
      mcp: fc.record(
        { servers: fc.dictionary(fc.constantFrom('a', 'b'), fc.constant({ command: 'x' })) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['rest'] },
  )
  .map(({ rest, ...known }) => ({ ...rest, ...known }));

const [file] = declaration.wiring({
  home: "/home/it's me",
  platform: 'linux',
  env: {},
  launcher: "/home/it's me/.openviking/agent-integrations/zcode/launch",
}).files;
if (file === undefined) throw new Error('no file declared');

describe('editing JSON', () => {
  it('inserting and removing any member is the identity', () => {
    fc.assert(
      fc.property(
        anything.filter((value) => typeof value === 'object' && value !== null),
        hand,
        scalar,
        (value, by, added) => {
          const text = write(value, by);
          const document = parseDocument(text, 'f');
          if (document.root === undefined) throw new Error('no root');
          const isObject = document.root.type === 'object';
          const inserted = insertFirst(document, document.root, added as never, isObject ? 'hooks' : undefined);
          const after = parseDocument(inserted.text, 'f').root;
          const member = after?.children?.[0];
          if (after === undefined || member === undefined) throw new Error('not inserted');
          expect(removeMember(inserted.text, after, member, inserted.hollow)).toBe(text);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('wiring and unwiring any configuration is the identity, and a second wiring changes nothing', () => {
    fc.assert(
      fc.property(config, hand, fc.constantFrom('', '\uFEFF'), fc.constantFrom('', '\n'), (value, by, mark, end) => {
        const text = mark + write(value, by) + end;
        const wired = wireConfig(text, file, EMPTY_RECORD);
        expect(wireConfig(wired.text, file, wired.record).text).toBe(wired.text);
        expect(unwireConfig(wired.text, file, wired.record).text).toBe(text);
        const errors: ParseError[] = [];
        const result = parse(wired.text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true }) as {
          hooks: { enabled: boolean; events: Record<string, unknown[]> };
        };
        expect(errors).toEqual([]);
        expect(result.hooks.enabled).toBe(true);
        expect(Object.keys(result.hooks.events)).toEqual(
          expect.arrayContaining(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop']),
        );
      }),
      { numRuns: 600 },
    );
  });

  it('only adds lines where every container is spread out and filled', () => {
    const by: Hand = {
      newline: '\n',
      unit: '\t',
      spread: true,
      colon: ': ',
      comments: true,
      trailing: true,
      padded: false,
    };
    const text = write(
      {
        a: 1,
        hooks: { enabled: true, events: { Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] } },
        mcp: { servers: { b: {} } },
      },
      by,
    );
    const changes = diffLines(text, wireConfig(text, file, EMPTY_RECORD).text);
    expect(changes.filter((change) => change.removed)).toEqual([]);
    expect(changes.some((change) => change.added)).toBe(true);
  });
});
