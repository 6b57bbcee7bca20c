/** Runs one of our command-line programs to its end, in a scratch home and with nothing of the tester's environment. */
import { spawn } from 'node:child_process';
import { homeEnvironment } from '@openviking/memory-core/testing';

export interface ProgramRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `program` is a `.mjs` file; `stdin` is written and closed. Rejects after `timeoutMs` (4 min). */
export function runProgram(
  program: string,
  args: readonly string[],
  options: {
    readonly home: string;
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly stdin?: string;
    readonly timeoutMs?: number;
  },
): Promise<ProgramRun> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: options.cwd ?? options.home,
      env: homeEnvironment(options.home, { NO_COLOR: '1', ...options.env }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      failed(new Error(`${program} ${args.join(' ')} did not end\n${stdout}\n${stderr}`));
    }, options.timeoutMs ?? 240_000);
    child.once('error', failed);
    child.once('close', (exitCode) => {
      clearTimeout(limit);
      done({ exitCode, stdout, stderr });
    });
  });
}
