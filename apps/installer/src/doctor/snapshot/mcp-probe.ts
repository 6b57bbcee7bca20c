/**
 * Starts the installed MCP proxy the way the client does and asks it for its tools: settings, launcher, program files and
 * server have to play together for that, and each has been fine on its own where this failed.
 */
import { spawn } from 'node:child_process';
import { isObject, launcherCall } from '@openviking/memory-core/full';
import type { Machine } from '../../machine/machine.ts';

export type McpProbe =
  | { readonly kind: 'tools'; readonly count: number; readonly answeredInMs: number }
  | { readonly kind: 'refused'; readonly message: string }
  /** `status`: how the process ended; absent: it did not answer in time. */
  | { readonly kind: 'silent'; readonly status?: number | string; readonly message: string };

/** How long the proxy may take for both answers, in ms. */
const LIMIT_MS = 10_000;
/** Longest answer that is read, in characters. */
const LONGEST = 4 * 1024 * 1024;

/** Never throws. The process is gone when the promise resolves. */
export function probeMcp(machine: Machine, launcher: string, cwd: string): Promise<McpProbe> {
  const { home, platform } = machine;
  const call = launcherCall(launcher, ['mcp-proxy'], { platform, home });
  return new Promise((resolve) => {
    const start = performance.now();
    const child = spawn(call.file, [...call.args], {
      cwd: platform === 'win32' ? call.cwd : cwd,
      // The mark says that this is an examination and not the client.
      env: { ...definedOf(machine.env), HOME: home, USERPROFILE: home, OPENVIKING_HOOK_DEPTH: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [rest, errors] = ['', ''];
    let result: McpProbe | undefined;
    const finish = (probe: McpProbe): void => {
      result ??= probe;
      child.stdin.destroy();
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => finish({ kind: 'silent', message: lastLine(errors) }), LIMIT_MS);
    const abort = (): void => finish({ kind: 'silent', message: '' });
    machine.signal.addEventListener('abort', abort, { once: true });
    const send = (message: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    };
    const take = (line: string): void => {
      const message = parse(line);
      if (message === undefined || message['id'] === undefined) return;
      const { error, result: answer } = message;
      if (isObject(error)) return finish({ kind: 'refused', message: String(error['message'] ?? '').slice(0, 300) });
      if (message['id'] === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list' });
      } else if (message['id'] === 2 && isObject(answer)) {
        const tools = Array.isArray(answer['tools']) ? answer['tools'].length : 0;
        finish({ kind: 'tools', count: tools, answeredInMs: performance.now() - start });
      }
    };
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors = (errors + chunk).slice(-2_000)));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = (lines.pop() ?? '').slice(0, LONGEST);
      for (const line of lines) take(line);
    });
    child.on('error', (error) => finish({ kind: 'silent', status: 'not started', message: error.message }));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      machine.signal.removeEventListener('abort', abort);
      resolve(result ?? { kind: 'silent', status: code ?? signal ?? 'unknown', message: lastLine(errors) });
    });
    send({
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'openviking-install', version: machine.version },
      },
    });
  });
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').slice(0, 300);
}

function definedOf(env: Machine['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
