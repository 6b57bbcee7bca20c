/** A small plugin that keeps every rule, in a folder of its own; each test breaks one thing. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real stdio server, as small as one can be. */
const SERVER = `
let text = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  text += chunk;
  if (!text.includes('\\n')) return;
  const { id } = JSON.parse(text.split('\\n')[0]);
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }) + '\\n');
});
`;

const README = [
  '# Sample',
  '## Purpose',
  '## Dependencies',
  '`node`',
  '## Permissions',
  '## Network access',
  '## Side effects',
];
const README_CN = ['# 示例', '## 用途', '## 依赖', '`node`', '## 权限', '## 网络访问', '## 副作用'];

export class SamplePlugin {
  readonly root = mkdtempSync(join(tmpdir(), 'sample-plugin-'));
  readonly folder = join(this.root, 'sample-plugin');
  readonly marketplace = join(this.root, 'marketplace.json');

  constructor() {
    const manifest = {
      name: 'sample-plugin',
      version: '1.2.3',
      description: 'Does nothing, well.',
      category: 'utilities',
      author: { name: 'Nobody' },
      homepage: 'https://example.org',
      repository: 'https://example.org/sample.git',
      license: 'Apache-2.0',
      keywords: ['sample'],
    };
    this.writeJson('.zcode-plugin/plugin.json', manifest);
    const command = 'node "${ZCODE_PLUGIN_ROOT}/runtime/stop.cjs"';
    this.writeJson('hooks/hooks.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command, timeout: 5 }] }] } });
    this.writeJson('.mcp.json', {
      mcpServers: { sample: { type: 'stdio', command: 'node', args: ['${ZCODE_PLUGIN_ROOT}/runtime/server.cjs'] } },
    });
    this.write('runtime/stop.cjs', '');
    this.write('runtime/server.cjs', SERVER);
    this.write('skills/greet/SKILL.md', '---\nname: greet\ndescription: Use when the user says hello.\n---\nGreet.\n');
    this.write('commands/greet.md', '---\ndescription: Greets\nargument-hint: <name>\n---\nGreet $ARGUMENTS\n');
    this.write('README.md', README.join('\n'));
    this.write('README_CN.md', README_CN.join('\n'));
    const { name, version, description, category } = manifest;
    const entry = { name, version, description, category, source: './sample-plugin' };
    writeFileSync(this.marketplace, JSON.stringify({ name: 'market', plugins: [entry] }));
  }

  write(path: string, content: string): void {
    const target = join(this.folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }

  writeJson(path: string, value: unknown): void {
    this.write(path, JSON.stringify(value, null, 2));
  }

  /** Changes members of the manifest; undefined removes one. */
  manifest(changes: Readonly<Record<string, unknown>>): void {
    const path = '.zcode-plugin/plugin.json';
    const manifest = JSON.parse(readFileSync(join(this.folder, path), 'utf8')) as object;
    this.writeJson(path, { ...manifest, ...changes });
  }

  entry(changes: Readonly<Record<string, unknown>>): void {
    const marketplace = JSON.parse(readFileSync(this.marketplace, 'utf8')) as { plugins: [object] };
    writeFileSync(
      this.marketplace,
      JSON.stringify({ ...marketplace, plugins: [{ ...marketplace.plugins[0], ...changes }] }),
    );
  }

  /** The same plugin as another client wants it. */
  becomeClaudes(): void {
    renameSync(join(this.folder, '.zcode-plugin'), join(this.folder, '.claude-plugin'));
    for (const path of ['hooks/hooks.json', '.mcp.json']) {
      const file = join(this.folder, path);
      const text = readFileSync(file, 'utf8')
        .replaceAll('ZCODE_', 'CLAUDE_')
        .replace('"node"', '"${SAMPLE_NODE:-node}"');
      this.write(path, text.replace('"Stop"', '"PreCompact"'));
    }
  }

  remove(path = ''): void {
    rmSync(path === '' ? this.root : join(this.folder, path), { recursive: true, force: true });
  }
}
