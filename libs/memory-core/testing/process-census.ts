/**
 * Finds the processes that live in a scratch home. Detached workers have no parent to ask, so a leaked one would go on
 * unnoticed, and a secret in a command line would too. Reads `/proc`, so it sees nothing on other systems.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface LivingProcess {
  readonly pid: number;
  readonly commandLine: readonly string[];
}

/** True where the census can see processes at all. */
export const censusAvailable = process.platform === 'linux';

/** Processes whose environment says `HOME=<home>`, zombies left out. */
export function processesOfHome(home: string): readonly LivingProcess[] {
  if (!censusAvailable) return [];
  const found: LivingProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    if (pid === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      if (!environment.includes(`HOME=${home}`)) continue;
      const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').filter(Boolean);
      if (commandLine.length > 0) found.push({ pid, commandLine });
    } catch {
      // Gone meanwhile, or not ours to look at.
    }
  }
  return found;
}

/** Waits until no process lives in `home`; returns those still there after `waitMs`. */
export async function untilHomeIsQuiet(home: string, waitMs: number): Promise<readonly LivingProcess[]> {
  const until = performance.now() + waitMs;
  for (;;) {
    const living = processesOfHome(home);
    if (living.length === 0 || performance.now() > until) return living;
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** Kills what still lives in a scratch home. Only ever aims at processes whose HOME is that very folder. */
export function killProcessesOfHome(home: string): readonly LivingProcess[] {
  const living = processesOfHome(home);
  for (const { pid } of living) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended by itself.
    }
  }
  return living;
}
