/** Builds what ships: the bundles, and the assets beside them. The installer writes the plugin's other files. */
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleHarness } from '../../tools/bundle-harness/bundle-harness.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const payload = join(root, 'dist', 'payload');

rmSync(join(root, 'dist'), { recursive: true, force: true });
await bundleHarness(root, payload);
for (const folder of ['skills', 'commands'])
  cpSync(join(root, 'assets', folder), join(payload, folder), { recursive: true });
