/** Real processes: what counts is what is left when the one that started it is gone. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { waitUntil } from '../../testing/wait-until.ts';

let folder: string;
const report = (): string => join(folder, 'report.json');

interface Reported {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly pid: number;
  readonly group: number;
  readonly stdio: readonly string[];
  readonly depth: string;
  readonly kept: string;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ov-start 家 $\'"-'));
  mkdirSync(join(folder, 'home'));
  await build({
    // Says whether it took what loads `net`, and leaves.
    stdin: {
      contents: `import { startWorker } from './start-worker.ts';
        if (process.env.VERSION) Object.defineProperty(process, 'version', { value: process.env.VERSION });
        startWorker(['deliver', "odd 'args' $HOME"], process.env.WHERE);
        const loaded = process.moduleLoadList.includes('NativeModule child_process');
        process.stdout.write(JSON.stringify({ pid: process.pid, way: loaded ? 'module' : 'binding' }));`,
      resolveDir: import.meta.dirname,
    },
    outfile: join(folder, 'start.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  writeFileSync(
    join(folder, 'worker.cjs'),
    `const { readFileSync, readlinkSync, writeFileSync, renameSync } = require('node:fs');
    const report = ${JSON.stringify(report())};
    // The fields behind the name, which may hold anything: state, parent, group (proc_pid_stat(5)).
    const stat = readFileSync('/proc/self/stat', 'utf8').split(') ').pop().split(' ');
    const told = {
      args: process.argv.slice(2),
      cwd: process.cwd(),
      pid: process.pid,
      group: Number(stat[2]),
      stdio: [0, 1, 2].map((fd) => readlinkSync('/proc/self/fd/' + fd)),
      depth: process.env.OPENVIKING_HOOK_DEPTH,
      kept: process.env.KEPT,
    };
    writeFileSync(report + '.new', JSON.stringify(told));
    renameSync(report + '.new', report);`,
  );
});
afterEach(() => rmSync(report(), { force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(env: Readonly<Record<string, string>> = {}): { pid: number; way: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'start.cjs')], {
    timeout: 240_000,
    env: { WHERE: join(folder, 'home'), KEPT: 'a = "b"\nc', ...env },
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return { ...(JSON.parse(stdout) as { pid: number; way: string }), errors: stderr };
}

async function reported(): Promise<Reported> {
  await waitUntil('the worker to report', () => existsSync(report()));
  return JSON.parse(readFileSync(report(), 'utf8')) as Reported;
}

(process.platform === 'linux' ? describe : describe.skip)('a worker that is left behind', () => {
  const tried = /^v2[024]\./.test(process.version);

  it.each([
    ['this release', {}, tried ? 'binding' : 'module'],
    ['one that asks for warnings', { NODE_OPTIONS: '--pending-deprecation' }, tried ? 'binding' : 'module'],
    [
      'one that ends at a warning',
      { NODE_OPTIONS: '--pending-deprecation --throw-deprecation' },
      tried ? 'binding' : 'module',
    ],
    ['a release on which the binding was not tried', { VERSION: 'v99.0.0' }, 'module'],
  ])('is started by %s', async (_, env, way) => {
    const starter = start(env);
    expect(starter).toMatchObject({ way, errors: '' });
    const worker = await reported();
    expect(worker).toMatchObject({
      args: ['deliver', "odd 'args' $HOME"],
      cwd: join(folder, 'home'),
      stdio: ['/dev/null', '/dev/null', '/dev/null'],
      depth: '1',
      kept: 'a = "b"\nc',
    });
    // Who ends the group of the hook does not reach it.
    expect(worker.group).not.toBe(starter.pid);
  });

  it('is none where the home is gone, and nobody hears of it', () => {
    expect(start({ WHERE: join(folder, 'gone') })).toMatchObject({ errors: '' });
  });
});
