/** Writes archives as nobody should: every field of a header can be given, so that a reader can be lied to. */
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly name: string;
  /** `0` file, `5` folder, `2` symbolic link, `1` hard link, `3` device, … Default: file. */
  readonly type?: string;
  readonly content?: string | Uint8Array;
  readonly link?: string;
  readonly prefix?: string;
  /** Said instead of the true one. */
  readonly size?: number | string;
  readonly checksum?: number;
}

export function tarOf(entries: readonly TarEntry[], end: Uint8Array = Buffer.alloc(1024)): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), end]);
}

export function tgzOf(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tarOf(entries));
}

function blocksOf(entry: TarEntry): readonly Uint8Array[] {
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(512);
  const put = (text: string, offset: number): number => header.write(text, offset, 'utf8');
  put(entry.name, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  const size = entry.size ?? content.length;
  put(typeof size === 'string' ? size : `${size.toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  header.fill(' ', 148, 156);
  put(entry.type ?? '0', 156);
  put(entry.link ?? '', 157);
  put('ustar\x0000', 257);
  put(entry.prefix ?? '', 345);
  const sum = entry.checksum ?? header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc(-content.length & 511)];
}
