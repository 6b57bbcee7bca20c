/** Real processes: what counts is what the system does with a descriptor. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { waitUntil } from '../../testing/wait-until.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ov-arrived-'));
  // Says which way the payload came: a stream that was opened has loaded `net`.
  await build({
    stdin: {
      contents: `import { readPayload } from './read-stdin.ts';
        if (process.env.WAIT) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.WAIT));
        const limit = setTimeout(() => tell(null, 'timeout'), Number(process.env.LIMIT ?? 60_000));
        const tell = (payload, how) => {
          const answer = JSON.stringify({ payload, how: how ?? (opened ? 'stream' : 'descriptor') });
          process.stdout.write(answer, () => process.exit(0));
        };
        let opened = false;
        const { get } = Object.getOwnPropertyDescriptor(process, 'stdin');
        Object.defineProperty(process, 'stdin', { get: () => {
          if (!opened) process.stderr.write('opened');
          opened = true;
          return get.call(process);
        } });
        readPayload().then((payload) => tell(payload ?? null));`,
      resolveDir: import.meta.dirname,
    },
    outfile: join(folder, 'read.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Told {
  readonly payload: unknown;
  readonly how: 'descriptor' | 'stream' | 'timeout';
}

const isLinuxOrMac = process.platform !== 'win32';

/**
 * `feed` at once, `later` when the stream has been opened. The reader waits so long, in ms, before it looks, as if it had
 * taken that long to start, and gives up after the `limit`.
 */
async function told(
  feed: (child: ChildProcess) => unknown,
  {
    wait = 300,
    limit,
    stdin = 'pipe',
    later,
  }: { wait?: number; limit?: number; stdin?: 'pipe' | number; later?: (child: ChildProcess) => unknown } = {},
): Promise<Told> {
  const child = spawn(process.execPath, [join(folder, 'read.cjs')], {
    env: { WAIT: String(wait), ...(limit === undefined ? {} : { LIMIT: String(limit) }) },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  // A reader that has all it needs leaves.
  child.stdin?.on('error', () => undefined);
  let answer = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (answer += text));
  child.stderr?.once('data', () => later?.(child));
  const ended = new Promise((resolve) => child.on('close', resolve));
  feed(child);
  expect(await ended).toBe(0);
  return JSON.parse(answer) as Told;
}

/** The same through a FIFO, as programs that are not written in Node connect their children. */
async function toldByShell(feeder: string): Promise<Told> {
  const child = spawn('/bin/sh', ['-c', `${feeder} | "$0" "$1"`, process.execPath, join(folder, 'read.cjs')], {
    // The feeder is a process, too, and has to start meanwhile.
    env: { WAIT: '1000', PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (answer += text));
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  return JSON.parse(answer) as Told;
}

(isLinuxOrMac ? describe : describe.skip)('what has arrived', () => {
  it('is taken without a stream, the pipe still open', async () => {
    expect(await told(({ stdin }) => stdin?.write('{"a":"家"}\n'))).toEqual({
      payload: { a: '家' },
      how: 'descriptor',
    });
  });

  it.each(['--pending-deprecation', '--pending-deprecation --throw-deprecation'])(
    'is taken in silence with %s',
    async (options) => {
      const child = spawn(process.execPath, [join(folder, 'read.cjs')], {
        env: { WAIT: '300', NODE_OPTIONS: options },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let [answer, errors] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (answer += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      child.stdin.write('{"a":1}');
      expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
      expect({ answer: JSON.parse(answer) as Told, errors }).toEqual({
        answer: { payload: { a: 1 }, how: 'descriptor' },
        errors: '',
      });
    },
  );

  it('is taken from a FIFO', async () => {
    expect(await toldByShell(`(printf '{"a":1}'; sleep 2)`)).toEqual({ payload: { a: 1 }, how: 'descriptor' });
  });

  it('is the first part, and the rest comes through the stream', async () => {
    const [first, rest] = [Buffer.from('{"a":"家').subarray(0, -1), Buffer.from('家"}').subarray(2)];
    const later = ({ stdin }: ChildProcess): unknown => stdin?.write(rest);
    expect(await told(({ stdin }) => stdin?.write(first), { later })).toEqual({ payload: { a: '家' }, how: 'stream' });
  });

  it.each([100_000, 5_000_000])('may be %i characters long', async (length) => {
    const value = { text: 'x'.repeat(length) };
    writeFileSync(join(folder, 'long.json'), JSON.stringify(value));
    expect((await told(({ stdin }) => stdin?.write(JSON.stringify(value)))).payload).toEqual(value);
    expect((await toldByShell(`cat "${join(folder, 'long.json')}"`)).payload).toEqual(value);
  });

  it('is nothing yet when the host is slow', async () => {
    const later = ({ stdin }: ChildProcess): unknown => stdin?.end('{"a":1}');
    expect(await told(() => undefined, { wait: 0, later })).toEqual({ payload: { a: 1 }, how: 'stream' });
  });

  it('is nothing at all: the reader does not stand still', async () => {
    expect(await told(() => undefined, { limit: 1_000 })).toEqual({ payload: null, how: 'timeout' });
    expect(await told(({ stdin }) => stdin?.end())).toEqual({ payload: null, how: 'stream' });
    const nothing = openSync('/dev/null', 'r');
    expect(await told(() => undefined, { stdin: nothing })).toEqual({ payload: null, how: 'stream' });
    closeSync(nothing);
  });

  it('does not end: the reader stops where no payload goes on', async () => {
    expect(await toldByShell(`(printf '{"a":"'; yes)`)).toEqual({ payload: null, how: 'stream' });
  });

  it('is left to the stream where stdin is a file', async () => {
    const path = join(folder, 'payload.json');
    writeFileSync(path, '{"a":1}');
    const descriptor = openSync(path, 'r');
    expect(await told(() => undefined, { stdin: descriptor })).toEqual({ payload: { a: 1 }, how: 'stream' });
    closeSync(descriptor);
  });

  it('leaves a shared descriptor as it was: a program behind it can wait for input again', async () => {
    // The shell's `read` and the hook have one and the same open pipe.
    const out = join(folder, 'out');
    const script = `"$0" "$1" > "$2"; read line; echo "$line"`;
    const child = spawn('/bin/sh', ['-c', script, process.execPath, join(folder, 'read.cjs'), out], {
      env: { WAIT: '300' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    const closed = new Promise((resolve) => child.on('close', resolve));
    child.stdin.write('{"a":1}');
    await waitUntil('the reader to answer', () => existsSync(out) && readFileSync(out, 'utf8').endsWith('}'));
    child.stdin.end('and more\n');
    await closed;
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({ payload: { a: 1 }, how: 'descriptor' });
    expect(said).toBe('and more\n');
  });
});
