/**
 * Whatever a TOML file looks like, and in whatever order it is installed, upgraded, edited by its user and uninstalled: what
 * is not ours keeps every byte, and the file never says anything else than it did.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import type { ConfigFile, JsonObject } from '@openviking/memory-core/full';
import { Refusal } from '../src/cli/refusal.ts';
import { BLOCK_BEGIN, BLOCK_END } from '../src/toml/block.ts';
import { unwireToml, wireToml } from '../src/wiring/wire-toml.ts';
import { EMPTY_RECORD } from '../src/wiring/record.ts';

const LAUNCHER = '/home/o\'x "y"/.openviking/agent-integrations/invented/launch';

/** A client that is invented for this: a scalar in a table that users have, hooks in groups, a server, a list of folders. */
function invented(version = 1, events: readonly string[] = ['SessionStart', 'Stop']): ConfigFile {
  return {
    format: 'toml',
    path: '/home/me/.invented/config.toml',
    create: 'always',
    operations: [
      { kind: 'scalar', path: ['features', 'hooks'], value: true },
      { kind: 'scalar', path: ['features', 'level'], value: version },
      ...events.map((event) => ({
        kind: 'handler' as const,
        path: ['hooks', event],
        ...(event === 'Stop' ? { matcher: '*' } : {}),
        handler: { type: 'command', command: `'${LAUNCHER}' ${event}`, timeout: 10 + version },
        userKeys: [{ key: 'timeout', isTimeLimit: true }],
      })),
      {
        kind: 'entry',
        path: ['mcp_servers', 'openviking'],
        value: { command: LAUNCHER, args: ['mcp-proxy', String(version)], env: { OPENVIKING: 'yes' } },
        userKeys: [{ key: 'startup_timeout_sec' }],
      },
      { kind: 'item', path: ['sandbox', 'writable'], value: '/home/me/.openviking' },
    ],
    check: () => [],
    owns(value, name) {
      if (typeof value === 'string') return value === '/home/me/.openviking' ? 'current' : undefined;
      const command = (value as JsonObject)['command'];
      const text = typeof command === 'string' ? command : '';
      if (text.includes('/scripts/old.mjs')) return 'earlier';
      const isOurs = text.includes('/agent-integrations/invented/launch');
      return isOurs && (name === undefined || name === 'openviking') ? 'current' : undefined;
    },
  };
}

const FILE = invented();

/** Seeds as users, clients and tools write them; `#` goes before nothing of theirs that an edit could move. */
const SEEDS: Readonly<Record<string, string>> = {
  'no content': '',
  'a byte order mark': '\uFEFF',
  'comments only': '# mine\n\n# and this',
  'plain values':
    'model = "x" # why\nbig = 123456789012345678901\nhex = 0xDEAD_beef\nat = 1979-05-27T07:32:00-08:00\nday = 1979-05-27\n',
  'no final line break': 'model = "x"\n[features]\nother = false',
  'a table of the user that ours goes into': '[features]\n  other = false # no\n\n[profiles.a]\nx = 1.0\n',
  'a table of the user that has nothing in it': '[features]',
  'the scalar as the user wants it': '[features]\nhooks = true\n',
  'the scalar as we do not want it': '[features] # mine\nhooks=false # because\nother = 1\n',
  'a scalar that changes with our version': '[features]\nlevel = 0x02 # mine\n',
  'dotted keys': 'features.other = true\nmcp_servers.mine.command = "x"\nsandbox.mode = "w"\nhooks.note = "n"\n',
  'tables in brackets':
    'features = { other = true }\nmcp_servers = { mine = { command = "x" } }\nhooks = {}\nsandbox = { writable = [ "/a" ] }\n',
  'empty brackets': 'features = {}\nmcp_servers = { }\nhooks = {}\nsandbox = { writable = [ ] }\n',
  'lists over lines': '[sandbox]\nwritable = [ # mine\n  "/a", # a\n  "/b"\n]\n',
  'lists over lines with a final comma': '[sandbox]\nwritable = [\n  "/a",\n  "/b",\n]\n',
  'an empty list over lines': '[sandbox]\nwritable = [\n  # nothing yet\n]\n',
  'hooks of the user':
    '[[hooks.Stop]]\nmatcher = "Bash"\n\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n\n[hooks.state."/a:stop:0:0"]\ntrusted_hash = "sha256:1"\n',
  'hooks of the user in brackets': 'hooks = { Stop = [ { hooks = [ { type = "command", command = "mine" } ] } ] }\n',
  'hooks of the user as a list of brackets':
    '[hooks]\nStop = [\n  { hooks = [ { type = "command", command = "mine" } ] }, # last\n]\n',
  'a server of the user': '[mcp_servers]\n\n[mcp_servers.mine]\ncommand = "x"\n[mcp_servers.mine.env]\nA = "b"\n',
  'our marks inside a text': `text = """\n${BLOCK_BEGIN}\n${BLOCK_END}\n"""\n`,
  'quoted and odd keys': '"a b" = 1\n\'c.d\' = 2\n[x."y z".w]\n"" = 1\nß = 2\n'.replace('ß = 2\n', '"ß" = 2\n'),
  'sub-tables before their table': '[a.b.c]\nx = 1\n[a]\ny = 2\n[features.inner]\nz = 3\n',
  'indented tables': '  [features]\n  other = 1\n\n  [features.inner]\n    z = [ [1, 2], ["x"] ]\n',
  'long texts': 'a = \'\'\'\n[features]\nhooks = true\n\'\'\'\nb = """\\\n   x\\\n   y"""\n',
};

const variant = fc.record({
  seed: fc.constantFrom(...Object.values(SEEDS)),
  newline: fc.constantFrom('\n', '\r\n'),
  mark: fc.constantFrom('', '\uFEFF'),
});
const textOf = ({ seed, newline, mark }: { seed: string; newline: string; mark: string }): string =>
  (seed.startsWith('\uFEFF') ? '' : mark) + seed.replaceAll('\n', newline);

const meaning = (text: string): unknown =>
  JSON.parse(
    JSON.stringify(parse(text.replace(/^\uFEFF/, ''), { integersAsBigInt: 'asNeeded' }), (_key, value: unknown) =>
      typeof value === 'bigint' ? `big ${String(value)}` : value,
    ),
  );

describe.each(Object.entries(SEEDS))('%s', (_name, seed) => {
  it.each(['\n', '\r\n'])('is wired, left alone by a second run, and given back to the byte (%j)', (newline) => {
    const text = seed.replaceAll('\n', newline);
    const wired = wireToml(text, FILE, EMPTY_RECORD);
    const value = meaning(wired.text) as Record<string, Record<string, unknown>>;
    expect(value['features']?.['hooks']).toBe(true);
    expect(value['mcp_servers']?.['openviking']).toEqual({
      command: LAUNCHER,
      args: ['mcp-proxy', '1'],
      env: { OPENVIKING: 'yes' },
    });
    for (const event of ['SessionStart', 'Stop']) expect(JSON.stringify(value['hooks']?.[event])).toContain(event);
    expect(value['sandbox']?.['writable']).toContain('/home/me/.openviking');
    expect(wireToml(wired.text, FILE, wired.record).text).toBe(wired.text);
    expect(wireToml(wired.text, FILE, EMPTY_RECORD).text).toBe(wired.text);
    expect(unwireToml(wired.text, FILE, wired.record).text).toBe(text);
    // Every line of the user's is still there, in order.
    const kept = seed.replace(/^\uFEFF/, '').split('\n');
    const rest = wired.text.replace(/^\uFEFF/, '').split(/\r?\n/);
    const isInBrackets = /= \{|= \[ |\]\n/.test(seed);
    for (const line of kept) {
      const at = rest.indexOf(line);
      if (!isInBrackets && !/^(hooks|level) ?=/.test(line)) expect([line, at >= 0]).toEqual([line, true]);
      rest.splice(0, at + 1);
    }
  });
});

/** What happens to a file between two of our runs. */
type Action =
  | { readonly kind: 'install'; readonly version: number; readonly events: readonly string[] }
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'prepend'; readonly text: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'approval' };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('install' as const),
    version: fc.integer({ min: 1, max: 3 }),
    events: fc.constantFrom(['SessionStart', 'Stop'], ['Stop'], ['Stop', 'SessionStart', 'PreToolUse']),
  }),
  fc.record({
    kind: fc.constant('append' as const),
    text: fc.constantFrom(
      '\n[later]\nx = 1 # kept\n',
      '\n# said later\n',
      '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "later"\n',
      '\n[mcp_servers.later]\ncommand = "z"',
    ),
  }),
  fc.record({ kind: fc.constant('prepend' as const), text: fc.constantFrom('# first\n', '\n', 'early = 2\n') }),
  fc.constant({ kind: 'timeout' as const }),
  fc.constant({ kind: 'approval' as const }),
);

function tryParse(text: string): boolean {
  try {
    meaning(text);
    return true;
  } catch {
    return false;
  }
}

describe('any sequence of installing, upgrading, editing and uninstalling', () => {
  it('never loses what is not ours, and ends without a trace', () => {
    let sequences = 0;
    fc.assert(
      fc.property(variant, fc.array(action, { maxLength: 6 }), (start, actions) => {
        const text = textOf(start);
        fc.pre(tryParse(text));
        let now = text;
        let theirs = text;
        let record = EMPTY_RECORD;
        let isWired = false;
        for (const step of actions) {
          if (step.kind === 'install') {
            const wired = wireToml(now, invented(step.version, step.events), record);
            expect(tryParse(wired.text)).toBe(true);
            ({ text: now, record } = wired);
            isWired = true;
          } else if (step.kind === 'append' || step.kind === 'prepend') {
            const mark = now.startsWith('\uFEFF') ? 1 : 0;
            const edit = (file: string): string =>
              step.kind === 'append' ? file + step.text : file.slice(0, mark) + step.text + file.slice(mark);
            if (tryParse(edit(now)) && tryParse(edit(theirs))) [now, theirs] = [edit(now), edit(theirs)];
          } else if (step.kind === 'timeout') {
            const edited = now.replace(/(launch' Stop".*?\r?\n?,?\s*timeout = )\d+/, '$1300');
            if (tryParse(edited)) now = edited;
          } else if (isWired && !now.includes('approval_mode') && now.includes('[mcp_servers.openviking]')) {
            const edited = now.replace(
              /(\r?\n)\[mcp_servers\.openviking\.env\]/,
              '$1[mcp_servers.openviking.tools.x]$1approval_mode = "approve"$1$1[mcp_servers.openviking.env]',
            );
            if (tryParse(edited)) now = edited;
          }
        }
        if (isWired) {
          const again = wireToml(now, invented(3), record);
          // The user's own changes inside our entries outlive an upgrade.
          if (now.includes('timeout = 300')) expect(again.text).toContain('timeout = 300');
          if (now.includes('approval_mode')) expect(again.text).toContain('approval_mode = "approve"');
          const end = unwireToml(again.text, invented(3, ['Stop', 'SessionStart', 'PreToolUse']), again.record);
          expect(end.text).toBe(theirs);
          expect(end.text).not.toContain('agent-integrations');
        }
        sequences += 1;
      }),
      { numRuns: 400 },
    );
    process.stdout.write(`toml: ${sequences} sequences over ${Object.keys(SEEDS).length} kinds of files\n`);
  });
});

describe('what is refused', () => {
  it.each([
    ['cut off', 'a = [1,\n'],
    ['with two tables of one name', '[a]\n[b]\n[a]\n'],
    ['with marks of a merge', 'a = 1\n<<<<<<< HEAD\n'],
    ['with a hook list that is no list', 'hooks.Stop = 1\n'],
    ['with a table that is none', 'mcp_servers = "none"\n'],
    ['with one of the marks missing', `${BLOCK_BEGIN}\n[x]\n`],
  ])('a file %s, with line and column', (_name, text) => {
    let refusal: unknown;
    try {
      wireToml(text, FILE, EMPTY_RECORD);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect((refusal as Refusal).place?.line).toBeGreaterThan(0);
  });
});

describe('an earlier installer and somebody else', () => {
  it('what an earlier one wrote is replaced, with what the user had set in it', () => {
    const old =
      '[mcp_servers.openviking]\ncommand = "node /scripts/old.mjs"\nstartup_timeout_sec = 40\n\n' +
      '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "node /scripts/old.mjs"\n[[hooks.Stop.hooks]]\ncommand = "mine"\n' +
      '[[hooks.Gone]]\n[[hooks.Gone.hooks]]\ncommand = "node /scripts/old.mjs"\n';
    const wired = wireToml(old, FILE, EMPTY_RECORD);
    expect(wired.replaced).toBe(3);
    expect(wired.text).not.toMatch(/old\.mjs|Gone/);
    expect(unwireToml(wired.text, FILE, wired.record).text).toBe(wired.base);
    expect(meaning(wired.base)).toEqual({ hooks: { Stop: [{ hooks: [{ command: 'mine' }] }] } });
  });

  it('an entry of that name that is somebody else’s stays, and is told', () => {
    const wired = wireToml('[mcp_servers.openviking]\nurl = "https://other.example/mcp"\n', FILE, EMPTY_RECORD);
    expect(wired.foreign).toEqual([['mcp_servers', 'openviking']]);
    expect(wired.text).toContain('url = "https://other.example/mcp"');
    expect(wired.text).not.toContain(`command = ${JSON.stringify(LAUNCHER)}`);
  });

  it('a handler of the user in our group outlives ours', () => {
    const wired = wireToml('', FILE, EMPTY_RECORD);
    const shared = wired.text.replace(/(\[\[hooks\.Stop\.hooks\]\])/, '[[hooks.Stop.hooks]]\ncommand = "mine"\n\n$1');
    const end = unwireToml(shared, FILE, wired.record).text;
    expect(meaning(end)).toEqual({ hooks: { Stop: [{ matcher: '*', hooks: [{ command: 'mine' }] }] } });
  });
});
