#!/usr/bin/env node
/**
 * Packs a built plugin for publishing: `pack-archive.mjs <folder> <file.tgz>`, with its checksum beside it. The installer
 * understands plain files and folders with short names and refuses everything else, so that is what this writes; the same
 * folder gives the same bytes on every machine.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/**
 * The archive's bytes. A link, or a path that is too long for a plain header, is an error.
 *
 * @param {string} folder
 */
export function packFolder(folder) {
  const blocks = filesIn(folder).flatMap((path) => {
    const content = readFileSync(join(folder, path));
    return [header(path, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

/**
 * Writes archive and checksum.
 *
 * @param {string} folder
 * @param {string} file
 * @returns {string} The checksum.
 */
export function packArchive(folder, file) {
  const bytes = packFolder(folder);
  const sum = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(file, bytes);
  writeFileSync(`${file}.sha256`, `${sum}  ${basename(file)}\n`);
  return sum;
}

/**
 * @param {string} folder
 * @param {string} [below]
 * @returns {string[]} Paths with `/`, sorted.
 */
function filesIn(folder, below = '') {
  return readdirSync(join(folder, below))
    .sort()
    .flatMap((name) => {
      const path = below === '' ? name : `${below}/${name}`;
      const stat = lstatSync(join(folder, path));
      if (stat.isDirectory()) return filesIn(folder, path);
      if (!stat.isFile()) throw new Error(`${path} is neither a file nor a folder.`);
      return [path];
    });
}

/**
 * @param {string} path
 * @param {number} size
 */
function header(path, size) {
  if (!/^[\x21-\x7e]{1,100}$/.test(path)) throw new Error(`${path} does not fit a plain tar header.`);
  const bytes = Buffer.alloc(BLOCK);
  const octal = (/** @type {number} */ value, /** @type {number} */ offset, /** @type {number} */ length) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  bytes.write(path, 0, 'latin1');
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  bytes.fill(' ', 148, 156);
  bytes.write('0', 156, 'latin1');
  bytes.write('ustar\x0000', 257, 'latin1');
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return bytes;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, file] = process.argv.slice(2);
  if (folder === undefined || file === undefined) {
    console.error('Usage: pack-archive.mjs <folder> <file.tgz>');
    process.exitCode = 2;
  } else console.log(`${packArchive(folder, file)}  ${file}`);
}
