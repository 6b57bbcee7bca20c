/** A scratch home with the product installed by its own installer, as a user has it. */
import { expect } from '@jest/globals';
import { createTemporaryHome, killProcessesOfHome } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { INSTALLER } from './artefacts.ts';
import { runProgram } from './program.ts';
import type { ProgramRun } from './program.ts';

/** Runs `openviking-install` on a scratch home. */
export function runInstaller(
  home: TemporaryHome,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly stdin?: string } = {},
): Promise<ProgramRun> {
  return runProgram(INSTALLER, [...args, '--home', home.path], { home: home.path, ...options });
}

/** Installs for ZCode against `url` and expects success. `name` is the name of the home folder. */
export async function installedHome(url: string, apiKey: string, name?: string): Promise<TemporaryHome> {
  const home = createTemporaryHome(name);
  home.makeFolder('.zcode/cli');
  const args = ['install', '--harness', 'zcode', '--url', url, '--api-key-stdin', '--yes'];
  const run = await runInstaller(home, args, { stdin: `${apiKey}\n` });
  expect(run).toMatchObject({ exitCode: 0 });
  return home;
}

/** Ends what still runs in the home and removes it. */
export function removeHome(home: TemporaryHome | undefined): void {
  if (home === undefined) return;
  killProcessesOfHome(home.path);
  home.remove();
}
