/** A real server for tests: the built bundle as a process of its own, on a free port, with a home that is thrown away. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const BUNDLE = resolve(import.meta.dirname, '../dist/main.mjs');
export const TOKEN = 'a-token-for-tests';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers of many shapes; a wrong look fails the test.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export interface RunningServer {
  readonly url: string;
  readonly home: string;
  readonly dataFolder: string;
  readonly process: ChildProcess;
  /** Everything printed so far, both streams. */
  output(): string;
  /** Sends `body` as JSON with the token; `headers` replace or add. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends the process with `signal` and waits; returns its exit status. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function temporaryHome(): string {
  return mkdtempSync(join(tmpdir(), 'ov-local-'));
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true });
}

/** A finished run of the program, for the cases where it does not stay. */
export async function runToEnd(
  args: readonly string[],
  environment: Record<string, string>,
  bundle = BUNDLE,
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [bundle, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
  child.stderr.on('data', (data: Buffer) => (stderr += String(data)));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout, stderr };
}

/** Starts a server in `home` and waits until it says where it listens. */
export async function startServer(home: string, bundle = BUNDLE): Promise<RunningServer> {
  const child = spawn(process.execPath, [bundle, '--port', '0', '--home', home], {
    env: { PATH: process.env['PATH'] ?? '', OPENVIKING_LOCAL_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const url = await new Promise<string>((done, fail) => {
    const seen = (data: Buffer): void => {
      output += String(data);
      const address = /Listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
      if (address !== undefined) done(address);
    };
    child.stdout.on('data', seen);
    child.stderr.on('data', seen);
    child.once('close', (status) => fail(new Error(`The server ended with ${status}: ${output}`)));
  });
  return {
    url,
    home,
    dataFolder: join(home, '.openviking', 'local'),
    process: child,
    output: () => output,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${TOKEN}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const closed = once(child, 'close') as Promise<[number | null]>;
      child.kill(signal);
      return (await closed)[0];
    },
  };
}

/** Messages of one turn, as a client sends them. */
export function turn(id: string, question: string, answer: string): Record<string, unknown>[] {
  return [
    { role: 'user', parts: [{ type: 'text', text: question }], turn_id: id },
    { role: 'assistant', parts: [{ type: 'text', text: answer }], turn_id: id },
  ];
}
