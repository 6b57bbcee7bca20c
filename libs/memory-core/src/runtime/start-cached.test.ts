import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

let folder: string;
let caches: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ov-cached-'));
  caches = join(folder, '.openviking', 'state', 'code-cache');
  // Enough functions that a cache of them has several pages.
  const functions = Array.from(
    { length: 400 },
    (_, index) => `function f${index}(x){return x+${index}*Math.max(x,${index})}`,
  );
  const calls = Array.from({ length: 400 }, (_, index) => `f${index}(1)`).join('+');
  // One that is called only when it is asked for: nobody else has it compiled.
  const parts = ['a', 'b', 'c', 'd', 'e']
    .map((part) => `function part_${part}(){${'calls();'.repeat(200)}}`)
    .join('\n');
  writeFileSync(
    join(folder, 'hook.main.cjs'),
    `(function (exports, require, module) {${functions.join('\n')}\n${parts}\nfunction calls(){return ${calls}}\n` +
      `if(process.env.PART)eval('part_'+process.env.PART)();\nprocess.stdout.write(String(calls()));\nprocess.exit(0);})`,
  );
  await build({
    entryPoints: { seldom: join(import.meta.dirname, 'write-code-cache.ts') },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  for (const stamp of ['one', 'two']) {
    await build({
      stdin: {
        contents: `import { startCached } from './start-cached.ts'; startCached(${JSON.stringify(join(folder, 'hook.main.cjs'))}, '${stamp}');`,
        resolveDir: import.meta.dirname,
      },
      outfile: join(folder, `${stamp}.cjs`),
      bundle: true,
      platform: 'node',
      format: 'cjs',
    });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(join(folder, '.openviking'), { recursive: true, force: true });
  mkdirSync(join(folder, '.openviking', 'state'), { recursive: true });
});

const run = (stamp = 'one', part = ''): string =>
  execFileSync(process.execPath, [join(folder, `${stamp}.cjs`)], {
    timeout: 240_000,
    env: { HOME: folder, USERPROFILE: folder, PART: part },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).toString();
const cachePath = (): string => join(caches, readdirSync(caches)[0] ?? '');

describe('startCached', () => {
  it('writes a cache with the first run and answers the same with it', () => {
    const answer = run();
    expect(statSync(cachePath()).mode & 0o777).toBe(0o600);
    expect(run()).toBe(answer);
  });

  it('adds what three further runs call, and then writes no more', () => {
    const sizes = ['a', 'b', 'c', 'd'].map((part) => {
      run('one', part);
      return statSync(cachePath()).size;
    });
    expect(sizes).toEqual([...new Set(sizes)].sort((one, other) => one - other));
    const inode = statSync(cachePath()).ino;
    run('one', 'e');
    expect(statSync(cachePath()).ino).toBe(inode);
  });

  it.each([
    ['a page of zeros in the middle', (bytes: Buffer) => bytes.fill(0, 8192, 12288)],
    ['a cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['nothing', () => Buffer.alloc(0)],
    ['garbage', (bytes: Buffer) => bytes.fill('garbage')],
  ])('compiles as usual and writes it anew when the cache has become %s', (_name, damage) => {
    const answer = run();
    const whole = readFileSync(cachePath());
    writeFileSync(cachePath(), damage(Buffer.from(whole)));
    expect(run()).toBe(answer);
    expect(readFileSync(cachePath()).length).toBeGreaterThan(8192);
    expect(run()).toBe(answer);
  });

  it('keeps a cache for each content of the bundle', () => {
    run('one');
    run('two');
    expect(readdirSync(caches)).toHaveLength(2);
  });

  it('ends without a word where the bundle is gone', () => {
    renameSync(join(folder, 'hook.main.cjs'), join(folder, 'aside'));
    try {
      expect(run()).toBe('');
    } finally {
      renameSync(join(folder, 'aside'), join(folder, 'hook.main.cjs'));
    }
  });

  it('neither waits for a pipe in the place of the cache nor follows a link', () => {
    const answer = run();
    const path = cachePath();
    rmSync(path);
    symlinkSync('/dev/zero', path);
    expect(run()).toBe(answer);
    rmSync(path);
    if (process.platform !== 'win32') execFileSync('mkfifo', [path]);
    expect(run()).toBe(answer);
  });

  it('leaves nothing in a home where nothing is installed', () => {
    rmSync(join(folder, '.openviking'), { recursive: true });
    run();
    expect(readdirSync(folder)).not.toContain('.openviking');
  });
});
