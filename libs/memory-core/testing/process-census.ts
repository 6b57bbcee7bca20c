/**
 * Finds the processes that live in a scratch home. Detached workers have no parent to ask, so a leaked one would go on
 * unnoticed, and a secret in a command line would too. Reads `/proc`, so it sees nothing on other systems.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface LivingProcess {
  readonly pid: number;
  readonly commandLine: readonly string[];
}

/** True where the census can see processes at all. */
export const censusAvailable = process.platform === 'linux';

/** Processes whose environment says `HOME=<home>`, zombies left out. */
export function processesOfHome(home: string): readonly LivingProcess[] {
  return look(home).found;
}

interface Look {
  readonly found: readonly LivingProcess[];
  /** A process was just then being made into another program, which may be one of the home. */
  readonly isUnsure: boolean;
}

function look(home: string): Look {
  const found: LivingProcess[] = [];
  let isUnsure = false;
  const seen = new Set<string>();
  const unseen = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !seen.has(name));
  // One that ended since its name was read may have started another one before: until no name is new.
  for (let names = censusAvailable ? unseen() : []; names.length > 0; names = unseen()) {
    for (const name of names) {
      seen.add(name);
      const pid = Number(name);
      if (pid === process.pid) continue;
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
        const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').filter(Boolean);
        if (commandLine.length === 0) isUnsure ||= isStarting(name);
        else if (environment.includes(`HOME=${home}`)) found.push({ pid, commandLine });
      } catch {
        // Gone meanwhile, or not ours to look at.
      }
    }
  }
  return { found, isUnsure };
}

/** Without a command line are threads of the system, zombies, and for a moment a process that starts a program. */
function isStarting(name: string): boolean {
  try {
    return readlinkSync(`/proc/${name}/exe`) !== '';
  } catch {
    return false;
  }
}

/** How long a process may take to start a program, in ms: one that never has a command line keeps nobody waiting. */
const STARTING_MS = 2_000;

/** Waits until no process lives in `home`; returns those still there after `waitMs`, which only ends what hangs. */
export async function untilHomeIsQuiet(home: string, waitMs = 120_000): Promise<readonly LivingProcess[]> {
  const begin = performance.now();
  for (;;) {
    const { found, isUnsure } = look(home);
    const waited = performance.now() - begin;
    if ((found.length === 0 && !(isUnsure && waited < STARTING_MS)) || waited > waitMs) return found;
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** More often than processes start each other while they are killed. */
const KILLS = 50;

/**
 * Kills what still lives in a scratch home, and what was being started meanwhile; returns what it found first. Only ever aims
 * at processes whose HOME is that very folder.
 */
export function killProcessesOfHome(home: string): readonly LivingProcess[] {
  const first = processesOfHome(home);
  for (let living = first, kills = 1; living.length > 0 && kills <= KILLS; living = processesOfHome(home), kills += 1) {
    for (const { pid } of living) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Ended by itself.
      }
    }
  }
  return first;
}
