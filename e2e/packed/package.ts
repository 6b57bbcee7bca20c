/**
 * What users get: the installer packed as npm packs it, and installed from that file where there is no registry. A file
 * that is missing in the package, or a dependency that has to be fetched, shows nowhere else.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../must-hold/artefacts.ts';

/** Nobody listens here: whatever asks a registry or a proxy fails at once. */
export const NOWHERE = 'http://127.0.0.1:9';

export interface PackedInstaller {
  /** What npm says that it packed: paths inside the package. */
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
  /** Size of the tarball, in bytes. */
  readonly size: number;
  /** The folder that it was installed into. */
  readonly folder: string;
  /** The package in it. */
  readonly root: string;
  /** The command as npm links it. */
  readonly program: string;
  remove(): void;
}

/** Packs the built installer and installs it into an empty folder with an empty cache and no registry. */
export async function packInstaller(): Promise<PackedInstaller> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-packed-')));
  // Another user runs it, too.
  chmodSync(scratch, 0o755);
  const folder = join(scratch, 'installed');
  mkdirSync(folder);
  try {
    const told = await npm(['pack', '--json', '--pack-destination', scratch], join(ROOT, 'apps/installer'), scratch);
    const [packed] = JSON.parse(told) as [Pick<PackedInstaller, 'files' | 'size'> & { readonly filename: string }];
    const tarball = join(scratch, packed.filename);
    await npm(['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball], folder, scratch);
    return {
      files: packed.files,
      size: packed.size,
      folder,
      root: join(folder, 'node_modules/@openviking/install'),
      program: join(folder, 'node_modules/.bin/openviking-install'),
      remove: () => rmSync(scratch, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
}

/** npm with nothing of the tester's configuration, cache or registry. */
async function npm(args: readonly string[], cwd: string, scratch: string): Promise<string> {
  const path = process.env['npm_execpath'];
  const [file, first] = path?.endsWith('.js') === true ? [process.execPath, [path]] : ['npm', []];
  const { stdout } = await promisify(execFile)(file, [...first, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: join(scratch, 'npm-home'),
      npm_config_cache: join(scratch, 'npm-cache'),
      npm_config_registry: NOWHERE,
      npm_config_update_notifier: 'false',
      npm_config_userconfig: join(scratch, 'npmrc'),
    },
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

export interface PackedRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Wall clock, in ms. */
  readonly milliseconds: number;
}

export interface PackedRunOptions {
  /** The user's home. It is the process's HOME as well: no flag says where to work. */
  readonly home: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Put before the command line. */
  readonly prefix?: readonly string[];
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/** Runs the linked command as a user does. PATH has Node.js, a shell, and no client. */
export function runPacked(
  { program }: Pick<PackedInstaller, 'program'>,
  args: readonly string[],
  { home, stdin = '', env = {}, prefix = [], owner }: PackedRunOptions,
): Promise<PackedRun> {
  const [file = '', ...rest] = [...prefix, process.execPath, program, ...args];
  const start = performance.now();
  return new Promise((done, failed) => {
    const child = spawn(file, rest, {
      cwd: home,
      env: {
        PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
        HOME: home,
        LANG: 'C.UTF-8',
        NO_COLOR: '1',
        HTTP_PROXY: NOWHERE,
        HTTPS_PROXY: NOWHERE,
        NO_PROXY: '127.0.0.1',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...owner,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    child.once('error', failed);
    child.once('close', (exitCode) => done({ exitCode, stdout, stderr, milliseconds: performance.now() - start }));
  });
}
