#!/usr/bin/env node
// The program is one bundle in dist/; this committed file only lets npm link a command before the first build.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// A key among the arguments must not stay in the process list while the bundle loads.
process.title = 'openviking-install';

const bundle = new URL('../dist/main.mjs', import.meta.url);
if (existsSync(bundle)) {
  await import(bundle.href);
} else {
  console.error(`openviking-install: ${fileURLToPath(bundle)} does not exist yet. Build it first: npm run build`);
  process.exitCode = 1;
}
