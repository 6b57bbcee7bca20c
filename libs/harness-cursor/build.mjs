/** Builds what ships: the bundles, and the skill beside them. */
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleHarness } from '../../tools/bundle-harness/bundle-harness.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const payload = join(root, 'dist', 'payload');

rmSync(join(root, 'dist'), { recursive: true, force: true });
await bundleHarness(root, payload);
cpSync(join(root, 'assets', 'skills'), join(payload, 'skills'), { recursive: true });
