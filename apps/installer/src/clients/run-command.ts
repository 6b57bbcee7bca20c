/**
 * Runs a program of a client's: no shell, nothing on stdin, a time limit, and its whole process group ended with it. A
 * client's command that asks a question, or that hangs, must not hang the installer.
 */
import { spawn } from 'node:child_process';

export interface CommandRun {
  /** Exit code, the signal that ended it, `timeout`, or why it did not start. */
  readonly status: number | string;
  readonly stdout: string;
  /** Both streams as they came, at most 16 KiB: what a user is shown when it failed. */
  readonly output: string;
}

export interface RunCommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  /** Ends the program. */
  readonly signal?: AbortSignal;
  readonly started?: (pid: number) => void;
}

/** What to keep of stdout, in characters: lists of plugins are longer than any message. */
const LONGEST_STDOUT = 1024 * 1024;
const LONGEST_OUTPUT = 16 * 1024;

/** How long to wait for the pipes once the program has ended, in ms: something that it left running may hold them open. */
const PIPES_MS = 500;

/** Never throws. */
export function runCommand(file: string, args: readonly string[], options: RunCommandOptions): Promise<CommandRun> {
  const { cwd, env, platform, timeoutMs, signal, started } = options;
  const call = commandCall(file, args, platform);
  if (call === undefined) return Promise.resolve({ status: 'unquotable', stdout: '', output: '' });
  return new Promise((resolve) => {
    let [stdout, output] = ['', ''];
    const child = spawn(call.file, call.args, {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: what it started goes with it.
      detached: platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: call.isVerbatim,
    });
    const kill = (): void => {
      // It did not start, and group 0 would be our own.
      if (child.pid === undefined) return;
      try {
        if (platform === 'win32') child.kill('SIGKILL');
        else process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
    };
    let isDone = false;
    let grace: NodeJS.Timeout | undefined;
    const finish = (status: number | string): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener('abort', stop);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ status, stdout, output: output.trim() });
    };
    const stop = (): void => {
      kill();
      finish('interrupted');
    };
    const timer = setTimeout(() => {
      kill();
      finish('timeout');
    }, timeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout = (stdout + chunk).slice(0, LONGEST_STDOUT);
      output = (output + chunk).slice(0, LONGEST_OUTPUT);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(0, LONGEST_OUTPUT);
    });
    child.on('error', (error) => {
      output += error.message;
      finish('not started');
    });
    child.on('exit', (code, name) => {
      clearTimeout(timer);
      grace = setTimeout(() => finish(code ?? name ?? 'unknown'), PIPES_MS);
    });
    child.on('close', (code, name) => finish(code ?? name ?? 'unknown'));
    if (child.pid !== undefined) started?.(child.pid);
    if (signal?.aborted === true) stop();
  });
}

export interface CommandCall {
  readonly file: string;
  readonly args: string[];
  readonly isVerbatim: boolean;
}

/**
 * How a program is started. Since 20.12 Node.js refuses a `.cmd` file without a shell; cmd.exe takes quoted words literally,
 * except for `%`, which no quoting protects. Undefined: this cannot be said to cmd.exe. Pure.
 */
export function commandCall(file: string, args: readonly string[], platform: NodeJS.Platform): CommandCall | undefined {
  if (platform !== 'win32' || !/\.(cmd|bat)$/i.test(file)) return { file, args: [...args], isVerbatim: false };
  const words = [file, ...args];
  if (words.some((word) => /[%"\r\n]/.test(word))) return undefined;
  // With /s the outermost quotes are taken off, and what is between them stays as it is.
  const line = words.map((word) => `"${word}"`).join(' ');
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true };
}
