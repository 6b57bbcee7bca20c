/**
 * The files of one client that this package carries, and their copy on the machine. A manifest of hashes travels with
 * them, so that status can tell a payload that was damaged or half deleted from one that works.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenVikingError } from '@openviking/memory-core/full';
import { sha256 } from '../files/image.ts';

export interface PayloadManifest {
  readonly name: string;
  readonly version: string;
  /** Path with `/`, relative to the payload → sha256. */
  readonly files: Readonly<Record<string, string>>;
}

export const MANIFEST_NAME = 'manifest.json';

/** A payload as it lies in this package. */
export interface Payload {
  readonly folder: string;
  readonly manifest: PayloadManifest;
}

/** Opens a payload of this package. A missing one means that the package was not built. */
export function openPayload(payloadRoot: string, name: string): Payload {
  const folder = join(payloadRoot, name);
  const manifest = readManifest(folder);
  if (manifest === undefined) {
    throw new OpenVikingError({
      code: 'payload/missing',
      message: `This package holds no payload for ${name} (looked in ${folder}).`,
      next: 'Build it with `npm run build`, or install the package again.',
    });
  }
  return { folder, manifest };
}

export function readManifest(folder: string): PayloadManifest | undefined {
  try {
    const value = JSON.parse(readFileSync(join(folder, MANIFEST_NAME), 'utf8')) as Partial<PayloadManifest> | null;
    if (typeof value?.version !== 'string' || typeof value.name !== 'string') return undefined;
    return { name: value.name, version: value.version, files: value.files ?? {} };
  } catch {
    return undefined;
  }
}

/** Relative paths in `folder` that are missing or differ from the manifest; the manifest's own name when it is not the wanted one. */
export function damagedFiles(folder: string, wanted: PayloadManifest): readonly string[] {
  const there = readManifest(folder);
  if (there === undefined || there.version !== wanted.version) return [MANIFEST_NAME];
  return Object.entries(wanted.files)
    .filter(([path, hash]) => {
      try {
        return sha256(readFileSync(join(folder, path))) !== hash;
      } catch {
        return true;
      }
    })
    .map(([path]) => path);
}
