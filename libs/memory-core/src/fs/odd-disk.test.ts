/** What network shares, Windows and full disks answer, injected at the one place where all operations go through. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type * as Claim from './claim.ts';
import type * as Exclusive from './exclusive.ts';
import type * as ForgetOld from './forget-old.ts';
import type * as LockModule from './lock.ts';
import type * as WriteAtomic from './write-atomic.ts';

let claim: typeof Claim.claim;
let createExclusive: typeof Exclusive.createExclusive;
let forgetTemporaries: typeof ForgetOld.forgetTemporaries;
let tryLock: typeof LockModule.tryLock;
let writer: typeof WriteAtomic;
const testBuild = globalThis as { CRASH_POINTS?: boolean };
beforeAll(async () => {
  // What the bundler sets in the test build; read when the module is loaded.
  testBuild.CRASH_POINTS = true;
  ({ claim } = await import('./claim.ts'));
  ({ createExclusive } = await import('./exclusive.ts'));
  ({ forgetTemporaries } = await import('./forget-old.ts'));
  ({ tryLock } = await import('./lock.ts'));
  writer = await import('./write-atomic.ts');
});
afterAll(() => {
  delete testBuild.CRASH_POINTS;
});

let folder: string;
let path: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-disk-'));
  log = join(folder, 'faults');
  mkdirSync(join(folder, 'files'));
  path = join(folder, 'files', 'file.json');
  process.env['OPENVIKING_DISK_FAULT_LOG'] = log;
});
afterEach(() => {
  delete process.env['OPENVIKING_DISK_FAULTS'];
  delete process.env['OPENVIKING_DISK_FAULT_LOG'];
  rmSync(folder, { recursive: true, force: true });
});

/** Lets operations fail from now on, as the test build has it. */
function disk(faults: string): void {
  process.env['OPENVIKING_DISK_FAULTS'] = faults;
}
const failures = (): number => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0);
const left = (): string[] => readdirSync(join(folder, 'files'));

describe('a whole-file write', () => {
  it.each(['EBUSY', 'EPERM', 'EACCES', 'ESTALE', 'EEXIST'])(
    'outlasts a rename that fails with %s for a moment',
    (code) => {
      writeFileSync(path, 'old');
      disk(`renameSync:${code}:before:#3`);
      writer.writeFileAtomic(path, 'new');
      expect(readFileSync(path, 'utf8')).toBe('new');
      expect(failures()).toBe(3);
      expect(left()).toEqual(['file.json']);
    },
  );

  it.each(['ENOENT', 'EIO', 'EEXIST', 'ETIMEDOUT'])(
    'believes what it sees when a rename is done and reports %s',
    (code) => {
      disk(`renameSync:${code}:after:1`);
      writer.writeFileAtomic(path, 'new');
      expect(readFileSync(path, 'utf8')).toBe('new');
      expect(failures()).toBe(1);
      expect(left()).toEqual(['file.json']);
    },
  );

  it('gives up in little time, leaves the old content and no other file', () => {
    writeFileSync(path, 'old');
    disk('renameSync:EPERM:before:1');
    const paused = jest.spyOn(Atomics, 'wait');
    expect(() => writer.writeFileAtomic(path, 'new')).toThrow('EPERM');
    // What it takes by itself: a busy machine adds to every pause.
    const pauses = paused.mock.calls.reduce((sum, [, , , milliseconds = Infinity]) => sum + milliseconds, 0);
    paused.mockRestore();
    expect(failures()).toBeGreaterThan(1);
    expect(pauses).toBeLessThan(process.platform === 'win32' ? 5_000 : 1_000);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(left()).toEqual(['file.json']);
  });

  it.each(['openSync', 'writeSync', 'fsyncSync'])(
    'on a full disk (%s) leaves the old content and no other file',
    (name) => {
      writeFileSync(path, 'old');
      disk(`${name}:ENOSPC:before:1`);
      expect(() => writer.writeFileAtomic(path, 'new', { durable: true })).toThrow('ENOSPC');
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(left()).toEqual(['file.json']);
    },
  );
});

describe('a file that only the first may create', () => {
  it.each(['EEXIST', 'EIO', 'ESTALE'])('is ours when the link was made and reports %s', (code) => {
    disk(`linkSync:${code}:after:1`);
    expect(createExclusive(path, 'mine')).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    disk('');
    expect(createExclusive(path, 'another')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(left()).toEqual(['file.json']);
  });

  it.each(['EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'])('needs no links where they are refused with %s', (code) => {
    disk(`linkSync:${code}:before:1`);
    expect(createExclusive(path, 'mine')).toBe(true);
    expect(createExclusive(path, 'another')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(left()).toEqual(['file.json']);
  });

  it('outlasts a link that fails for a moment', () => {
    disk('linkSync:ESTALE:before:#3');
    expect(createExclusive(path, 'mine')).toBe(true);
    expect(failures()).toBe(3);
  });

  it('is not ours when somebody has linked his own there', () => {
    writeFileSync(join(folder, 'his'), 'his');
    linkSync(join(folder, 'his'), path);
    expect(createExclusive(path, 'mine')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('his');
  });
});

describe('a lock', () => {
  it.each(['linkSync:EPERM:before:1', 'linkSync:EEXIST:after:1'])('is one process’s at a time with %s', (faults) => {
    disk(faults);
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    lock?.release();
    const next = tryLock(path);
    expect(next).toBeDefined();
    next?.release();
    expect(left()).toEqual([]);
  });

  it('is given back although a virus scanner looks at its file', () => {
    const lock = tryLock(path);
    disk('unlinkSync:EBUSY:before:#3');
    lock?.release();
    expect(failures()).toBe(3);
    expect(tryLock(path)).toBeDefined();
  });
});

describe('a claim', () => {
  it('is given once in its time although the rename says that it failed', () => {
    expect(claim(path, 60_000)).toBe(true);
    disk('renameSync:EIO:after:1');
    expect(claim(path, 60_000, Date.now() + 120_000)).toBe(true);
    disk('');
    expect(claim(path, 60_000)).toBe(false);
  });
});

it('clears away what a kill has left under a temporary name, locks without links among it', () => {
  const files = join(folder, 'files');
  for (const name of ['.ov-a.tmp', '.ov-file.json.tmp', '.ov-file.json.tmp.break', 'file.json', '.ov-aside-1-x'])
    writeFileSync(join(files, name), '');
  forgetTemporaries(files, 1_000, Date.now() + 5_000);
  expect(left().sort()).toEqual(['.ov-aside-1-x', 'file.json']);
});
