/** Programs of clients are run without a shell where that is possible, never wait for an answer, and never outlive us. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startToken } from '@openviking/memory-core/full';
import { waitUntil } from '@openviking/memory-core/testing';
import { findCommand } from '../src/clients/find-command.ts';
import { listedPlugin, runsFrom } from '../src/clients/listed-plugin.ts';
import { commandCall, runCommand } from '../src/clients/run-command.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openviking-run-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A zombie whose parent never asks for its end is gone as well. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  return process.platform === 'linux' && startToken(pid) === undefined;
}

const run = (script: string, options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {}) =>
  runCommand(process.execPath, ['-e', script], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    platform: process.platform,
    timeoutMs: 60_000,
    ...options,
  });

describe('a command of a client', () => {
  it('tells its exit code and what it said on both streams', async () => {
    const result = await run('console.log("one"); console.error("two"); process.exitCode = 3');
    expect(result).toMatchObject({ status: 3, stdout: 'one\n' });
    expect(result.output.split('\n').sort()).toEqual(['one', 'two']);
  });

  it('finds nothing on stdin, and so cannot wait for an answer', async () => {
    expect(await run('process.stdin.on("data", () => {}).on("end", () => console.log("end"))')).toMatchObject({
      status: 0,
      stdout: 'end\n',
    });
  });

  it('is ended at its time limit and by a signal, with everything that it has started', async () => {
    const file = join(folder, 'started');
    const child = `const fs = require("fs"); fs.writeFileSync("part", String(process.pid)); fs.renameSync("part", ${JSON.stringify(file)}); setInterval(() => {}, 1000)`;
    const parent = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], {stdio: "inherit"}); setInterval(() => {}, 1000)`;
    const untilItsEnd = (): Promise<unknown> => {
      const pid = Number(readFileSync(file, 'utf8'));
      expect(pid).toBeGreaterThan(1);
      return waitUntil('the end of what it has started', () => isGone(pid));
    };
    // Again with more time where the machine is so busy that it has started nothing yet.
    for (let timeoutMs = 400; !existsSync(file); timeoutMs *= 2)
      expect((await run(parent, { timeoutMs })).status).toBe('timeout');
    await untilItsEnd();

    rmSync(file);
    const interruption = new AbortController();
    const running = run(parent, { timeoutMs: 60_000, signal: interruption.signal });
    await waitUntil('what it starts', () => existsSync(file));
    interruption.abort();
    expect((await running).status).toBe('interrupted');
    await untilItsEnd();
  });

  it('that cannot be started is a result, no exception', async () => {
    const result = await runCommand(join(folder, 'missing'), [], {
      cwd: folder,
      env: {},
      platform: process.platform,
      timeoutMs: 1_000,
    });
    expect(result.status).toBe('not started');
  });

  it('that leaves something running with its streams has ended all the same', async () => {
    const child = 'setTimeout(() => {}, 120_000)';
    const parent = `const left = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], {stdio: "inherit", detached: true}); left.unref(); console.log(left.pid)`;
    const result = await run(parent, { timeoutMs: 60_000 });
    process.kill(Number(result.stdout), 'SIGKILL');
    expect(result).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\n$/) });
  });

  it('that could not be started when the run was interrupted takes nobody with it', async () => {
    // In a process group of its own: the signal that this is about would end the whole group.
    const file = join(import.meta.dirname, '../src/clients/run-command.ts');
    const script = join(folder, 'interrupted.mjs');
    const bundle = join(folder, 'run-command.mjs');
    buildSync({ entryPoints: [file], outfile: bundle, bundle: true, platform: 'node', format: 'esm' });
    writeFileSync(
      script,
      `import { runCommand } from ${JSON.stringify(bundle)};
       const { status } = await runCommand('/nowhere/at/all', [], { cwd: '/', env: {}, platform: process.platform, timeoutMs: 100, signal: AbortSignal.abort() });
       console.log(status);`,
    );
    expect(await run(`import(${JSON.stringify(script)})`)).toMatchObject({ status: 0, stdout: 'interrupted\n' });
  });
});

describe('the way to start it', () => {
  it('is direct on POSIX and for programs of Windows', () => {
    const args = ['a b', '"'];
    expect(commandCall("/it's/claude", args, 'linux')).toEqual({ file: "/it's/claude", args, isVerbatim: false });
    expect(commandCall('C:\\x y\\claude.exe', args, 'win32')).toEqual({
      file: 'C:\\x y\\claude.exe',
      args,
      isVerbatim: false,
    });
  });

  it('goes through cmd.exe for a script of Windows, with every word in quotes', () => {
    expect(commandCall('C:\\a & b\\claude.CMD', ['plugin', 'add', 'C:\\Users\\张三 (x)\\mp'], 'win32')).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', '""C:\\a & b\\claude.CMD" "plugin" "add" "C:\\Users\\张三 (x)\\mp""'],
      isVerbatim: true,
    });
  });

  it.each(['C:\\100%\\mp', 'a"b', 'a\nb'])('does not exist for a script of Windows and %j', (word) => {
    expect(commandCall('C:\\claude.cmd', [word], 'win32')).toBeUndefined();
  });
});

describe('a command is found', () => {
  it('on PATH, by absolute path, and from ~; never relative to where we are', () => {
    const where = { env: { PATH: `/nonexistent:${folder}` }, platform: 'linux' as const, home: folder };
    writeFileSync(join(folder, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(folder, 'data'), '', { mode: 0o644 });
    const found = ['tool', join(folder, 'tool'), '~/tool', './tool', 'data', 'none'].map((name) =>
      findCommand(name, where),
    );
    const tool = join(folder, 'tool');
    expect(found).toEqual([tool, tool, tool, undefined, undefined, undefined]);
  });
});

describe('the list of a client’s plugins', () => {
  const entry = {
    id: 'p@m',
    version: '1.2.3',
    enabled: true,
    installPath: '/cache/p',
    readFromFolder: '/mp/plugins/p',
  };

  it.each([
    ['a list', JSON.stringify([{ id: 'x@y', version: '9' }, entry])],
    ['a list inside an object, behind a line of text', `Looking…\n${JSON.stringify({ plugins: [entry] })}`],
  ])('is understood as %s', (_name, stdout) => {
    const plugin = listedPlugin(stdout, 'p@m');
    expect(plugin).toMatchObject({ version: '1.2.3', isEnabled: true });
    expect(plugin && [runsFrom(plugin, '/mp'), runsFrom(plugin, '/m')]).toEqual([true, false]);
  });

  it.each(['', 'not JSON', '[]', '[{"id":"x@y","version":"1"}]', 'null'])('%j does not have it', (stdout) => {
    expect(listedPlugin(stdout, 'p@m')).toBeUndefined();
  });
});
