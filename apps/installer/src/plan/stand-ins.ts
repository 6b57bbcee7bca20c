/**
 * A client's commands may refuse a settings file that the client itself reads, for a comment in it. They are given one without,
 * or nothing could be registered.
 */
import { decodeConfig } from '../json/document.ts';
import { valueOf } from '../registration/mentions.ts';
import type { FileImage } from '../files/image.ts';
import type { RewrittenFile } from './rewritten-file.ts';

/** What the client refuses to read is given to it without comments, for as long as its commands run. */
export function standInsFor(files: readonly Pick<RewrittenFile, 'path' | 'image'>[]): ReadonlyMap<string, FileImage> {
  const standIns = new Map<string, FileImage>();
  for (const { path, image } of files) {
    if (image === undefined) continue;
    const text = decodeConfig(image.bytes, path);
    if (isStrict(text)) continue;
    const value = valueOf(text, path);
    if (value !== undefined)
      standIns.set(path, { bytes: Buffer.from(JSON.stringify(value, null, 2)), mode: image.mode });
  }
  return standIns;
}

function isStrict(text: string): boolean {
  const bare = text.replace(/^\uFEFF/, '');
  try {
    if (bare.trim() !== '') JSON.parse(bare);
    return true;
  } catch {
    return false;
  }
}
