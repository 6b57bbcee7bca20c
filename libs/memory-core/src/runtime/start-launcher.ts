/**
 * Starts what the installer has put on the machine, by its launcher. Hooks and installer start it by the same rule: since
 * 20.12 Node.js refuses to start a `.cmd` file without a shell, and no quoting survives cmd's rules for every path.
 */
import type { ChildProcess } from 'node:child_process';
import { startDetached } from './start-worker.ts';

/** How a launcher is called on a platform. */
export interface LauncherCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/**
 * `args` are plain words. On Windows the path of the launcher travels as working directory, so that the command line holds
 * none; elsewhere the working directory is `home`. Pure.
 */
export function launcherCall(
  launcher: string,
  args: readonly string[],
  { platform, home }: { readonly platform: NodeJS.Platform; readonly home: string },
): LauncherCall {
  if (platform !== 'win32') return { file: launcher, args, cwd: home };
  const cut = launcher.lastIndexOf('\\');
  return { file: 'cmd.exe', args: ['/d', '/c', `.\\${launcher.slice(cut + 1)}`, ...args], cwd: launcher.slice(0, cut) };
}

/** Starts it in a process of its own that outlives this one. Never throws; undefined when the system refuses. */
export function startLauncher(
  launcher: string,
  args: readonly string[],
  options: { readonly home: string; readonly env: NodeJS.ProcessEnv; readonly platform?: NodeJS.Platform },
): ChildProcess | undefined {
  const { home, env, platform = process.platform } = options;
  const call = launcherCall(launcher, args, { platform, home });
  return startDetached(call.file, call.args, call.cwd, env);
}
