/**
 * An unpacked plugin in a folder of its own, with a manifest of hashes like a payload's: the transaction places it like one,
 * whole or not at all. The folder is new and only the user's: nobody can put a link into its way.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256 } from '../files/image.ts';
import { MANIFEST_NAME } from '../payload/payload.ts';
import type { Payload, PayloadManifest } from '../payload/payload.ts';

export interface StagedTree extends Payload {
  remove(): void;
}

/** `files` are paths that `readArchive` has let through. */
export function stageTree(
  files: ReadonlyMap<string, Uint8Array>,
  { name, version }: Pick<PayloadManifest, 'name' | 'version'>,
): StagedTree {
  const folder = mkdtempSync(join(tmpdir(), 'openviking-plugin-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const manifest: PayloadManifest = {
      name,
      version,
      files: Object.fromEntries([...files].map(([path, bytes]) => [path, sha256(bytes)])),
    };
    for (const [path, bytes] of [...files, [MANIFEST_NAME, JSON.stringify(manifest)] as const]) {
      const target = join(folder, path);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      writeFileSync(target, bytes, { flag: 'wx', mode: 0o600 });
    }
    return { folder, manifest, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
