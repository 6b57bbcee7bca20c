/**
 * Every client beside every kind of file that a user may have: installed, installed again, upgraded, taken out. The figures
 * that it prints are counts of clients whose files were compared byte by byte.
 */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTemporaryHome, describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { laterPayloads, runInProcess, shippedPayloads } from './support/in-process.ts';
import { NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import { ALL, FILES, differences, lines, seedHome, SEEDS } from './support/user-files.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { Payloads } from './support/in-process.ts';

let claude: FakeClaude;
let shipped: Payloads;
let later: Payloads;
beforeAll(async () => {
  claude = createFakeClaude();
  shipped = shippedPayloads();
  later = await laterPayloads('99.0.0');
});
afterAll(() => {
  claude.remove();
  shipped.remove();
  later.remove();
  const { seeds, exact, again, upgraded, partial, withoutPlugins } = figures;
  process.stdout.write(
    `matrix: ${seeds} kinds of files x ${ALL.length} clients; byte-exact after uninstall ${exact}, ` +
      `unchanged by a second run ${again}, client files unchanged by an upgrade ${upgraded}, partial writes ${partial}; ` +
      `Claude Code without plugins, byte-exact ${withoutPlugins}\n`,
  );
});

const figures = { seeds: 0, exact: 0, again: 0, upgraded: 0, partial: 0, withoutPlugins: 0 };

const run = (home: TemporaryHome, args: readonly string[], payloadRoot = shipped.folder) =>
  runInProcess(args, {
    home: home.path,
    payloadRoot,
    interpreter: shipped.idleInterpreter,
    env: { PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin` },
  });
const install = (home: TemporaryHome, payloadRoot?: string) =>
  run(home, ['install', '--harness', ALL.join(), '--url', NO_SERVER, '--yes'], payloadRoot);

/** Clients whose own files are named by none of the differences. */
function untouched(found: readonly string[]): readonly string[] {
  return ALL.filter((client) => !Object.keys(FILES[client] ?? {}).some((path) => found.join('\n').includes(path)));
}

describe.each(Object.entries(SEEDS))('%s', (_name, seed) => {
  it('is wired, left alone by a second run, untouched by an upgrade, and given back to the byte', async () => {
    const home = createTemporaryHome();
    try {
      seedHome(home, seed);
      figures.seeds += 1;
      const before = snapshotTree(home.path);
      const first = await install(home);
      expect({ code: first.code, errors: first.stderr.match(/^Error.*/m)?.[0] }).toEqual({
        code: 3,
        errors: undefined,
      });
      const installed = snapshotTree(home.path);
      for (const path of ['.zcode/cli/config.json', '.cursor/hooks.json', '.trae/hooks.json', '.trae-cn/hooks.json']) {
        expect(home.readText(path)).toContain('/agent-integrations/');
      }
      expect(home.readText('.claude/settings.json')).toContain('openviking-memory@openviking');
      figures.partial += [...installed.keys()].filter((path) => path.includes('.ov-')).length;

      await install(home);
      const second = diffTrees(installed, snapshotTree(home.path)).map(describeDifference);
      expect(second).toEqual([]);
      figures.again += untouched(second).length;

      expect((await install(home, later.folder)).code).toBe(3);
      const third = diffTrees(installed, snapshotTree(home.path))
        .map(describeDifference)
        .filter((line) => !/\.openviking|\/skills\/|\.claude\/plugins/.test(line));
      expect(third).toEqual([]);
      figures.upgraded += untouched(third).length;

      const end = await run(home, ['uninstall', '--all', '--purge', '--yes']);
      expect(end).toMatchObject({ code: 0, stderr: '' });
      const last = differences(before, home);
      expect(last).toEqual([]);
      // The client's own state, which it writes at every start: nothing of ours has ever been in it.
      expect(home.has('.claude.json') ? home.readText('.claude.json') : '').not.toContain('openviking');
      figures.exact += untouched(last).length;
    } finally {
      home.remove();
    }
  });
});

describe.each(Object.entries(SEEDS))('%s, for a Claude Code without plugins', (_name, seed) => {
  it('is wired, left alone by a second run, and given back to the byte', async () => {
    claude.behave({ hasPlugins: false, version: '1.0.90' });
    const home = createTemporaryHome();
    try {
      seedHome(home, seed, false);
      const before = snapshotTree(home.path);
      const wire = ['install', '--harness', 'claude', '--url', NO_SERVER, '--yes'];
      expect((await run(home, wire)).code).toBe(3);
      for (const path of ['.claude/settings.json', '.claude.json']) {
        expect(home.readText(path)).toContain('/agent-integrations/claude/launch');
      }
      const installed = snapshotTree(home.path);
      await run(home, wire);
      expect(diffTrees(installed, snapshotTree(home.path))).toEqual([]);
      expect((await run(home, ['uninstall', '--all', '--purge', '--yes'])).code).toBe(0);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
      figures.withoutPlugins += 1;
    } finally {
      home.remove();
      claude.behave({});
    }
  });
});

it('covers at least thirty kinds of files and five clients', () => {
  expect([Object.keys(SEEDS).length >= 30, ALL.length]).toEqual([true, 5]);
});

describe('one file of a client broken', () => {
  it.each(
    Object.entries(FILES).flatMap(([client, files]) => Object.keys(files).map((path) => [client, path] as const)),
  )('%s: with %s cut off, no file of that client is written, and with --keep-going the others are', (client, broken) =>
    withHome(async (home) => {
      seedHome(home, { text: lines });
      home.write(broken, '{"a": [1,');
      const before = snapshotTree(home.path);
      const refused = await install(home);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`${home.at(broken)}:1:`);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);

      const run2 = await run(home, ['install', '--harness', ALL.join(), '--url', NO_SERVER, '--yes', '--keep-going']);
      expect(run2.code).toBe(3);
      const changed = diffTrees(before, snapshotTree(home.path)).map(describeDifference).join('\n');
      for (const path of Object.keys(FILES[client] ?? {})) expect(changed).not.toContain(`${path} `);
      expect(untouched(changed.split('\n'))).toEqual([client]);
    }),
  );
});
