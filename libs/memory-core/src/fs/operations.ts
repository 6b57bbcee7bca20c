/**
 * Every call that changes the disk, in one place: a test build counts them, kills the process at any chosen one, and lets
 * any of them fail as full disks, network shares and virus scanners do, so that "whatever the disk does" is tried and not
 * believed.
 */
/* Not imported: a bundler copies a whole module member by member to give it a name. */
const system = process.getBuiltinModule('node:fs');

/** Set by the bundler: true only in the build that the fault tests run. */
declare const CRASH_POINTS: boolean;

export const chmodSync = step(system.chmodSync);
export const appendFileSync = step(system.appendFileSync);
export const fchmodSync = step(system.fchmodSync);
export const fsync = step(system.fsync);
export const fsyncSync = step(system.fsyncSync);
export const linkSync = step(system.linkSync);
export const mkdirSync = step(system.mkdirSync);
export const openSync = step(system.openSync);
export const renameSync = step(system.renameSync);
export const rmSync = step(system.rmSync);
export const unlinkSync = step(system.unlinkSync);
export const utimesSync = step(system.utimesSync);
export const writeSync = step(system.writeSync);

/** The operation itself; in the test build one that dies or fails first when its number or its lot has come. */
function step<Operation extends (...parameters: never[]) => unknown>(operation: Operation): Operation {
  if (typeof CRASH_POINTS === 'undefined' || !CRASH_POINTS) return operation;
  return ((...parameters: never[]) => {
    countDown(operation.name);
    return misbehave(operation, parameters);
  }) as Operation;
}

let count = 0;

/**
 * `OPENVIKING_CRASH_AT=<entry>:<n>[,<entry>:<n>]`: the process whose program is `<entry>` dies before its n-th operation.
 * With `OPENVIKING_CRASH_LOG=<file>` every process leaves a line there: its program, how many operations it began, and the
 * operation that a kill kept from happening.
 */
function countDown(operation: string): void {
  const entry = /([^\\/]+)\.cjs$/u.exec(process.argv[1] ?? '')?.[1] ?? '';
  if (count === 0) process.once('exit', () => record(`${entry} ${count}`));
  count += 1;
  if (!(process.env['OPENVIKING_CRASH_AT'] ?? '').split(',').includes(`${entry}:${count}`)) return;
  record(`${entry} ${count} ${operation}`);
  process.kill(process.pid, 'SIGKILL');
}

function record(line: string): void {
  const log = process.env['OPENVIKING_CRASH_LOG'];
  if (log !== undefined) system.appendFileSync(log, `${line}\n`);
}

const drawn = new Map<string, number>();

/**
 * `OPENVIKING_DISK_FAULTS=<operation>:<code>:<before|after>:<chance>[,…]`: with this chance the operation throws this error
 * instead of being carried out, or after it was; `#n` for a chance: the first n times in this process. With
 * `OPENVIKING_DISK_FAULT_LOG=<file>` each leaves a line there.
 */
function misbehave(operation: (...parameters: never[]) => unknown, parameters: never[]): unknown {
  for (const written of (process.env['OPENVIKING_DISK_FAULTS'] ?? '').split(',')) {
    const [name, code = 'EIO', when, chance = '1'] = written.split(':');
    if (name !== operation.name) continue;
    const before = drawn.get(written) ?? 0;
    drawn.set(written, before + 1);
    if (chance.startsWith('#') ? before >= Number(chance.slice(1)) : Math.random() >= Number(chance)) continue;
    if (when === 'after') operation(...parameters);
    const log = process.env['OPENVIKING_DISK_FAULT_LOG'];
    if (log !== undefined) system.appendFileSync(log, `${name} ${code} ${when}\n`);
    throw Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name });
  }
  return operation(...parameters);
}
