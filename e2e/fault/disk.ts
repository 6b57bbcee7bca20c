/**
 * How the disk misbehaves in a run: errors as file systems give them that are not what they seem. Injected where all file
 * operations of the product go through, in the test build only.
 */
import type { Random } from './random.ts';

/** Kinds of disk by name, as `OPENVIKING_DISK_FAULTS` spells them; of several spellings one is drawn. */
const DISKS: Readonly<Record<string, readonly string[]>> = {
  // NFS: a request that reached the server twice was done the first time and is refused the second time.
  'disk-share': [
    'renameSync:ENOENT:after:0.06,renameSync:EIO:after:0.03,renameSync:ESTALE:before:0.06,' +
      'linkSync:EEXIST:after:0.1,linkSync:ESTALE:before:0.05,unlinkSync:ENOENT:after:0.06,mkdirSync:EEXIST:after:0.2',
  ],
  // Windows: a virus scanner or an indexer has the file.
  'disk-busy': [
    'renameSync:EBUSY:before:0.08,renameSync:EPERM:before:0.08,renameSync:EACCES:before:0.08,' +
      'renameSync:EEXIST:before:0.04,unlinkSync:EBUSY:before:0.08,unlinkSync:EPERM:before:0.08',
  ],
  // exFAT and some shares have no links; it is their nature, so it is so for every process.
  'disk-without-links': ['linkSync:EPERM:before:1', 'linkSync:ENOTSUP:before:1', 'linkSync:EMLINK:before:1'],
};

export const DISK_KINDS: readonly string[] = Object.keys(DISKS);

/** What the disk of a run does: the chosen kinds together. Empty: it is sound. */
export function drawDisk(random: Random, kinds: readonly string[]): string {
  const unknown = kinds.find((kind) => DISKS[kind] === undefined);
  if (unknown !== undefined) throw new Error(`unknown kind of disk: ${unknown}; known are ${DISK_KINDS.join(', ')}`);
  return kinds
    .map((kind) => DISKS[kind] ?? [])
    .map((spellings) => spellings[random.whole(0, spellings.length - 1)] ?? '')
    .join(',');
}

/** How often each kind was met, from the lines that the processes have left. */
export function countDiskFaults(lines: readonly string[]): Readonly<Record<string, number>> {
  const met: Record<string, number> = {};
  for (const line of lines) {
    const [operation = '', code = '', when = ''] = line.split(' ');
    const kind = DISK_KINDS.find((name) =>
      DISKS[name]?.some((spelling) =>
        spelling.split(',').some((fault) => fault.startsWith(`${operation}:${code}:${when}:`)),
      ),
    );
    if (kind !== undefined) met[kind] = (met[kind] ?? 0) + 1;
  }
  return met;
}
