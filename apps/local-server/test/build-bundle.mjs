// Jest's global setup: these tests run what ships. Builds only when a source is newer than the bundle.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export default function buildBundle() {
  const folder = dirname(dirname(fileURLToPath(import.meta.url)));
  const bundle = join(folder, 'dist', 'main.mjs');
  const core = join(folder, '..', '..', 'libs', 'memory-core', 'src');
  const sources = [
    join(folder, 'build.mjs'),
    join(folder, 'package.json'),
    ...[join(folder, 'src'), core].flatMap((root) =>
      readdirSync(root, { recursive: true })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map((name) => join(root, name)),
    ),
  ];
  const builtAt = existsSync(bundle) ? statSync(bundle).mtimeMs : 0;
  if (sources.some((source) => statSync(source).mtimeMs > builtAt))
    execFileSync(process.execPath, [join(folder, 'build.mjs')], { stdio: 'inherit' });
}
