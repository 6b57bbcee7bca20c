/**
 * Where the built artefacts lie. These tests prove what ships: they touch no source of the product, so a stale or missing
 * build has to be noticed before anything else.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Root of the repository. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Folder with the hook bundles of ZCode. */
export const ZCODE_PAYLOAD = built('libs/harness-zcode/dist/payload');

/** Folder with the hook bundles of a client, as the installer carries them. */
export function payloadOf(id: string): string {
  return built(`apps/installer/dist/payload/${id}`);
}

/** The installer's program. */
export const INSTALLER = built('apps/installer/bin/openviking-install.mjs');

/** The local server's program. */
export const LOCAL_SERVER = built('apps/local-server/bin/openviking-local.mjs');

function built(relative: string): string {
  const path = join(ROOT, relative);
  if (!existsSync(path)) throw new Error(`${path} does not exist. Build it first: npm run build`);
  return path;
}
