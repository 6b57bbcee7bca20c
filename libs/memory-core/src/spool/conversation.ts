/**
 * Records and cursor of one conversation in the spool: what makes "captured" and "delivered" durable, each in one atomic
 * step. The layout is described in `conversation-folder.ts`.
 */
import { existsSync } from 'node:fs';
import { inside } from '../fs/path.ts';
import { OpenVikingError, systemCode } from '../errors/error.ts';
import { createExclusive } from '../fs/exclusive.ts';
import { flushFile, flushFolder } from '../fs/flush.ts';
import { ensureOwnFolder } from '../fs/folder.ts';
import { readOwn } from '../fs/read-own.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';
import { ConversationFolder, listNames, QUEUE } from './conversation-folder.ts';
import { EMPTY_CURSOR, parseRecord, type CaptureCursor, type SpoolRecord } from './record.ts';
import { noteGrowth } from './spool-size.ts';

/** What a hook gets done while the disk works on its record, which is there for every process. */
export type Meanwhile = () => void;

export class Conversation extends ConversationFolder {
  /** Sequence numbers of the records, ascending. */
  sequence(): number[] {
    return listNumbers(this.records);
  }

  /** The record, or undefined when it is gone (delivered) or is not one. */
  read(seq: number): SpoolRecord | undefined {
    try {
      return parseRecord(readOwn(this.recordPath(seq)));
    } catch (error) {
      // ENOENT; ELOOP, EISDIR, ENXIO: a link, a folder, a socket.
      if (['ENOENT', 'ELOOP', 'EISDIR', 'ENXIO'].includes(systemCode(error) ?? '')) return undefined;
      throw error;
    }
  }

  recordPath(seq: number): string {
    return inside(this.records, `${String(seq).padStart(12, '0')}.json`);
  }

  /**
   * The newest cursor and the next free number. The worker writes `cursor.json` before it removes a record: looking at
   * the records first and at the file last therefore never misses both.
   */
  captureState(): { cursor: CaptureCursor; newest: number | undefined; nextSeq: number } {
    const sequence = this.sequence();
    const highest = sequence.at(-1) ?? 0;
    // Newest first; one that vanished meanwhile was delivered, one that cannot be read is doctor's business.
    let newest: SpoolRecord | undefined;
    for (let index = sequence.length - 1; index >= 0 && newest === undefined; index -= 1)
      newest = this.read(sequence[index] ?? 0);
    const delivered = this.deliveredCursor();
    const cursor = newest !== undefined && newest.seq > delivered.seq ? newest.cursor : delivered.cursor;
    return { cursor, newest: newest?.seq, nextSeq: Math.max(highest, delivered.seq) + 1 };
  }

  deliveredCursor(): { seq: number; cursor: CaptureCursor } {
    try {
      const value = JSON.parse(readOwn(inside(this.folder, 'cursor.json'))) as {
        seq?: unknown;
        cursor?: CaptureCursor;
      };
      if (typeof value.seq === 'number' && Array.isArray(value.cursor?.turns))
        return { seq: value.seq, cursor: value.cursor };
    } catch {
      // None yet.
    }
    return { seq: 0, cursor: EMPTY_CURSOR };
  }

  /** Only for the holder of the delivery lock. */
  writeDeliveredCursor(seq: number, cursor: CaptureCursor): void {
    writeFileAtomic(inside(this.folder, 'cursor.json'), JSON.stringify({ seq, cursor }), { durable: true });
  }

  /**
   * Appends one record durably. `build` gets the newest cursor and returns the record, or undefined when there is nothing
   * left to capture; it runs again when another hook was faster, so that two hooks at once never store a turn twice.
   *
   * A free number alone does not prove that nobody was faster: while `build` ran, another hook's record may have got the
   * number and been delivered and removed. But the delivered cursor is written before a record is removed, so a record
   * whose number it has passed is stale: it is taken back here, and delivery leaves out what a killed hook could not.
   *
   * Resolves when the record and its name are on disk. Content and name are flushed together, which takes the disk half as
   * long as one after the other: a power cut in between may leave a name without its content, which is no record, and
   * nobody was told that the turn was captured.
   */
  async append(
    build: (cursor: CaptureCursor) => Omit<SpoolRecord, 'version' | 'seq' | 'session'> | undefined,
    meanwhile?: Meanwhile,
  ): Promise<SpoolRecord | undefined> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { cursor, newest, nextSeq } = this.captureState();
      const draft = build(cursor);
      if (draft === undefined) return undefined;
      const record: SpoolRecord = { version: 1, seq: nextSeq, session: this.session, ...draft };
      const path = this.recordPath(nextSeq);
      const text = JSON.stringify(record);
      if (!createExclusive(path, text)) continue;
      if (this.deliveredCursor().seq >= nextSeq) {
        removeQuietly(path);
        continue;
      }
      // What this one says is captured must not outlast the record that holds it: another hook may still be flushing that.
      const files = newest === undefined ? [path] : [path, this.recordPath(newest)];
      const folders = nextSeq === 1 ? [this.records, this.folder, this.spool] : [this.records];
      const flushed = Promise.all([...files.map(flushFile), ...folders.map(flushFolder)]);
      try {
        this.mark();
        noteGrowth(this.spool, Buffer.byteLength(text));
        meanwhile?.();
      } finally {
        // Whatever else fails: where both do, the disk is what is told, and a flush is never left without a listener.
        await flushed;
      }
      return record;
    }
    throw new OpenVikingError({
      code: 'spool/contended',
      message: `No free record number in ${this.records} after 50 tries.`,
      next: 'The turn stays in the journal and is captured at the next event.',
    });
  }

  /** Says that this conversation has work; always after the work is there. */
  mark(): void {
    const folder = inside(this.spool, QUEUE);
    ensureOwnFolder(folder);
    writeMark(inside(folder, this.session));
  }

  /** Takes the mark away. The caller looks for records once more afterwards: one may have come in between. */
  unmark(): void {
    removeQuietly(inside(this.spool, QUEUE, this.session));
  }

  hasRecords(): boolean {
    return this.sequence().length > 0;
  }
}

function listNumbers(folder: string): number[] {
  const numbers: number[] = [];
  for (const name of listNames(folder)) {
    const match = /^(\d{12})\.json$/u.exec(name);
    if (match?.[1] !== undefined) numbers.push(Number(match[1]));
  }
  return numbers;
}

function writeMark(path: string): void {
  if (!existsSync(path)) writeFileAtomic(path, '');
}
