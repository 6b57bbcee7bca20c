/**
 * Reads a `.tgz` in memory and gives back plain files, or says why not. An archive is somebody else's word on where to write
 * what: a path that leads out, a link, a device or a bomb is refused before anything touches the disk. Our archives hold
 * nothing but files and folders with short names, so nothing else is understood. Pure.
 */
import { gunzipSync } from 'node:zlib';
import { systemCode } from '@openviking/memory-core/full';

/** What is wrong, in one word; the messages say it in sentences. */
export type ArchiveFault =
  'not-gzip' | 'truncated' | 'header' | 'path' | 'kind' | 'twice' | 'too-many' | 'too-large' | 'trailing' | 'empty';

export class BadArchive extends Error {
  readonly fault: ArchiveFault;
  /** The entry that it is about, fit to be shown. */
  readonly entry: string | undefined;

  constructor(fault: ArchiveFault, entry?: string) {
    super(entry === undefined ? fault : `${fault}: ${entry}`);
    this.fault = fault;
    this.entry = entry;
  }
}

export interface ArchiveLimits {
  readonly entries: number;
  /** Of all of it unpacked, headers included. */
  readonly bytes: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = { entries: 2_000, bytes: 64 * 1024 * 1024 };

const BLOCK = 512;
const LONGEST_PATH = 200;
/** Names that Windows has for devices, whatever comes behind a dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Path with `/` → content, of files only. Throws `BadArchive`. */
export function readArchive(packed: Uint8Array, limits = ARCHIVE_LIMITS): ReadonlyMap<string, Buffer> {
  const bytes = unpack(packed, limits);
  const files = new Map<string, Buffer>();
  /** By their names in lower case: some file systems tell no more apart. */
  const kinds = new Map<string, 'file' | 'folder'>();
  let entries = 0;
  for (let offset = 0; ;) {
    if (offset + BLOCK > bytes.length) throw new BadArchive('truncated');
    const header = bytes.subarray(offset, offset + BLOCK);
    if (isZero(header)) {
      if (!isZero(bytes.subarray(offset))) throw new BadArchive('trailing');
      if (files.size === 0) throw new BadArchive('empty');
      return files;
    }
    entries += 1;
    if (entries > limits.entries) throw new BadArchive('too-many');
    const { path, kind, size } = entryOf(header);
    const content = bytes.subarray(offset + BLOCK, offset + BLOCK + size);
    if (content.length < size) throw new BadArchive('truncated', shown(path));
    enter(kinds, path, kind);
    if (kind === 'file') files.set(path, content);
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function unpack(packed: Uint8Array, { bytes }: ArchiveLimits): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: bytes });
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') throw new BadArchive('too-large');
    throw new BadArchive(systemCode(error) === 'Z_BUF_ERROR' ? 'truncated' : 'not-gzip');
  }
}

function entryOf(header: Buffer): { readonly path: string; readonly kind: 'file' | 'folder'; readonly size: number } {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  if (numberAt(header, 148, 8) !== sum) throw new BadArchive('header');
  const name = textAt(header, 0, 100);
  const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
  const path = prefix === '' ? name : `${prefix}/${name}`;
  const type = String.fromCharCode(header[156] ?? 0);
  // Links, devices, pipes, and every extension that could rename what follows.
  if (!['0', '\0', '5'].includes(type) || textAt(header, 157, 100) !== '') throw new BadArchive('kind', shown(path));
  const kind = type === '5' ? 'folder' : 'file';
  const size = numberAt(header, 124, 12);
  if (kind === 'folder' && size > 0) throw new BadArchive('header', shown(path));
  const plain = kind === 'folder' ? path.replace(/\/$/, '') : path;
  if (!isInside(plain)) throw new BadArchive('path', shown(path));
  return { path: plain, kind, size };
}

/** Every folder above it is one, and nothing else has its name. */
function enter(kinds: Map<string, 'file' | 'folder'>, path: string, kind: 'file' | 'folder'): void {
  const parts = path.toLowerCase().split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const above = parts.slice(0, length).join('/');
    if (kinds.get(above) === 'file') throw new BadArchive('twice', shown(path));
    kinds.set(above, 'folder');
  }
  const key = parts.join('/');
  const there = kinds.get(key);
  if (there !== undefined && (there === 'file' || kind === 'file')) throw new BadArchive('twice', shown(path));
  kinds.set(key, kind);
}

/** A path that stays below where it is put, on every system, and is the same there as here. */
function isInside(path: string): boolean {
  if (path === '' || path.length > LONGEST_PATH || !/^[\x20-\x7e]+$/.test(path) || /[\\:*?"<>|]/.test(path))
    return false;
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/[. ]$|^ /.test(part) && !DEVICE.test(part));
}

function numberAt(header: Buffer, offset: number, length: number): number {
  const text = textAt(header, offset, length).trim();
  if (!/^[0-7]+$/.test(text)) throw new BadArchive('header');
  return Number.parseInt(text, 8);
}

function textAt(header: Buffer, offset: number, length: number): string {
  const field = header.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end);
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

/** No control characters: it may be shown on a terminal. */
function shown(path: string): string {
  return path.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_PATH);
}
