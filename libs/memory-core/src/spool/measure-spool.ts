/**
 * The limit of what may lie undelivered: reached, capture stops and says so. Nothing is deleted, the prompts wait in the
 * journal, and capture goes on when there is room. Measuring looks at every record, so that hooks do it only where the
 * note says that the limit may be reached, see `spool-size.ts`.
 */
import { statSync } from 'node:fs';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { inside } from '../fs/path.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';
import { ConversationFolder, listNames, markedSessions } from './conversation-folder.ts';
import { lengthFor, mayBeFull, mostWaiting, sizeNotePath } from './spool-size.ts';

/** That a large spool is full is believed for so long, in ms: by then it is slow to measure and slow to change. */
const BELIEVED_FOR_MS = 30_000;
/** Records that are counted anew at every look where the limit may be reached. */
const FEW = 200;
/** A measurement is repeated after this time, in ms: a killed hook, or an older program's, may have noted nothing. */
const MEASURED_FOR_MS = 10 * 60_000;
/** What may have been delivered since, in bytes, before a worker measures again. */
const DELIVERED_UNNOTED = 16 * 1024;

interface Measurement {
  /** ms since 1970. */
  readonly at: number;
  readonly bytes: number;
  readonly records: number;
}

const NONE: Measurement = { at: -Infinity, bytes: 0, records: 0 };

/** True when the records that wait take `maxBytes` or more; 0 = no limit. */
export function isSpoolFull(spool: string, maxBytes: number, now = Date.now()): boolean {
  if (!mayBeFull(spool, maxBytes)) return false;
  const { bytes, records, at } = lastMeasurement(spool) ?? NONE;
  if (bytes >= maxBytes && records > FEW && isWithin(at, BELIEVED_FOR_MS, now)) return true;
  return measureSpool(spool, now) >= maxBytes;
}

/** For the worker, when it has done its work: hooks then seldom have to measure, and see at once that there is room. */
export function keepMeasured(spool: string, hasDelivered: boolean, now = Date.now()): void {
  const { at } = lastMeasurement(spool) ?? NONE;
  const isOld = !isWithin(at, MEASURED_FOR_MS, now);
  if (isOld || (hasDelivered && mostWaiting(spool) >= DELIVERED_UNNOTED)) measureSpool(spool, now);
}

/** Somebody has taken records away: the next hook that asks measures. */
export function forgetMeasurement(spool: string): void {
  removeQuietly(sizeNotePath(spool));
}

/** What waits, in bytes, by a look at every record; notes it. */
function measureSpool(spool: string, now: number): number {
  const before = mostWaiting(spool);
  let bytes = 0;
  let records = 0;
  for (const session of markedSessions(spool)) {
    const folder = new ConversationFolder(spool, session).records;
    for (const name of listNames(folder)) {
      bytes += sizeOf(inside(folder, name));
      records += 1;
    }
  }
  const measured: Measurement = { at: now, bytes, records };
  keepIfPossible(() => {
    // What was captured meanwhile may have been seen or not.
    const meanwhile = mostWaiting(spool) - before;
    const length = lengthFor(bytes + (meanwhile > 0 && meanwhile < Infinity ? meanwhile : 0));
    writeFileAtomic(sizeNotePath(spool), JSON.stringify(measured).padEnd(length));
  });
  return bytes;
}

function lastMeasurement(spool: string): Measurement | undefined {
  if (mostWaiting(spool) === Infinity) return undefined;
  const { at, bytes, records } = readJsonObject(sizeNotePath(spool)) ?? {};
  return typeof at === 'number' && typeof bytes === 'number' && typeof records === 'number'
    ? { at, bytes, records }
    : undefined;
}

/** False for a time in the future, too: the clock was set back since. */
function isWithin(at: number, ms: number, now: number): boolean {
  return at <= now && now - at < ms;
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    // Delivered in between.
    return 0;
  }
}
