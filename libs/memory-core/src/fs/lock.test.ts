import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '../../testing/wait-until.ts';
import { lockWithin, startToken, tryLock } from './lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('tryLock', () => {
  it('gives the lock to one and takes it back', () => {
    const path = join(folder, 'lock');
    const first = tryLock(path);
    expect(first).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    first?.release();
    expect(tryLock(path)).toBeDefined();
  });

  it('takes the lock of a killed process at once', async () => {
    const path = join(folder, 'lock');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const start = startToken(child.pid as number) ?? 'heartbeat';
    writeFileSync(path, JSON.stringify({ pid: child.pid, start, id: 'other' }));
    expect(tryLock(path)).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(tryLock(path)).toBeDefined();
  });

  it('takes the lock of a killed process that nobody has asked after', async () => {
    const path = join(folder, 'lock');
    // The shell starts a child, tells its pid and never waits for it: killed, it stays behind as a zombie.
    const shell = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    const pid = Number(String(line));
    writeFileSync(path, JSON.stringify({ pid, start: startToken(pid) ?? 'heartbeat', id: 'other' }));
    expect(tryLock(path)).toBeUndefined();
    process.kill(pid, 'SIGKILL');
    if (process.platform === 'linux') await waitUntil('its end', () => startToken(pid) === undefined);
    const lock = tryLock(path);
    shell.kill('SIGKILL');
    if (process.platform === 'linux') expect(lock).toBeDefined();
  });

  it('takes the lock of a killed process although another was killed while it took it', () => {
    const path = join(folder, 'lock');
    const dead = { pid: 2 ** 22 + 1, start: '1', id: 'killed' };
    writeFileSync(path, JSON.stringify(dead));
    writeFileSync(`${path}.break`, JSON.stringify({ ...dead, id: 'killed, too' }));
    expect(tryLock(path)).toBeDefined();
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it('sees that the pid of a dead owner belongs to another process by now', () => {
    const path = join(folder, 'lock');
    writeFileSync(path, JSON.stringify({ pid: process.pid, start: '1', id: 'before the restart' }));
    expect(tryLock(path)).toBeDefined();
  });

  it('does not give back a lock that somebody else holds by now', () => {
    const path = join(folder, 'lock');
    const lock = tryLock(path);
    writeFileSync(path, JSON.stringify({ pid: process.pid, start: startToken(process.pid), id: 'another' }));
    lock?.release();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id: 'another' });
  });

  it('breaks an unreadable file once it is old, and not while it may be being written', () => {
    const path = join(folder, 'lock');
    writeFileSync(path, '{"pid":');
    expect(tryLock(path)).toBeUndefined();
  });
});

describe('lockWithin', () => {
  it('waits for the owner', async () => {
    const path = join(folder, 'lock');
    const lock = tryLock(path);
    setTimeout(() => lock?.release(), 50);
    expect(await lockWithin(path, 60_000)).toBeDefined();
    expect(await lockWithin(path, 30)).toBeUndefined();
  });
});
