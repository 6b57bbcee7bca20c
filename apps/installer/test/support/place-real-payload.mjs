// Puts the built payload of ZCode in place of a small one: `node place-real-payload.mjs <installer folder>`.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeManifest } from '../../build.mjs';

const [folder] = process.argv.slice(2);
const harness = fileURLToPath(new URL('../../../../libs/harness-zcode/', import.meta.url));
const built = join(harness, 'dist/payload');
if (!existsSync(built)) execFileSync(process.execPath, ['build.mjs'], { cwd: harness });
const payload = join(folder, 'dist/payload/zcode');
rmSync(payload, { recursive: true });
cpSync(built, payload, { recursive: true });
writeManifest(payload, 'zcode', '1.0.0');
