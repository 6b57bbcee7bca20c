/** A purge after several clients: what their hooks have remembered on this machine must not outlive them. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { runInProcess, shippedPayloads } from './support/in-process.ts';
import { NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { Payloads } from './support/in-process.ts';

/** The SQLite of the local server. */
const { Database } = createRequire(new URL('../../local-server/package.json', import.meta.url))(
  'node-sqlite3-wasm',
) as { readonly Database: new (path: string) => { exec(sql: string): void; close(): void } };

let shipped: Payloads;
beforeAll(() => {
  shipped = shippedPayloads();
});
afterAll(() => shipped.remove());

const env = { PATH: '/usr/bin:/bin' };
const run = (home: TemporaryHome, ...args: readonly string[]) =>
  runInProcess(args, { home: home.path, payloadRoot: shipped.folder, env });

/** A real hook of the installed client: it notes in the home that it has run. */
function runHook(home: TemporaryHome, client: string): void {
  const launcher = home.at(`.openviking/agent-integrations/${client}/launch`);
  const input = JSON.stringify({ session_id: 'one', prompt: 'What did we decide?', cwd: home.path });
  const { status } = spawnSync(launcher, ['user-prompt-submit'], {
    timeout: 240_000,
    input,
    env: { ...env, HOME: home.path },
    cwd: home.path,
  });
  expect(status).toBe(0);
  expect(home.has(`.openviking/state/heartbeat/${client}-user-prompt-submit.json`)).toBe(true);
}

describe('a purge after a second client came when hooks of the first had run', () => {
  it.each([
    ['zcode', 'cursor'],
    ['cursor', 'zcode'],
  ])('%s goes first: the home is as before', (first, last) =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      await run(home, '--harness', 'zcode', '--url', NO_SERVER, '--yes');
      runHook(home, 'zcode');
      home.write('.openviking/state/sessions/zc-one/recalled.json', '{"memories":["We decided on Rust."]}');
      await run(home, '--harness', 'cursor', '--yes');
      expect((await run(home, 'uninstall', '--harness', first, '--purge', '--yes')).code).toBe(0);
      const end = await run(home, 'uninstall', '--harness', last, '--purge', '--yes');
      expect(end.code).toBe(0);
      expect(end.stdout).not.toContain('stays');
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }),
  );

  it('both go at once; a folder that was there before the first of them stays', () =>
    withHome(async (home) => {
      home.write('.openviking/logs/server.log', 'of another program\n');
      const before = snapshotTree(home.path);
      await run(home, '--harness', 'zcode', '--yes');
      runHook(home, 'zcode');
      await run(home, '--harness', 'cursor', '--yes');
      const end = await run(home, 'uninstall', '--purge', '--yes');
      expect(end.code).toBe(0);
      expect(end.stdout).toContain(`${home.at('.openviking/logs')} was there before the installation`);
      expect(home.has('.openviking/state')).toBe(false);
      const ofOthers = diffTrees(before, snapshotTree(home.path)).map(describeDifference);
      expect(ofOthers.filter((line) => !line.includes('.openviking/logs'))).toEqual([]);
    }));
});

it('memories of the local server are deleted only where somebody says so', () =>
  withHome(async (home) => {
    await run(home, '--harness', 'cursor', '--url', NO_SERVER, '--yes');
    // Not as the server writes it: its size alone is told.
    home.write('.openviking/local/memory.db', 'x'.repeat(3000));
    const before = snapshotTree(home.path);
    const refused = await run(home, 'uninstall', '--purge');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`${home.at('.openviking/local/memory.db')} (3 KB) and nowhere else`);
    // What was stored last is in the log beside it.
    home.write('.openviking/local/memory.db-wal', 'x'.repeat(7000));
    expect((await run(home, 'uninstall', '--purge')).stderr).toContain('memory.db (10 KB) and nowhere else');
    rmSync(home.at('.openviking/local/memory.db-wal'));
    expect(refused.stderr).toContain('the memories of the local server are in');
    expect(refused.stderr).toContain('Add --yes');
    expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    const end = await run(home, 'uninstall', '--purge', '--yes');
    expect(end.code).toBe(0);
    expect(end.stderr).toContain('--purge deletes them');
    expect(home.has('.openviking')).toBe(false);
  }));

it('says how many memories go', () =>
  withHome(async (home) => {
    await run(home, '--harness', 'cursor', '--url', NO_SERVER, '--yes');
    home.makeFolder('.openviking/local');
    const database = new Database(home.at('.openviking/local/memory.db'));
    database.exec('CREATE TABLE memory (id INTEGER PRIMARY KEY, content TEXT)');
    database.exec("INSERT INTO memory (content) VALUES ('one'), ('two'), ('three')");
    database.close();
    const refused = await run(home, 'uninstall', '--purge');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('3 memories of the local server are in');
    const chinese = await run(home, 'uninstall', '--purge', '--lang', 'zh');
    expect(chinese.stderr).toContain('本地服务器的 3 条记忆');
    expect(home.has('.openviking/local/memory.db')).toBe(true);
  }));
