// Jest's global setup: builds the installer once for all test files, with small payloads of its own in each version that
// tests install. They take copies (installer-process.ts), for many of them spoil theirs.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleProxy, writeManifest } from '../../build.mjs';

const VERSIONS = ['1.0.0', '1.1.0', '1.2.0'];
const here = dirname(fileURLToPath(import.meta.url));

export default async function buildInstallers() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-installers-')));
  process.env.OPENVIKING_TEST_INSTALLERS = root;
  const programs = join(root, 'programs');
  await Promise.all([
    bundle(join(here, '../../src/main.ts'), join(programs, 'dist/main.mjs')),
    bundle(join(here, '../../src/guided/clack-prompter.ts'), join(programs, 'dist/guided.mjs')),
    bundleProxy(join(programs, 'dist/proxy.cjs')),
    bundle(join(here, 'stopped-installer.ts'), join(programs, 'dist/stopped.mjs')),
  ]);
  cpSync(join(here, '../../bin'), join(programs, 'bin'), { recursive: true });
  for (const version of VERSIONS) {
    cpSync(programs, join(root, version), { recursive: true });
    writePayloads(join(root, version), version);
  }
}

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

function writePayloads(folder, version) {
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
}
