/** Builds what ships: the bundles of each edition, and the assets beside them. */
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleHarness } from '../../tools/bundle-harness/bundle-harness.mjs';

const root = dirname(fileURLToPath(import.meta.url));
/** Edition → folder of its payload. One source, built twice: a hook that asks at run time whose it is can be wrong. */
const PAYLOADS = { trae: 'payload', 'trae-cn': 'payload-trae-cn' };

rmSync(join(root, 'dist'), { recursive: true, force: true });
for (const [edition, folder] of Object.entries(PAYLOADS)) {
  const payload = join(root, 'dist', folder);
  await bundleHarness(root, payload, { define: { EDITION: JSON.stringify(edition) } });
  cpSync(join(root, 'assets', 'skills'), join(payload, 'skills'), { recursive: true });
}
