/**
 * Every call that changes the disk, in one place: a test build counts them and kills the process at any chosen one, so
 * that "a kill at any point" is tried at every point and not believed.
 */
import * as system from 'node:fs';

/** Set by the bundler: true only in the build that the fault tests run. */
declare const CRASH_POINTS: boolean;

export const chmodSync = step(system.chmodSync);
export const appendFileSync = step(system.appendFileSync);
export const fchmodSync = step(system.fchmodSync);
export const fsyncSync = step(system.fsyncSync);
export const linkSync = step(system.linkSync);
export const mkdirSync = step(system.mkdirSync);
export const openSync = step(system.openSync);
export const renameSync = step(system.renameSync);
export const rmSync = step(system.rmSync);
export const unlinkSync = step(system.unlinkSync);
export const utimesSync = step(system.utimesSync);
export const writeSync = step(system.writeSync);

/** The operation itself; in the test build one that dies first when its number has come. */
function step<Operation extends (...parameters: never[]) => unknown>(operation: Operation): Operation {
  if (typeof CRASH_POINTS === 'undefined' || !CRASH_POINTS) return operation;
  return ((...parameters: never[]) => {
    countDown(operation.name);
    return operation(...parameters);
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
