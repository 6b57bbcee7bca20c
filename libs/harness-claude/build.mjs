/** Builds what ships: the bundles with the assets beside them, for the installer, and the plugin for marketplaces. */
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleHarness } from '../../tools/bundle-harness/bundle-harness.mjs';
import { packagePlugin } from './package-plugin.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const payload = join(root, 'dist', 'payload');

rmSync(join(root, 'dist'), { recursive: true, force: true });
await bundleHarness(root, payload);
for (const folder of ['skills', 'commands'])
  cpSync(join(root, 'assets', folder), join(payload, folder), { recursive: true });
await packagePlugin(root);
