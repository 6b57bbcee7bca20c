// Builds an installer with a small payload of its own: `node build-fixture.mjs <folder> [version]`.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleProxy, writeManifest } from '../../build.mjs';

const [folder, version = '1.0.0'] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
await bundle(join(here, '../../src/main.ts'), join(folder, 'dist/main.mjs'));
await bundleProxy(join(folder, 'dist/proxy.cjs'));
await bundle(join(here, 'stopped-installer.ts'), join(folder, 'dist/stopped.mjs'));
cpSync(join(here, '../../bin'), join(folder, 'bin'), { recursive: true });

// Tells what it was started with, unless its input is the empty object of the self-test.
const entry = `
const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
  const input = Buffer.concat(chunks).toString('utf8');
  if (input.trim() !== '{}') process.stdout.write(JSON.stringify({ file: __filename, args: process.argv.slice(2), input }));
});
`;
const payload = join(folder, 'dist/payload/zcode');
mkdirSync(join(payload, 'skills/openviking-memory'), { recursive: true });
mkdirSync(join(payload, 'commands'), { recursive: true });
for (const name of ['session-start', 'user-prompt-submit', 'uri-guard', 'stop', 'worker', 'mcp-proxy']) {
  writeFileSync(join(payload, `${name}.cjs`), `// ${version}\n${entry}`);
}
writeFileSync(join(payload, 'skills/openviking-memory/SKILL.md'), `---\nname: openviking-memory\n---\n${version}\n`);
writeFileSync(join(payload, 'commands/openviking.md'), `---\ndescription: memory\n---\n${version}\n`);
writeManifest(payload, 'zcode', version);
