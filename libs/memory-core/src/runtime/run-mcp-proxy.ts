/**
 * The process around the MCP proxy: real streams, signals, and the certainty that the process ends. Clients kill, crash
 * and forget their servers; a proxy that survives them piles up by the hundred. It also keeps stdout clean: whatever a
 * library prints, or throws where nobody catches it, goes to stderr.
 */
import { createMcpProxy, type McpProxyOptions } from '../mcp/proxy.ts';

export type RunMcpProxyOptions = Omit<McpProxyOptions, 'input' | 'output' | 'env'> & {
  /** Default: the environment of the process. */
  readonly env?: McpProxyOptions['env'];
};

/** How often the parent is looked for, in ms: stdin does not close when a third process has inherited its other end. */
const PARENT_CHECK_MS = 3_000;
/** After the proxy was told to end, the process is gone within this time, in ms, whatever hangs. */
const LAST_RESORT_MS = 1_500;

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/** Serves the client on stdin and stdout until it leaves, then exits the process: 0, or 128 + n after a signal. */
export async function runMcpProxy(options: RunMcpProxyOptions): Promise<never> {
  const { stdin, stdout } = process;
  keepStdoutClean();
  let status = 0;
  const proxy = createMcpProxy({ ...options, env: options.env ?? process.env, input: stdin, output: stdout });
  const end = (reason: string, code: number): void => {
    status = code;
    proxy.close(reason);
    setTimeout(() => process.exit(status), LAST_RESORT_MS).unref();
  };
  for (const [signal, number] of Object.entries(SIGNAL_NUMBERS)) {
    process.on(signal, () => end(`signal ${signal}`, 128 + number));
  }
  process.on('uncaughtException', (error) => {
    options.log('error', `unexpected failure: ${error.stack ?? error.message}`);
    end('unexpected failure', 1);
  });
  process.on('unhandledRejection', (reason) => {
    options.log(
      'error',
      `unexpected failure: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    );
  });
  watchParent(() => end('the client process is gone', 0));
  await proxy.done;
  setTimeout(() => process.exit(status), LAST_RESORT_MS).unref();
  // The last answer may still lie in the pipe's buffer.
  await new Promise<void>((resolve) => (stdout.writable ? stdout.end(() => resolve()) : resolve()));
  process.exit(status);
}

/** Everything printed by mistake goes where clients look for logs. */
function keepStdoutClean(): void {
  const print = (...parts: unknown[]): void => void process.stderr.write(`${parts.map(String).join(' ')}\n`);
  const printing = ['log', 'info', 'debug', 'warn', 'error', 'dir', 'table', 'trace'] as const;
  Object.assign(console, Object.fromEntries(printing.map((method) => [method, print])));
  // A client that closed our stderr must not end us by that.
  process.stderr.on('error', () => undefined);
}

function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  // Started by init itself: there is nobody to follow.
  if (parent <= 1) return;
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent)) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
