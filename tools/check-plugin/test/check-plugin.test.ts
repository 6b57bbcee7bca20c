import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkPlugin } from '../src/check.mjs';
import { SamplePlugin } from './sample-plugin.ts';

const COMMAND = resolve(import.meta.dirname, '../check-plugin.mjs');

let plugin: SamplePlugin;
beforeEach(() => {
  plugin = new SamplePlugin();
});
afterEach(() => plugin.remove());

/** The rules that are broken, each once. */
async function broken(options: Parameters<typeof checkPlugin>[1] = {}): Promise<string[]> {
  const found = await checkPlugin(plugin.folder, { marketplace: plugin.marketplace, start: false, ...options });
  return [...new Set(found.map(({ rule }) => rule))];
}

it('finds nothing in a plugin that keeps the rules, its server started', async () => {
  expect(await checkPlugin(plugin.folder, { marketplace: plugin.marketplace })).toEqual([]);
});

describe('a plugin for Claude Code', () => {
  it('has events, variables and defaults of its own, and its server is started', async () => {
    plugin.becomeClaudes();
    expect(await checkPlugin(plugin.folder, { client: 'claude', marketplace: plugin.marketplace })).toEqual([]);
    expect(await broken()).toEqual(['manifest']);
  });

  it('is refused the variables of another client, and a default where no shell fills it in', async () => {
    plugin.becomeClaudes();
    const command = 'node "${ZCODE_PLUGIN_ROOT}/runtime/stop.cjs" ${SAMPLE:-x}';
    plugin.writeJson('hooks/hooks.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
    const found = await checkPlugin(plugin.folder, { client: 'claude', start: false });
    expect(found.map(({ rule, message }) => `${rule} ${message.split(' ')[0]}`)).toEqual([
      'variable ${ZCODE_PLUGIN_ROOT}',
      'variable ${SAMPLE:-x}',
    ]);
  });
});

describe('the manifest', () => {
  it('must be there and be JSON', async () => {
    plugin.write('.zcode-plugin/plugin.json', '{"name": ');
    expect(await broken()).toEqual(['manifest']);
    plugin.remove('.zcode-plugin');
    expect(await broken()).toEqual(['manifest']);
  });

  it.each(['Sample', 'sample_plugin', '-sample', 'sample--plugin', 'sample.plugin', 'a'.repeat(129), '', 7])(
    'refuses the name %p',
    async (name) => {
      plugin.manifest({ name });
      plugin.entry({ name });
      expect(await broken()).toContain('name');
    },
  );

  it.each(['1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', 1])('refuses the version %p', async (version) => {
    plugin.manifest({ version });
    plugin.entry({ version });
    expect(await broken()).toEqual(['version']);
  });

  it.each(['1.2.3-beta.1', '1.2.3+build.5', '10.0.0'])('takes the version %p', async (version) => {
    plugin.manifest({ version });
    plugin.entry({ version });
    expect(await broken()).toEqual([]);
  });

  it.each([
    ['description', 'two\nlines'],
    ['description', ' '],
    ['author', undefined],
    ['author', {}],
    ['homepage', 'example'],
    ['repository', undefined],
    ['license', undefined],
    ['keywords', []],
    ['keywords', 'sample'],
  ])('refuses %s: %p', async (member, value) => {
    plugin.manifest({ [member]: value });
    if (member === 'description') plugin.entry({ [member]: value });
    expect(await broken()).toEqual([member]);
  });

  it('takes components as a path, a list of paths or inline, and nothing else', async () => {
    plugin.manifest({ commands: './commands/', skills: ['./skills/greet'], mcpServers: { sample: { url: 'x' } } });
    expect(await broken()).toEqual([]);
    plugin.manifest({ commands: 3 });
    expect(await broken()).toEqual(['component-field']);
  });

  it.each(['./elsewhere', '../outside', '/absolute'])('refuses the component path %s', async (path) => {
    plugin.manifest({ commands: path });
    expect(await broken()).toEqual(['component-path']);
  });

  it('refuses hooks that are found by themselves and named again', async () => {
    plugin.manifest({ hooks: './hooks/hooks.json' });
    expect(await broken()).toEqual(['hooks-named-twice']);
  });

  it('refuses a plugin without any component', async () => {
    for (const path of ['hooks', '.mcp.json', 'skills', 'commands']) plugin.remove(path);
    expect(await broken()).toEqual(['no-component']);
  });

  it('knows five types of options, and wants secrets marked', async () => {
    plugin.manifest({ userConfig: { limit: { type: 'number' }, apiKey: { type: 'string', sensitive: true } } });
    expect(await broken()).toEqual([]);
    plugin.manifest({ userConfig: { limit: { type: 'integer' } } });
    expect(await broken()).toEqual(['user-config']);
    plugin.manifest({ userConfig: { apiKey: { type: 'string' } } });
    expect(await broken()).toEqual(['secret-option']);
  });
});

describe('hooks', () => {
  const stop = (handler: unknown) => plugin.writeJson('hooks/hooks.json', { hooks: { Stop: [{ hooks: [handler] }] } });

  it.each([
    ['no wrapper', { Stop: [] }],
    ['an unknown event', { hooks: { PreCompact: [{ hooks: [{ type: 'command', command: 'true' }] }] } }],
    ['a group without handlers', { hooks: { Stop: [{ hooks: [] }] } }],
    ['no list of groups', { hooks: { Stop: {} } }],
  ])('refuse %s', async (_, value) => {
    plugin.writeJson('hooks/hooks.json', value);
    expect(await broken()).toEqual(['hooks']);
  });

  it.each([
    { type: 'shell', command: 'true' },
    { type: 'command', command: '' },
    { type: 'command', command: 'true', timeout: 0 },
  ])('refuse the handler %p', async (handler) => {
    stop(handler);
    expect(await broken()).toEqual(['hooks']);
  });

  it('refuse a file with a comment', async () => {
    plugin.write('hooks/hooks.json', '{"hooks": {}} // none');
    expect(await broken()).toEqual(['json']);
  });

  it('refuse a variable that nobody fills in, and a file that is not there', async () => {
    stop({ type: 'command', command: 'node ${CLAUDE_PLUGIN_ROOT}/runtime/stop.cjs' });
    expect(await broken()).toEqual(['variable']);
    stop({ type: 'process', command: 'node', args: ['${ZCODE_PLUGIN_ROOT}/runtime/gone.cjs'] });
    expect(await broken()).toEqual(['missing-file']);
  });
});

describe('MCP servers', () => {
  const server = (value: unknown) => plugin.writeJson('.mcp.json', { mcpServers: { sample: value } });

  it.each([{}, { command: 'node', url: 'https://example.org' }, 'node'])('refuse %p', async (value) => {
    server(value);
    expect(await broken()).toEqual(['mcp']);
  });

  it('may use the four variables, options only when declared', async () => {
    const env = {
      A: '${ZCODE_PLUGIN_ROOT}',
      B: '${ZCODE_PLUGIN_DATA}',
      C: '${ZCODE_PROJECT_DIR}',
      D: '${user_config.d}',
    };
    server({ command: 'node', env });
    expect(await broken()).toEqual(['variable']);
    plugin.manifest({ userConfig: { d: { type: 'string' } } });
    expect(await broken()).toEqual([]);
    server({ command: 'node', env: { E: '${HOME}' } });
    expect(await broken()).toEqual(['variable']);
  });

  it('keep data out of the plugin folder', async () => {
    server({ command: 'node', env: { SAMPLE_DATA_DIR: '${ZCODE_PLUGIN_ROOT}/data' } });
    expect(await broken()).toEqual(['data-folder']);
    server({ command: 'node', env: { SAMPLE_DATA_DIR: '${ZCODE_PLUGIN_DATA}' } });
    expect(await broken()).toEqual([]);
  });

  it.each([
    [
      'frames by Content-Length',
      `process.stdin.once('data', () => process.stdout.write('Content-Length: 2\\r\\n\\r\\n{}'));`,
    ],
    ['logs to stdout', `console.log('ready');`],
    ['ends at once', ''],
  ])('started: refuse one that %s', async (_, source) => {
    plugin.write('runtime/server.cjs', source);
    expect(await broken({ start: true })).toEqual(['stdio']);
  });

  it('started: refuse one that writes beside its own code', async () => {
    plugin.write(
      'runtime/server.cjs',
      `require('node:fs').writeFileSync(__dirname + '/state', 'x');
       process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{}}'));`,
    );
    expect(await broken({ start: true })).toEqual(['data-folder']);
  });
});

describe('skills and commands', () => {
  it.each([
    '---\nname: other\ndescription: Use when asked.\n---\n',
    '---\nname: greet\ndescription: Greets people.\n---\n',
    '---\nname: greet\n---\n',
    'Just text.',
  ])('refuse the skill %p', async (text) => {
    plugin.write('skills/greet/SKILL.md', text);
    expect(await broken()).toEqual(['skill']);
  });

  it.each([
    '---\nargument-hint: <name>\n---\nGreet $ARGUMENTS',
    '---\ndescription: Greets\nargument-hint:\n---\nGreet $ARGUMENTS',
    '---\ndescription: Greets\n---\nGreet somebody.',
  ])('refuse the command %p', async (text) => {
    plugin.write('commands/greet.md', text);
    expect(await broken()).toEqual(['command']);
  });
});

describe('readmes', () => {
  it('must both be there', async () => {
    plugin.remove('README_CN.md');
    expect(await broken()).toEqual(['readme']);
  });

  it.each([
    ['a section less', 'README_CN.md', '# 示例\n## 用途\n## 依赖\n`node`\n## 权限\n## 网络访问\n'],
    ['a section more', 'README_CN.md', '# 示例\n## 用途\n## 依赖\n`node`\n## 权限\n## 网络访问\n## 副作用\n## 其他\n'],
    [
      'another command',
      'README.md',
      '# S\n## Purpose\n## Dependencies\n`npm`\n## Permissions\n## Network\n## Side effects\n',
    ],
  ])('must say the same: %s', async (_, file, text) => {
    plugin.write(file, text);
    expect(await broken()).toEqual(['readme']);
  });
});

describe('what must not be published', () => {
  it.each([
    ['secret', `const key = "sk-${'a1B2'.repeat(6)}";`],
    ['secret', `-----BEGIN RSA PRIVATE KEY-----\n${'QUJD'.repeat(10)}\n`],
    ['private-endpoint', 'fetch("http://192.168.1.20:1933/api")'],
    ['private-endpoint', 'fetch("https://memory.example.internal/api")'],
    ['machine-path', 'require("/home/somebody/project/index.js")'],
    ['machine-path', 'require("C:\\\\Users\\\\somebody\\\\index.js")'],
  ])('%s: %s', async (rule, text) => {
    plugin.write('runtime/stop.cjs', text);
    expect(await broken()).toEqual([rule]);
  });

  it('lets loopback and public addresses pass', async () => {
    plugin.write('runtime/stop.cjs', 'fetch("http://127.0.0.1:1933"); fetch("https://example.org/home/page")');
    expect(await broken()).toEqual([]);
  });

  it('refuses a path of the checkout that built it, and links', async () => {
    plugin.write('runtime/stop.cjs', '// from /opt/build/checkout/libs/x.ts');
    expect(await broken({ machinePaths: ['/opt/build/checkout'] })).toEqual(['machine-path']);
    symlinkSync('/etc/hosts', join(plugin.folder, 'runtime/hosts'));
    expect(await broken()).toEqual(['link']);
  });
});

describe('the marketplace entry', () => {
  it.each([
    { name: 'other' },
    { version: '1.2.4' },
    { description: 'Something else.' },
    { category: 'finance' },
    { category: undefined },
    { source: './plugins/other' },
    { description_i18n: { en: 'x' } },
  ])('must agree with the manifest: %p', async (changes) => {
    plugin.entry(changes);
    expect(await broken()).toEqual(['entry']);
  });
});

describe('a change since the last release', () => {
  function published(): string {
    const previous = join(plugin.root, 'previous');
    cpSync(plugin.folder, previous, { recursive: true });
    return previous;
  }

  it.each(['1.2.3', '1.2.2', '1.2.3-beta.1'])('must not keep or lower the version: %s', async (version) => {
    const previous = published();
    plugin.write('runtime/stop.cjs', '// changed');
    plugin.manifest({ version });
    plugin.entry({ version });
    expect(await broken({ previous })).toEqual(['version-bump']);
  });

  it.each(['1.2.4', '1.10.0', '2.0.0-beta.1'])('is fine with a higher version: %s', async (version) => {
    const previous = published();
    plugin.write('runtime/stop.cjs', '// changed');
    plugin.manifest({ version });
    plugin.entry({ version });
    expect(await broken({ previous })).toEqual([]);
  });

  it('is none when only the version differs', async () => {
    const previous = published();
    expect(await broken({ previous })).toEqual([]);
  });
});

describe('the command', () => {
  function run(...args: string[]) {
    return spawnSync(process.execPath, [COMMAND, ...args], { timeout: 240_000, encoding: 'utf8' });
  }

  it('says that all is well', () => {
    const { status, stdout, stderr } = run(plugin.root);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('sample-plugin keeps the rules');
  });

  it('names file, fault and rule, and fails', () => {
    plugin.entry({ version: '9.9.9' });
    const { status, stderr } = run(plugin.root);
    expect(status).toBe(1);
    expect(stderr).toContain('sample-plugin/marketplace.json: `version` differs');
  });

  it('asks for a build where there is nothing', () => {
    const { status, stderr } = run(join(plugin.root, 'nothing'));
    expect(status).toBe(1);
    expect(stderr).toContain('npm run build');
  });
});
