/** Bundles the test entry and drives it as a client would: a child process and lines of JSON. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

export type Json = Record<string, unknown>;

/** Bundles `proxy-entry.ts` and the undici door beside it into `folder`. */
export async function bundleProxy(folder: string): Promise<void> {
  const core = join(import.meta.dirname, '..', '..');
  const common = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', write: true } as const;
  await build({
    ...common,
    entryPoints: [join(core, 'testing', 'mcp', 'proxy-entry.ts')],
    outfile: join(folder, 'proxy-entry.cjs'),
    // The point of the second bundle: nothing of undici may be in the first.
    external: ['undici'],
  });
  await build({
    ...common,
    entryPoints: [join(core, 'src', 'http', 'proxy-dispatch.ts')],
    outfile: join(folder, 'proxy.cjs'),
  });
}

/** A running proxy. Every line it prints must be a JSON-RPC message, or the test fails at the next `receive`. */
export class ProxyProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stdout = '';
  stderr = '';
  private readonly rest: string[] = [];
  private readonly messages: Json[] = [];
  private impure: string | undefined;
  private readonly waiting = new Set<() => void>();

  constructor(folder: string, settingsFile: string, env: Record<string, string>) {
    this.child = spawn(process.execPath, [join(folder, 'proxy-entry.cjs'), settingsFile], {
      stdio: 'pipe',
      env,
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => this.take(text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.child.stdin?.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      this.child.on('exit', (code, signal) => {
        resolve({ code, signal });
        for (const wake of [...this.waiting]) wake();
      });
    });
  }

  send(...messages: (Json | Json[] | string)[]): void {
    for (const message of messages) {
      this.child.stdin?.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    }
  }

  /** The first message, of those not yet received, that `matches`. Fails after `timeoutMs`, which only ends what hangs. */
  async receive(matches: (message: Json) => boolean, timeoutMs = 120_000): Promise<Json> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      if (this.impure !== undefined) throw new Error(`not a JSON-RPC message on stdout: ${this.impure.slice(0, 200)}`);
      const index = this.messages.findIndex(matches);
      if (index >= 0) return this.messages.splice(index, 1)[0] as Json;
      const left = until - Date.now();
      if (left <= 0 || (this.child.exitCode !== null && !this.child.stdout?.readable)) {
        throw new Error(
          `no such message; stderr:\n${this.stderr}\nunread: ${JSON.stringify(this.messages).slice(0, 2000)}`,
        );
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, left);
        this.waiting.add(wake);
      });
    }
  }

  answer(id: unknown, timeoutMs?: number): Promise<Json> {
    return this.receive((message) => message['id'] === id && message['method'] === undefined, timeoutMs);
  }

  async request(id: number | string, method: string, params: Json = {}, timeoutMs?: number): Promise<Json> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.answer(id, timeoutMs);
  }

  callTool(id: number | string, name: string, args: Json = {}, timeoutMs?: number): Promise<Json> {
    return this.request(id, 'tools/call', { name, arguments: args }, timeoutMs);
  }

  /** The whole handshake; resolves to the answer to `initialize`. */
  async handshake(protocolVersion = '2025-06-18', timeoutMs?: number): Promise<Json> {
    const answer = await this.request(
      'init',
      'initialize',
      {
        protocolVersion,
        capabilities: { roots: {} },
        clientInfo: { name: 'test', version: '1' },
      },
      timeoutMs,
    );
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** Messages received and not asked for. */
  get unread(): readonly Json[] {
    return this.messages;
  }

  /** Closes stdin, as a client does that leaves. */
  async end(): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    this.child.stdin?.end();
    return this.exited;
  }

  private take(text: string): void {
    if (this.stdout.length < 1_000_000) this.stdout += text;
    const pieces = text.split('\n');
    this.rest.push(pieces[0] ?? '');
    if (pieces.length === 1) return;
    const lines = [this.rest.splice(0).join(''), ...pieces.slice(1, -1)];
    this.rest.push(pieces.at(-1) ?? '');
    for (const line of lines) {
      try {
        const value = JSON.parse(line) as Json | Json[];
        if (Array.isArray(value)) this.messages.push({ id: 'batch', batch: value });
        else if (value['jsonrpc'] === '2.0') this.messages.push(value);
        else this.impure ??= line;
      } catch {
        this.impure ??= line;
      }
    }
    for (const wake of [...this.waiting]) wake();
  }
}

/** The text of a tool's answer. */
export function textOf(answer: Json): string | undefined {
  const result = answer['result'] as { content?: { text?: string }[] } | undefined;
  return result?.content?.[0]?.text;
}

/** The error of an answer; fails the test by being undefined where there is none. */
export function errorOf(answer: Json): {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code?: string; readonly next?: string; readonly status?: number };
} {
  return answer['error'] as ReturnType<typeof errorOf>;
}
