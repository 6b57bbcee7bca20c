/** Runs the built installer as a process in a scratch home, with a small payload of its own. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface InstallerProcess {
  readonly folder: string;
  /** Runs the shipped program. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Runs it with a stop at a point of its transaction. */
  runStopped(point: number | 'every', action: string, args: readonly string[], options?: RunOptions): Promise<Run>;
  remove(): void;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
  /** Called with the process id as soon as it runs. */
  readonly started?: (pid: number) => void;
}

/** A port on which nothing listens: connections are refused at once. */
export const NO_SERVER = 'http://127.0.0.1:9';

const HERE = dirname(fileURLToPath(import.meta.url));

/** A copy of the installer that was built for all test files (build-fixture.mjs); `version` is that of the payload. */
export function buildInstaller(version = '1.0.0'): InstallerProcess {
  const built = join(process.env['OPENVIKING_TEST_INSTALLERS'] ?? '', version);
  if (!existsSync(built)) throw new Error(`No installer of version ${version} was built: see build-fixture.mjs.`);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-installer-')));
  cpSync(built, folder, { recursive: true });
  return {
    folder,
    run: (args, options) =>
      whileSlow(args, () => start([join(folder, 'bin/openviking-install.mjs'), ...args], options)),
    runStopped: (point, action, args, options) =>
      start([join(folder, 'dist/stopped.mjs'), '--at', String(point), action, ...args], options),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs the installer as it was built for shipping, with the real payloads. */
export function runShipped(args: readonly string[], options?: RunOptions): Promise<Run> {
  return start([join(HERE, '../../bin/openviking-install.mjs'), ...args], options);
}

/**
 * Where the machine is so busy that the test's own server keeps an answer waiting, doctor says so: it looks again, a few times.
 * Not where it repairs: what is repaired is no longer there the second time.
 */
async function whileSlow(args: readonly string[], look: () => Promise<Run>): Promise<Run> {
  const isRepeatable = args[0] === 'doctor' && !args.includes('--fix');
  for (let tries = 1; ; tries += 1) {
    const run = await look();
    const isSlow = /server\/slow|for its simplest answer|最简单的请求/.test(run.stdout);
    if (!isRepeatable || !isSlow || tries === 10) return run;
  }
}

function start(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return new Promise((resolve, reject) => {
    // No client on PATH: the version of a real one must not change what is expected here.
    const env = { PATH: '/usr/bin:/bin', TMPDIR: tmpdir(), LANG: 'C.UTF-8', HOME: '/nonexistent', ...options.env };
    const child = spawn(process.execPath, args, { env, cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    if (child.pid !== undefined) options.started?.(child.pid);
  });
}
