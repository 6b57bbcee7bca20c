/**
 * How many memories the embedded server keeps, told without starting it: a purge asks before it deletes them, and a size in
 * kilobytes says nothing to whoever has to answer. Only the server's package has SQLite, and a running server locks its
 * file, so the rows are counted in the file format itself, where each page says how many it holds.
 * Source: https://www.sqlite.org/fileformat2.html
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TABLE = 'memory';
const HEADER = 'SQLite format 3\0';
/** Kinds of pages of a table. */
const LEAF = 0x0d;
const INTERIOR = 0x05;
const FILE_HEADER = 100;
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Deeper than any tree of this size can be: the file is damaged. */
const DEEPEST = 16;

/** Undefined where there is no such file or it is not as expected: nothing is guessed. Never throws. */
export function countMemories(path: string): number | undefined {
  let database: number | undefined;
  let log: number | undefined;
  try {
    database = openSync(path, 'r');
    log = openIfThere(`${path}-wal`);
    return rowsIn(pagesOf(database, log));
  } catch {
    return undefined;
  } finally {
    for (const handle of [database, log]) if (handle !== undefined) closeSync(handle);
  }
}

/** Reads a page by its number, which counts from 1. */
type Pages = (number: number) => Buffer;

function pagesOf(database: number, log: number | undefined): Pages {
  const header = bytesAt(database, 0, FILE_HEADER);
  if (header.toString('latin1', 0, HEADER.length) !== HEADER) throw new Error('no database');
  const size = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const newer = log === undefined ? new Map<number, number>() : committedPages(log, size);
  return (number) => {
    const place = newer.get(number);
    return log !== undefined && place !== undefined
      ? bytesAt(log, place, size)
      : bytesAt(database, (number - 1) * size, size);
  };
}

/** Where the log holds a newer form of a page: the last one that belongs to a finished transaction. */
function committedPages(log: number, size: number): ReadonlyMap<number, number> {
  const end = fstatSync(log).size;
  const committed = new Map<number, number>();
  if (end < LOG_HEADER) return committed;
  const header = bytesAt(log, 0, LOG_HEADER);
  const salt = header.subarray(16, 24);
  if (header.readUInt32BE(8) !== size) return committed;
  const open = new Map<number, number>();
  for (let at = LOG_HEADER; at + FRAME_HEADER + size <= end; at += FRAME_HEADER + size) {
    const frame = bytesAt(log, at, FRAME_HEADER);
    // What is left of an earlier round of the log has another salt.
    if (!frame.subarray(8, 16).equals(salt)) break;
    open.set(frame.readUInt32BE(0), at + FRAME_HEADER);
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [number, place] of open) committed.set(number, place);
    open.clear();
  }
  return committed;
}

function rowsIn(pages: Pages): number | undefined {
  let root: number | undefined;
  for (const { page, start } of leavesBelow(pages, 1, 0)) {
    for (let index = 0; index < page.readUInt16BE(start + 3); index += 1) {
      root ??= rootOf(page, page.readUInt16BE(start + 8 + 2 * index));
    }
  }
  if (root === undefined) return undefined;
  let rows = 0;
  for (const { page, start } of leavesBelow(pages, root, 0)) rows += page.readUInt16BE(start + 3);
  return rows;
}

interface Leaf {
  readonly page: Buffer;
  /** Where the header of the page begins: the first page has that of the file before it. */
  readonly start: number;
}

function* leavesBelow(pages: Pages, number: number, depth: number): Generator<Leaf> {
  if (depth > DEEPEST) throw new Error('damaged');
  const page = pages(number);
  const start = number === 1 ? FILE_HEADER : 0;
  const kind = page[start];
  if (kind === LEAF) yield { page, start };
  else if (kind !== INTERIOR) throw new Error('damaged');
  else {
    for (let index = 0; index < page.readUInt16BE(start + 3); index += 1) {
      const cell = page.readUInt16BE(start + 12 + 2 * index);
      yield* leavesBelow(pages, page.readUInt32BE(cell), depth + 1);
    }
    yield* leavesBelow(pages, page.readUInt32BE(start + 8), depth + 1);
  }
}

/** Of a row of the schema (type, name, table, root page, text): the root page where it is our table's. */
function rootOf(page: Buffer, cell: number): number | undefined {
  // Size of the row, number of the row; then the row: size of its header, the kinds of its columns, their values.
  const [, afterSize] = numberAt(page, cell);
  const [, header] = numberAt(page, afterSize);
  const [headerSize, firstKind] = numberAt(page, header);
  const kinds: number[] = [];
  for (let at = firstKind; at < header + headerSize && kinds.length < 4;) {
    const [kind, next] = numberAt(page, at);
    kinds.push(kind);
    at = next;
  }
  let at = header + headerSize;
  const values = kinds.map((kind) => {
    const length = kind >= 12 ? Math.floor((kind - 12) / 2) : ([0, 1, 2, 3, 4, 6, 8, 8, 0, 0][kind] ?? 0);
    const value = page.subarray(at, at + length);
    at += length;
    return value;
  });
  const [type, name, , root] = values;
  if (type?.toString() !== 'table' || name?.toString() !== TABLE || root === undefined || root.length === 0) {
    return undefined;
  }
  return root.readUIntBE(0, Math.min(root.length, 6));
}

/** A number of one to nine bytes, and where it ends. */
function numberAt(page: Buffer, at: number): readonly [value: number, next: number] {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = page.readUInt8(at + index);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  return [value * 256 + page.readUInt8(at + 8), at + 9];
}

function bytesAt(handle: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (readSync(handle, bytes, 0, length, position) !== length) throw new Error('cut off');
  return bytes;
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}
