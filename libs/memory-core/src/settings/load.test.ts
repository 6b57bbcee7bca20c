/** Every setting through every layer, the merging rules, and what a hostile repository tries. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../testing/processor-time.ts';
import { createTemporaryHome } from '../../testing/temporary-home.ts';
import type { TemporaryHome } from '../../testing/temporary-home.ts';
import type { Provenance, ResolvedSettings, SettingName, SettingsContext } from '../contract/settings.ts';
import { workspaceRegistryFile } from '../workspace/slot.ts';
import { diskReader } from './file-reader.ts';
import { inspectSettings } from './inspect.ts';
import { loadSettings, WORKSPACE_LIST_MAX_ITEMS } from './load.ts';
import { declarationOf, environmentVariable, SETTING_NAMES } from './schema.ts';
import type { Declaration } from './schema.ts';

let home: TemporaryHome;
let root: string;
beforeEach(() => {
  home = createTemporaryHome();
  root = home.makeFolder('work/project');
  mkdirSync(join(root, '.git'));
});
afterEach(() => home.remove());

type Env = SettingsContext['env'];
const contextOf = (env: Env = {}, harness = 'zcode'): SettingsContext => ({ harness, home: home.path, cwd: root, env });
const load = (env: Env = {}, harness = 'zcode'): ResolvedSettings => loadSettings(contextOf(env, harness));
const codesOf = (resolved: ResolvedSettings): string[] => resolved.findings.map(({ code }) => code);

const OVCLI = '.openviking/ovcli.conf';
const OV_CONF = '.openviking/ov.conf';
const writeJson = (file: string, value: unknown): string => home.write(file, JSON.stringify(value));
const workspace = (value: object): string =>
  writeJson('work/project/.openviking/config.json', { version: 1, ...value });
const local = (value: object): string =>
  writeJson('work/project/.openviking/config.local.json', { version: 1, ...value });
function registry(value: object): string {
  const file = workspaceRegistryFile(home.path, root);
  mkdirSync(home.at('.openviking/workspaces'), { recursive: true });
  writeFileSync(file, JSON.stringify({ version: 1, ...value }));
  return file;
}
const nested = (key: string, value: unknown): object =>
  key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as object;

/** Two different values of a setting, neither its default, with their environment form. */
function samples(declaration: Declaration): readonly { value: unknown; text: string }[] {
  switch (declaration.type) {
    case 'boolean':
      return [
        { value: !declaration.default, text: declaration.default ? 'off' : 'on' },
        { value: declaration.default, text: declaration.default ? 'yes' : '0' },
      ];
    case 'integer':
    case 'number': {
      const low = declaration.min + (declaration.max === 1 ? 0.25 : 1);
      const high = declaration.max ?? low + 7;
      return [low, high].map((value) => ({ value, text: String(value) }));
    }
    case 'enum': {
      const [first, second] = declaration.members.filter((member) => member !== '' && member !== declaration.default);
      return [first, second ?? declaration.default].map((value) => ({ value, text: String(value).toUpperCase() }));
    }
    case 'path':
      return ['/srv/one', '/srv/two'].map((value) => ({ value, text: value }));
    case 'text':
    case 'alternatives':
      return ['one', 'two'].map((value) => ({ value, text: value }));
    case 'list':
    case 'filters':
      return [
        { value: ['d/a/', 's/b/c/'], text: 'd/a/, s/b/c/' },
        { value: ['k/x/'], text: 'k/x/' },
      ];
    case 'map':
      return [
        { value: { 'X-One': '1' }, text: '{"X-One":"1"}' },
        { value: { 'X-Two': '2' }, text: '{"X-Two":"2"}' },
      ];
  }
}

describe.each(SETTING_NAMES)('%s', (name) => {
  const declaration = declarationOf(name);
  const [one, two] = samples(declaration) as [{ value: unknown; text: string }, { value: unknown; text: string }];
  const expectValue = (resolved: ResolvedSettings, value: unknown, provenance: Provenance): void => {
    expect(resolved.settings[name]).toEqual(value);
    expect(resolved.provenance[name]).toEqual(provenance);
    expect(resolved.findings).toEqual([]);
  };

  it('has its default', () => {
    const resolved = load();
    const fallback = declaration.default;
    const expected = typeof fallback === 'string' && declaration.type === 'path' ? expect.any(String) : fallback;
    expectValue(resolved, expected, { layer: 'default' });
  });

  it('is read from its variable, and from older names of it', () => {
    for (const key of [environmentVariable(name), ...(declaration.olderEnvironment ?? [])]) {
      expectValue(load({ [key]: one.text }), one.value, { layer: 'environment', key });
    }
    for (const older of declaration.olderEnvironment ?? []) {
      const resolved = load({ [environmentVariable(name)]: one.text, [older]: two.text });
      expectValue(resolved, one.value, { layer: 'environment', key: environmentVariable(name) });
    }
  });

  it('is unset by a blank, `null` or `undefined` in a stronger place', () => {
    const file = writeJson(OVCLI, { plugin: { [name]: one.value, zcode: { [name]: null } } });
    for (const text of ['', '  ', 'null', 'undefined']) {
      expectValue(load({ [environmentVariable(name)]: text }), one.value, {
        layer: 'ovcli',
        file,
        key: `plugin.${name}`,
      });
    }
  });

  it('is read from both plugin sections and ov.conf, under every spelling', () => {
    const snake = name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
    for (const key of [name, snake, snake.replaceAll('_', '-'), ...(declaration.older ?? [])]) {
      const ovcli = writeJson(OVCLI, { plugin: { [key]: one.value } });
      expectValue(load(), one.value, { layer: 'ovcli', file: ovcli, key: `plugin.${key}` });
      writeJson(OVCLI, { plugin: { zcode: { [key]: one.value } } });
      expectValue(load(), one.value, { layer: 'ovcli-harness', file: ovcli, key: `plugin.zcode.${key}` });
      writeJson(OVCLI, { plugin: { cursor: { [key]: one.value } } });
      expect(load().provenance[name]).toEqual({ layer: 'default' });
      const ovConf = writeJson(OV_CONF, { zcode: { [key]: one.value } });
      expectValue(load(), one.value, { layer: 'ov-conf', file: ovConf, key: `zcode.${key}` });
      writeJson(OV_CONF, {});
    }
    for (const older of declaration.older ?? []) {
      writeJson(OVCLI, { plugin: { [older]: two.value, [name]: one.value } });
      expect(load().provenance[name]?.key).toBe(`plugin.${name}`);
    }
  });

  it('is read from a workspace file exactly when it has a key there', () => {
    const key = declaration.workspace;
    const group = key === undefined ? nested(name, one.value) : nested(key, one.value);
    for (const [write, layer] of [
      [workspace, 'workspace'],
      [local, 'workspace-local'],
      [registry, 'workspace-registry'],
    ] as const) {
      const file = write(
        key === undefined ? { ...group, plugin: group, [environmentVariable(name)]: one.text } : group,
      );
      if (key === undefined) expect(load().provenance[name]).toEqual({ layer: 'default' });
      else expectValue(load(), one.value, { layer, file, key });
      write({});
    }
  });

  it('follows the order of layers, each in turn the strongest', () => {
    const key = declaration.workspace;
    const layers: [Provenance['layer'], () => void][] = [
      ['ov-conf', () => void writeJson(OV_CONF, { zcode: { [name]: two.value } })],
      ['ovcli', () => void writeJson(OVCLI, { plugin: { [name]: two.value } })],
      ['ovcli-harness', () => void writeJson(OVCLI, { plugin: { [name]: two.value, zcode: { [name]: one.value } } })],
    ];
    if (key !== undefined) {
      layers.push(
        ['workspace', () => void workspace(nested(key, two.value))],
        ['workspace-local', () => void local(nested(key, two.value))],
        ['workspace-registry', () => void registry(nested(key, two.value))],
      );
    }
    for (const [layer, write] of layers) {
      write();
      expect(load().provenance[name]?.layer).toBe(layer);
    }
    const resolved = load({ [environmentVariable(name)]: one.text });
    expect(resolved.provenance[name]?.layer).toBe('environment');
    if (!['list', 'filters', 'map'].includes(declaration.type)) expect(resolved.settings[name]).toEqual(one.value);
  });

  it('survives nonsense of every type in every place', () => {
    for (const raw of [true, 7, -1e300, 'x', '{', [], {}, [1], [['x']], { a: [] }, [null], Number.MAX_VALUE]) {
      writeJson(OVCLI, { plugin: { [name]: raw } });
      const resolved = load({
        [environmentVariable(name)]: typeof raw === 'object' ? JSON.stringify(raw) : String(raw),
      });
      expect(typeOf(resolved.settings[name], declaration)).toBe(true);
    }
  });
});

function typeOf(value: unknown, declaration: Declaration): boolean {
  if (value === undefined) return declaration.default === undefined;
  switch (declaration.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
    case 'number':
      return (
        typeof value === 'number' &&
        value >= declaration.min &&
        value <= (declaration.max ?? Number.MAX_SAFE_INTEGER) &&
        (declaration.type === 'number' || Number.isInteger(value))
      );
    case 'enum':
      return (declaration.members as readonly unknown[]).includes(value);
    case 'text':
    case 'path':
      return typeof value === 'string';
    case 'list':
    case 'filters':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'alternatives':
      return typeof value === 'string' || Array.isArray(value);
    case 'map':
      return typeof value === 'object' && Object.values(value as object).every((text) => typeof text === 'string');
  }
}

describe('defaults of a client', () => {
  const defaults = { commitKeepRecentCount: 0, captureToolResults: true };
  const loadWith = (env: Env = {}) => loadSettings({ ...contextOf(env), defaults });

  it('stand in for the built-in ones, and only for those that it names', () => {
    const { settings, provenance } = loadWith();
    expect(settings).toMatchObject({ ...defaults, sessionStartMaxBytes: 0 });
    expect(provenance.commitKeepRecentCount).toEqual({ layer: 'default' });
    expect(load().settings).toMatchObject({ commitKeepRecentCount: 10, captureToolResults: false });
  });

  it('give way to what a user says anywhere, also to false and zero', () => {
    writeJson(OV_CONF, { zcode: { captureToolResults: false, commitKeepRecentCount: 3 } });
    expect(loadWith().settings).toMatchObject({ captureToolResults: false, commitKeepRecentCount: 3 });
  });

  it('places log and spool in the home folder', () => {
    expect(load({}, 'trae-cn').settings).toMatchObject({
      spoolDir: home.at('.openviking/spool'),
      debugLogPath: home.at('.openviking/logs/trae-cn.log'),
    });
  });
});

describe('sections of a client', () => {
  it.each(['claude', 'claude-code', 'claude_code'])('reads plugin.%s and the ov.conf section for claude', (key) => {
    const file = writeJson(OVCLI, { plugin: { [key]: { recallLimit: 4 } } });
    expect(load({}, 'claude').provenance.recallLimit).toEqual({
      layer: 'ovcli-harness',
      file,
      key: `plugin.${key}.recallLimit`,
    });
    writeJson(OVCLI, {});
    writeJson(OV_CONF, { [key]: { recallLimit: 5 } });
    expect(load({}, 'claude').settings.recallLimit).toBe(5);
    expect(load({}, 'zcode').settings.recallLimit).toBeUndefined();
  });

  it('reads the section of any client under its name with -code, too', () => {
    writeJson(OVCLI, { plugin: { 'trae-cn-code': { recallLimit: 4 }, 'trae-code': { recallLimit: 5 } } });
    expect(load({}, 'trae-cn').settings.recallLimit).toBe(4);
    expect(load({}, 'trae').settings.recallLimit).toBe(5);
  });

  it('reads trae-cn under both spellings, and not trae', () => {
    writeJson(OVCLI, { plugin: { trae_cn: { recallLimit: 4 }, trae: { minQueryLength: 9 } } });
    expect(load({}, 'trae-cn').settings).toMatchObject({ recallLimit: 4, minQueryLength: 3 });
  });
});

describe('values', () => {
  it('means false and zero when they are written', () => {
    writeJson(OVCLI, {
      plugin: { autoCapture: false, recallLimit: 0, commitIdleTimeoutSeconds: 0, recallDedupTurns: 0 },
    });
    const resolved = load();
    expect(resolved.settings).toMatchObject({
      autoCapture: false,
      recallLimit: 1,
      commitIdleTimeoutSeconds: 0,
      recallDedupTurns: 0,
    });
    expect(codesOf(resolved)).toEqual(['settings/out-of-range']);
  });

  it.each([
    ['timeoutMs', 1, 1000],
    ['timeoutMs', 1e9, 300000],
    ['recallLimit', -3, 1],
    ['recallLimit', '101', 100],
    ['scoreThreshold', 1.5, 1],
    ['scoreThreshold', -0.1, 0],
    ['recallDedupTurns', 21, 20],
    ['commitTokenThreshold', 5, 1000],
    ['commitTokenThreshold', 1e12, 1_000_000],
    ['profileTokenBudget', 0, 500],
    ['profileTokenBudget', 1e6, 50_000],
    ['commitKeepRecentCount', 10_001, 10_000],
    ['recallLimit', 2.7, 2],
    ['spoolMaxBytes', -1, 0],
  ] as const)('brings %s = %j to %j, and says so', (name, raw, value) => {
    const file = writeJson(OVCLI, { plugin: { [name]: raw } });
    const resolved = inspectSettings(contextOf());
    expect(resolved.settings[name]).toBe(value);
    expect(resolved.findings).toEqual([
      expect.objectContaining({ code: 'settings/out-of-range', severity: 'warn', file, fix: expect.any(String) }),
    ]);
    expect(resolved.findings[0]?.message).toContain(`plugin.${name} is ${raw}; ${value} is used`);
  });

  it('falls to the default for an unknown member, whatever weaker layers say', () => {
    writeJson(OVCLI, { plugin: { recallPeerScope: 'actor' } });
    const resolved = load({ OPENVIKING_RECALL_PEER_SCOPE: 'everybody' });
    expect(resolved.settings.recallPeerScope).toBe('all');
    expect(resolved.provenance.recallPeerScope).toEqual({ layer: 'default' });
    expect(resolved.findings).toEqual([
      { code: 'settings/unknown-member', severity: 'warn', message: 'OPENVIKING_RECALL_PEER_SCOPE' },
    ]);
  });

  it('passes over a value that can be none, to the next layer', () => {
    writeJson(OVCLI, { plugin: { autoRecall: false, recallLimit: 7, spoolDir: '/srv/spool' } });
    const resolved = load({
      OPENVIKING_AUTO_RECALL: 'maybe',
      OPENVIKING_RECALL_LIMIT: 'many',
      OPENVIKING_SPOOL_DIR: 'relative/spool',
    });
    expect(resolved.settings).toMatchObject({ autoRecall: false, recallLimit: 7, spoolDir: '/srv/spool' });
    expect(codesOf(resolved)).toEqual(Array(3).fill('settings/invalid-value'));
  });

  it.each([
    ['1', true],
    ['TRUE', true],
    ['Yes', true],
    ['on', true],
    ['0', false],
    ['False', false],
    ['NO', false],
    [' off ', false],
  ])('reads the word %j as %s', (word, value) => {
    expect(load({ OPENVIKING_DEBUG: word, OPENVIKING_REDACT_SECRETS: word }).settings).toMatchObject({
      debug: value,
      redactSecrets: value,
    });
  });

  it.each(['off', 'OFF', 'false', '0'])('switches the idle commit off with %s', (word) => {
    expect(load({ OPENVIKING_COMMIT_IDLE_TIMEOUT_SECONDS: word }).settings.commitIdleTimeoutSeconds).toBe(0);
  });

  it('reads false as off where off is a member', () => {
    writeJson(OVCLI, { plugin: { recallQueryExpansion: false, recallRewrite: false } });
    expect(load().settings).toMatchObject({ recallQueryExpansion: 'off', recallRewrite: 'off' });
  });

  it('expands ~ and nothing else', () => {
    const resolved = load({ OPENVIKING_SPOOL_DIR: '~/spool', OPENVIKING_CA_FILE: '/etc/${HOME}/ca.pem' });
    expect(resolved.settings).toMatchObject({ spoolDir: home.at('spool'), caFile: '/etc/${HOME}/ca.pem' });
  });

  it('reads peer sources in every form', () => {
    expect(load({ OPENVIKING_PEER_SOURCE: '{git_remote}, {dir}' }).settings.peerSource).toEqual([
      '{git_remote}',
      '{dir}',
    ]);
    expect(load({ OPENVIKING_PEER_SOURCE: '["{dir}"]' }).settings.peerSource).toBe('{dir}');
    workspace({ peer: { source: ['{dir}', 'cwd'], id: 42 } });
    expect(load().settings).toMatchObject({ peerSource: ['{dir}', 'cwd'], peerId: '42' });
  });

  it('splits filters in the environment between rules only', () => {
    const filters = 'd/\\d{2,4}/i,user:s#a,b#c#, k!x!';
    expect(load({ OPENVIKING_CAPTURE_FILTERS: filters }).settings.captureFilters).toEqual([
      'd/\\d{2,4}/i',
      'user:s#a,b#c#',
      'k!x!',
    ]);
    writeJson(OVCLI, { plugin: { captureFilters: 'd/a/,d/b/' } });
    expect(load().settings.captureFilters).toEqual(['d/a/,d/b/']);
  });
});

describe('lists and maps', () => {
  const patterns = (env: Env = {}) => load(env).settings.bypassSessionPatterns;

  it('unites lists, strongest first, each element once', () => {
    writeJson(OV_CONF, { zcode: { bypassSessionPatterns: ['old', 'both'] } });
    writeJson(OVCLI, {
      plugin: { bypassSessionPatterns: ['all'], zcode: { bypassSessionPatterns: ['zcode', 'both'] } },
    });
    workspace({ bypass: { session_patterns: ['shared'] } });
    local({ bypass: { session_patterns: ['private'] } });
    expect(patterns({ OPENVIKING_BYPASS_SESSION_PATTERNS: 'a, b,,' })).toEqual([
      ...['a', 'b', 'private', 'shared', 'zcode', 'both', 'all', 'old'],
    ]);
    expect(load().provenance.bypassSessionPatterns?.layer).toBe('workspace-local');
  });

  it('drops what is weaker than a reset, and takes the word only in first place', () => {
    writeJson(OVCLI, {
      plugin: { bypassSessionPatterns: ['all'], zcode: { bypassSessionPatterns: ['!reset', 'zcode'] } },
    });
    local({ bypass: { session_patterns: ['private'] } });
    expect(patterns()).toEqual(['private', 'zcode']);
    expect(patterns({ OPENVIKING_BYPASS_SESSION_PATTERNS: '!reset' })).toEqual([]);
    writeJson(OVCLI, {
      plugin: { bypassSessionPatterns: ['all'], zcode: { bypassSessionPatterns: ['zcode', '!reset'] } },
    });
    expect(patterns()).toEqual(['private', 'zcode', '!reset', 'all']);
  });

  it('is the same as a fold over the layers', () => {
    const list = fc.array(fc.constantFrom('!reset', 'a', 'b', 'c', 'd'), { maxLength: 4 });
    fc.assert(
      fc.property(list, list, list, list, (weakest, weak, strong, strongest) => {
        writeJson(OV_CONF, { zcode: { recallExcludeUris: weakest } });
        writeJson(OVCLI, { plugin: { recallExcludeUris: weak, zcode: { recallExcludeUris: strong } } });
        let expected: string[] = [];
        for (const layer of [weakest, weak, strong, strongest]) {
          expected = [...new Set(layer[0] === '!reset' ? layer.slice(1) : [...layer, ...expected])];
        }
        const env = { OPENVIKING_RECALL_EXCLUDE_URIS: JSON.stringify(strongest) };
        expect(load(env).settings.recallExcludeUris).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('joins headers name by name, without regard to case', () => {
    writeJson(OVCLI, { extra_headers: { 'x-a': 'cli', 'X-C': '3' }, plugin: { extraHeaders: { 'X-B': 'plugin' } } });
    const resolved = load({ OPENVIKING_EXTRA_HEADERS: '{"X-A":"env"}' });
    expect(resolved.settings.extraHeaders).toEqual({ 'X-A': 'env', 'X-B': 'plugin', 'X-C': '3' });
  });
});

describe('files', () => {
  it('may hold comments, trailing commas and a byte order mark', () => {
    home.write(OVCLI, '\ufeff// mine\n{ "plugin": { "recallLimit": 4, }, /* end */ }\n');
    home.write('work/project/.openviking/config.json', '\ufeff{"version":1,"recall":{"max_items":9,},}');
    expect(load().settings.recallLimit).toBe(9);
    expect(load().findings).toEqual([]);
  });

  it.each(['', ' \n\t', '\ufeff', '\ufeff \r\n'])('may be blank: %j', (text) => {
    home.write(OVCLI, text);
    home.write(OV_CONF, text);
    home.write('work/project/.openviking/config.json', text);
    expect(inspectSettings(contextOf()).findings).toEqual([]);
  });

  it('is skipped whole when broken, with one finding that names the place', () => {
    const file = home.write(OVCLI, '{\n  "plugin": { "recallLimit": 4 }\n<<<<<<< ours\n}');
    const resolved = inspectSettings(contextOf());
    expect(resolved.settings.recallLimit).toBeUndefined();
    expect(resolved.findings).toEqual([
      {
        code: 'settings/broken-file',
        severity: 'error',
        file,
        line: 3,
        column: 1,
        message: 'Skipped: a comma or `}` expected here.',
        fix: 'Correct line 3, column 1.',
      },
    ]);
    expect(load().findings).toEqual([
      { code: 'settings/broken-file', severity: 'warn', file, message: 'settings/broken-file' },
    ]);
  });

  it.each([
    ['[]', 'settings/not-an-object'],
    ['"x"', 'settings/not-an-object'],
    ['null', 'settings/not-an-object'],
  ])('is skipped when it holds %s', (text, code) => {
    home.write(OVCLI, text);
    expect(codesOf(load())).toEqual([code]);
  });

  it('is skipped when it is a folder or too large', () => {
    home.makeFolder(OVCLI);
    home.write(OV_CONF, `{"zcode":{"recallLimit":3}}${' '.repeat(5 * 1024 * 1024)}`);
    expect(codesOf(load())).toEqual(['settings/file-too-large', 'settings/unreadable-file']);
    expect(load().settings.recallLimit).toBeUndefined();
  });

  it('is skipped when the system refuses it', () => {
    writeJson(OVCLI, { plugin: { recallLimit: 3 } });
    const text = (path: string): string => {
      if (path.endsWith('ovcli.conf')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return diskReader.text(path);
    };
    const resolved = loadSettings(contextOf(), { reader: { ...diskReader, text } });
    expect(codesOf(resolved)).toEqual(['settings/unreadable-file']);
  });

  it('is read once per load, and again by the next', () => {
    const files = [writeJson(OVCLI, {}), writeJson(OV_CONF, {}), workspace({}), local({}), registry({})];
    const read: string[] = [];
    loadSettings(contextOf(), { reader: { ...diskReader, text: (path) => (read.push(path), diskReader.text(path)) } });
    expect(read.sort()).toEqual(files.sort());
    workspace({ recall: { max_items: 6 } });
    expect(load().settings.recallLimit).toBe(6);
  });

  it.each([undefined, null, 0, 2, '1', true])('is skipped as a workspace file with version %j', (version) => {
    const file = workspace({ version, recall: { max_items: 6 } });
    const resolved = inspectSettings(contextOf());
    expect(resolved.settings.recallLimit).toBeUndefined();
    expect(resolved.findings).toEqual([expect.objectContaining({ code: 'settings/workspace-version', file })]);
  });

  it('is found from a subfolder, and ignored outside its workspace', () => {
    workspace({ recall: { max_items: 6 } });
    registry({ recall: { dedup_turns: 2 } });
    const inside = loadSettings({ ...contextOf(), cwd: home.makeFolder('work/project/a/b') });
    expect(inside.settings).toMatchObject({ recallLimit: 6, recallDedupTurns: 2 });
    const outside = loadSettings({ ...contextOf(), cwd: home.makeFolder('work/other') });
    expect(outside.settings.recallLimit).toBeUndefined();
  });

  it('in ~/.openviking is no workspace file', () => {
    writeJson('.openviking/config.json', { version: 1, recall: { max_items: 6 } });
    expect(loadSettings({ ...contextOf(), cwd: home.path }).settings.recallLimit).toBeUndefined();
  });
});

describe('a hostile repository', () => {
  const before = () => {
    writeJson(OVCLI, { url: 'https://memory.example', api_key: 'k-1', account: 'a', user: 'u' });
    return load({ HOME: home.path });
  };
  const hostile = {
    url: 'https://evil.example',
    api_key: 'stolen',
    apiKey: 'stolen',
    account: 'evil',
    user: 'evil',
    headers: { Authorization: 'Bearer evil' },
    extra_headers: { 'X-Evil': '1' },
    extraHeaders: { 'X-Evil': '1' },
    server: { url: 'https://evil.example', root_api_key: 'evil' },
    plugin: { apiKey: 'evil', spoolDir: '/tmp/evil', zcode: { caFile: '/tmp/evil.pem' } },
    zcode: { apiKey: 'evil' },
    spoolDir: '/tmp/evil',
    debugLogPath: '/tmp/evil.log',
    caFile: '/tmp/evil.pem',
    OPENVIKING_URL: 'https://evil.example',
    peer: { id: '${HOME}', source: ['{dir}', 'x-${HOME}'], url: 'https://evil.example' },
    recall: { enabled: '${HOME}', url: 'https://evil.example' },
    bypass: { session_patterns: [`${'*a'.repeat(40)}`, '${HOME}/**'] },
  };

  it('changes nothing about where data goes, with which key, as whom', () => {
    const clean = before();
    workspace(hostile);
    local(hostile);
    registry(hostile);
    const resolved = load({ HOME: home.path });
    expect(resolved.connection).toEqual(clean.connection);
    expect(resolved.settings).toEqual(clean.settings);
  });

  it('is reported key by key, without a value', () => {
    before();
    const file = workspace(hostile);
    const findings = inspectSettings(contextOf()).findings;
    const of = (code: string) => findings.filter((finding) => finding.code === code);
    expect(of('settings/workspace-expansion').map(({ message }) => message.split(' ')[0])).toEqual(
      ['peer.id', 'peer.source', 'recall.enabled', 'bypass.session_patterns'].sort((a, b) => order(a) - order(b)),
    );
    expect(of('settings/workspace-forbidden-key').map(({ message }) => message.split(' ')[0])).toEqual([
      ...[
        'url',
        'api_key',
        'apiKey',
        'account',
        'user',
        'headers',
        'extra_headers',
        'extraHeaders',
        'server',
        'plugin',
      ],
      ...['spoolDir', 'debugLogPath', 'caFile', 'OPENVIKING_URL', 'peer.url', 'recall.url'],
    ]);
    expect(findings.every((finding) => finding.file === file)).toBe(true);
    expect(JSON.stringify(findings)).not.toMatch(/evil|stolen/);
  });
  const order = (key: string): number => SETTING_NAMES.findIndex((name) => declarationOf(name).workspace === key);

  it('cannot make a large file be read', () => {
    home.write(
      'work/project/.openviking/config.json',
      `{"version":1,"recall":{"max_items":6}}${' '.repeat(10_000_000)}`,
    );
    const read: string[] = [];
    const reader = { ...diskReader, text: (path: string) => (read.push(path), diskReader.text(path)) };
    const resolved = loadSettings(contextOf(), { reader });
    expect(codesOf(resolved)).toEqual(['settings/file-too-large']);
    expect(read).toEqual([]);
    home.write('work/project/.openviking/config.json', `{"version":1,"recall":{"max_items":6}}`.padEnd(256 * 1024));
    expect(load().settings.recallLimit).toBe(6);
  });

  it('cannot lead out of itself by a link, of a file or of the folder', () => {
    const secret = writeJson('outside/config.json', { version: 1, recall: { max_items: 6 } });
    mkdirSync(join(root, '.openviking'));
    symlinkSync(secret, join(root, '.openviking/config.json'));
    expect(load().settings.recallLimit).toBeUndefined();
    expect(codesOf(load())).toEqual(['settings/workspace-link-outside']);

    const other = home.makeFolder('work/other');
    symlinkSync(home.at('outside'), join(other, '.openviking'));
    const viaFolder = loadSettings({ ...contextOf(), cwd: other });
    expect(viaFolder.settings.recallLimit).toBeUndefined();
    expect(codesOf(viaFolder)).toEqual(['settings/workspace-link-outside']);
  });

  it('may link inside itself', () => {
    writeJson('work/project/config/ov.json', { version: 1, recall: { max_items: 6 } });
    mkdirSync(join(root, '.openviking'));
    symlinkSync('../config/ov.json', join(root, '.openviking/config.json'));
    expect(load().settings.recallLimit).toBe(6);
  });

  it('cannot grow a list without end', () => {
    workspace({ bypass: { session_patterns: Array.from({ length: 5_000 }, (_, index) => `p${index}`) } });
    const resolved = inspectSettings(contextOf());
    expect(resolved.settings.bypassSessionPatterns).toHaveLength(WORKSPACE_LIST_MAX_ITEMS);
    expect(codesOf(resolved)).toEqual(['settings/list-too-long']);
  });

  it.each([
    ['deep nesting', `{"version":1,"peer":${'['.repeat(120_000)}${']'.repeat(120_000)}}`],
    ['deep nesting in place of a text', `{"version":1,"peer":{"id":${'['.repeat(120_000)}${']'.repeat(120_000)}}}`],
    [
      'deep nesting in place of a switch',
      `{"version":1,"recall":{"enabled":${'['.repeat(120_000)}${']'.repeat(120_000)}}}`,
    ],
    ['long blanks in a text', JSON.stringify({ version: 1, peer: { id: `${' '.repeat(250_000)}x` } })],
    ['a long text', JSON.stringify({ version: 1, peer: { source: '{'.repeat(250_000) } })],
    [
      'many keys',
      JSON.stringify({ version: 1, ...Object.fromEntries(Array.from({ length: 18_000 }, (_, i) => [`k${i}`, 1])) }),
    ],
    ['an unclosed text', `{"version":1,"a":"${'\\"'.repeat(120_000)}`],
    ['prototype keys', '{"version":1,"__proto__":{"peer":{"id":"x"}},"constructor":{"prototype":{"a":1}}}'],
  ])('does not slow a hook down by %s', (_what, text) => {
    home.write('work/project/.openviking/config.json', text);
    const { result: resolved, milliseconds } = processorTime(() => load());
    // Quadratic work on 256 KB takes tens of seconds; the bound leaves room for a slow machine.
    expect(milliseconds).toBeLessThan(1_000);
    if (!text.includes('"id":"  ')) expect(resolved.settings.peerId).toBeUndefined();
    expect(inspectSettings(contextOf()).findings.length).toBeLessThan(50);
  });
});

describe('the whole of it', () => {
  it('gives each setting exactly one provenance', () => {
    expect(Object.keys(load().provenance).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('never throws, whatever the files and the environment hold', () => {
    const names = fc.constantFrom<SettingName>(...SETTING_NAMES);
    const anything = fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'binary' }));
    const section = fc.dictionary(fc.oneof(names, fc.constantFrom('__proto__', 'zcode')), fc.jsonValue());
    fc.assert(
      fc.property(
        anything,
        section,
        section,
        fc.dictionary(names.map(environmentVariable), fc.string()),
        (text, a, b, env) => {
          home.write(OV_CONF, text);
          writeJson(OVCLI, { plugin: { ...a, zcode: b } });
          workspace({ peer: a, recall: b, bypass: a });
          expect(() => inspectSettings(contextOf(env))).not.toThrow();
        },
      ),
      { numRuns: 60 },
    );
  });
});
