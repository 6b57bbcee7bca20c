/**
 * Whatever the file looks like: what is put in and taken out again leaves no byte changed, and what is inserted into a
 * spread-out container only adds lines.
 */
import { describe, expect, it } from '@jest/globals';
import { diffLines } from 'diff';
import fc from 'fast-check';
import { getNodeValue, parse } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import { declaration } from '@openviking/harness-zcode/harness';
import type { ConfigFile } from '@openviking/memory-core/full';
import { insertFirst, removeMember } from '../src/json/edit.ts';
import { parseDocument } from '../src/json/document.ts';
import { unwireConfig } from '../src/wiring/unwire-config.ts';
import { wireConfig } from '../src/wiring/wire-config.ts';
import { withOperations } from '../src/wiring/with-operations.ts';
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

const LAUNCHER = "/home/it's me/.openviking/agent-integrations/zcode/launch";
const [grouped] = declaration.wiring({
  home: "/home/it's me",
  platform: 'linux',
  env: {},
  launcher: LAUNCHER,
}).files;
if (grouped === undefined) throw new Error('no file declared');

/** The same for a client whose events hold handlers without groups. */
const flatHandler = fc.record({ command: fc.constantFrom('echo hi', 'true'), timeout: fc.integer({ min: 1, max: 9 }) });
const flatHandlers = fc.array(flatHandler, { maxLength: 2 });
const flatConfig = fc
  .record(
    {
      rest: fc.dictionary(key, anything, { maxKeys: 3 }).map(({ version: _, ...rest }) => rest),
      version: fc.constantFrom(1, 2),
      hooks: fc.record({ stop: flatHandlers, sessionStart: flatHandlers, other: flatHandlers }, { requiredKeys: [] }),
    },
    { requiredKeys: ['rest'] },
  )
  .map(({ rest, ...known }) => ({ ...rest, ...known }));
const FLAT_EVENTS = ['sessionStart', 'beforeSubmitPrompt', 'stop'];
const flat: ConfigFile = {
  format: 'json',
  path: '/home/me/.flat/hooks.json',
  create: 'always',
  operations: [
    { kind: 'scalar', path: ['version'], value: 1 },
    ...FLAT_EVENTS.map((event) => ({
      kind: 'flat-handler' as const,
      path: ['hooks', event],
      handler: { command: `${LAUNCHER} ${event}`, timeout: 10 },
      userKeys: [{ key: 'timeout', isTimeLimit: true }],
    })),
  ],
  check: ({ root }) => {
    const value = root === undefined ? {} : (getNodeValue(root as never) as { version?: unknown });
    if (value.version === 1) return [];
    const text = { en: 'version must be 1', zh: '' };
    return [{ code: 'flat/version', offset: 0, where: 'version', message: text, fix: text }];
  },
  owns: (value) => {
    const text = JSON.stringify(value);
    if (text.includes('/scripts/old.mjs')) return 'earlier';
    return text.includes(LAUNCHER) && !Array.isArray((value as { hooks?: unknown }).hooks) ? 'current' : undefined;
  },
};

const FORMS = [
  { form: 'groups', file: grouped, values: config, place: ['hooks', 'events'], events: ['UserPromptSubmit', 'Stop'] },
  { form: 'bare handlers', file: flat, values: flatConfig, place: ['hooks'], events: FLAT_EVENTS },
] as const;

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

  it.each(FORMS)(
    'wiring and unwiring any configuration with $form is the identity, and a second wiring changes nothing',
    ({ file, values, place, events }) => {
      fc.assert(
        fc.property(
          values as fc.Arbitrary<unknown>,
          hand,
          fc.constantFrom('', '\uFEFF'),
          fc.constantFrom('', '\n'),
          (value, by, mark, end) => {
            const text = mark + write(value, by) + end;
            const wired = wireConfig(text, file, EMPTY_RECORD);
            expect(wireConfig(wired.text, file, wired.record).text).toBe(wired.text);
            expect(unwireConfig(wired.text, file, wired.record).text).toBe(text);
            const errors: ParseError[] = [];
            const result: unknown = parse(wired.text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true });
            expect(errors).toEqual([]);
            for (const event of events) expect(result).toHaveProperty([...place, event, '0']);
            for (const operation of file.operations) {
              if (operation.kind === 'scalar') expect(result).toHaveProperty([...operation.path], operation.value);
            }
          },
        ),
        { numRuns: 600 },
      );
    },
  );

  it.each(FORMS)(
    'a scalar that changes from release to release is taken out after any sequence of them, with $form',
    ({ file, values }) => {
      const release = (value: number): ConfigFile =>
        withOperations(file, [...file.operations, { kind: 'scalar', path: ['level'], value }]);
      const levels = fc.integer({ min: 1, max: 3 });
      fc.assert(
        fc.property(
          values as fc.Arbitrary<object>,
          fc.record({ level: fc.oneof(levels, fc.constant('mine')) }, { requiredKeys: [] }),
          hand,
          fc.array(levels, { minLength: 1, maxLength: 4 }),
          (value, own, by, releases) => {
            const text = write({ ...value, ...own }, by);
            let now = text;
            let record = EMPTY_RECORD;
            for (const level of releases) {
              ({ text: now, record } = wireConfig(now, release(level), record));
              expect(parse(now)).toHaveProperty('level', level);
            }
            expect(unwireConfig(now, file, record).text).toBe(text);
          },
        ),
        { numRuns: 300 },
      );
    },
  );

  it('a bare handler keeps what the user changed in it, and one of an earlier installer is replaced', () => {
    const first = wireConfig('{"version":1}', flat, EMPTY_RECORD);
    const edited = first.text
      .replace('"timeout":10', '"timeout":45')
      .replace('"stop":[', '"stop":[{"command":"mine"},');
    const second = wireConfig(edited, flat, first.record);
    expect(second.text).toBe(edited);
    expect(unwireConfig(second.text, flat, second.record).text).toBe(
      '{"hooks":{"stop":[{"command":"mine"}]},"version":1}',
    );

    const old =
      '{"version":1,"hooks":{"stop":[{"command":"node /scripts/old.mjs"}],"gone":[{"command":"/scripts/old.mjs"}]}}';
    const replaced = wireConfig(old, flat, EMPTY_RECORD);
    expect(replaced.replaced).toBe(2);
    expect(replaced.text).not.toMatch(/old\.mjs|gone/);
    // A group among bare handlers never runs there.
    const nested = `{"version":1,"hooks":{"stop":[{"hooks":[{"command":"'${LAUNCHER}' stop"}]}]}}`;
    const mended = JSON.parse(wireConfig(nested, flat, EMPTY_RECORD).text) as { hooks: { stop: unknown[] } };
    expect(mended.hooks.stop).toEqual([{ command: `${LAUNCHER} stop`, timeout: 10 }]);
  });

  it('a scalar of ours stays where the user has filled the file and the client would refuse it without', () => {
    for (const start of [undefined, '', '{}']) {
      const wired = wireConfig(start, flat, EMPTY_RECORD);
      expect(unwireConfig(wired.text, flat, wired.record)).toMatchObject({ isHollow: true });
      const filled = wired.text.replace('"hooks"', '"mine": 1, "hooks"');
      expect(JSON.parse(unwireConfig(filled, flat, wired.record).text)).toEqual({ version: 1, mine: 1 });
    }
    // The user's file was refused before us, too: it goes back to that.
    const own = '{"hooks":{"stop":[{"command":"mine"}]}}';
    const wired = wireConfig(own, flat, EMPTY_RECORD);
    expect(unwireConfig(wired.text, flat, wired.record).text).toBe(own);
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
    const changes = diffLines(text, wireConfig(text, grouped, EMPTY_RECORD).text);
    expect(changes.filter((change) => change.removed)).toEqual([]);
    expect(changes.some((change) => change.added)).toBe(true);
  });
});
