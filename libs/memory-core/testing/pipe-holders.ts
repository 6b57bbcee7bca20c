/**
 * Who holds the stdout or stderr of a process that has ended. A driver that only waits for their end cannot tell a worker
 * that keeps a host waiting from its own slowness on a loaded machine. Reads `/proc`, so it knows nothing on other systems.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { censusAvailable } from './process-census.ts';
import type { LivingProcess } from './process-census.ts';

/** What stdout and stderr of a living process are, as `/proc` spells it; undefined where that cannot be known. */
export function outputsOf(pid: number | undefined): readonly string[] | undefined {
  if (!censusAvailable || pid === undefined) return undefined;
  try {
    return [1, 2].map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
  } catch {
    // It has ended already.
    return undefined;
  }
}

/** Processes that have one of these open; undefined when it cannot be known. */
export function holdersOf(outputs: readonly string[] | undefined): readonly LivingProcess[] | undefined {
  if (outputs === undefined) return undefined;
  const found: LivingProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || !hasOpen(name, outputs)) continue;
    try {
      const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').filter(Boolean);
      found.push({ pid: Number(name), commandLine });
    } catch {
      // Gone meanwhile: it holds nothing any more.
    }
  }
  return found;
}

function hasOpen(pid: string, targets: readonly string[]): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((descriptor) => targets.includes(target(`${folder}/${descriptor}`)));
  } catch {
    // Gone meanwhile, or not ours to look at.
    return false;
  }
}

/** What a descriptor is open on; empty when it was closed meanwhile. */
function target(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}
