// Builds an installer with a small payload of its own: `node build-fixture.mjs <folder> [version]`.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleProxy, writeManifest } from '../../build.mjs';

const [folder, version = '1.0.0'] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
await bundle(join(here, '../../src/main.ts'), join(folder, 'dist/main.mjs'));
await bundle(join(here, '../../src/guided/clack-prompter.ts'), join(folder, 'dist/guided.mjs'));
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
const entries = [
  'session-start',
  'user-prompt-submit',
  'before-submit-prompt',
  'uri-guard',
  'stop',
  'after-agent-response',
  'pre-compact',
  'session-end',
  'subagent-start',
  'subagent-stop',
  'worker',
  'mcp-proxy',
];
/** Client → the assets that its declaration takes from the payload. */
const payloads = {
  zcode: ['skills/openviking-memory/SKILL.md', 'commands/openviking.md'],
  claude: ['skills/openviking-memory/SKILL.md', 'commands/ov.md'],
  cursor: ['skills/openviking-memory/SKILL.md'],
  trae: ['skills/openviking-memory/SKILL.md'],
  'trae-cn': ['skills/openviking-memory/SKILL.md'],
};
for (const [name, assets] of Object.entries(payloads)) {
  const payload = join(folder, 'dist/payload', name);
  mkdirSync(payload, { recursive: true });
  for (const file of entries) writeFileSync(join(payload, `${file}.cjs`), `// ${version}\n${entry}`);
  for (const asset of assets) {
    mkdirSync(dirname(join(payload, asset)), { recursive: true });
    writeFileSync(join(payload, asset), `---\nname: openviking-memory\ndescription: memory\n---\n${version}\n`);
  }
  writeManifest(payload, name, version);
}
