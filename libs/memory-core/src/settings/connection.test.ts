/** Who decides about server, key and identity: the orders, the three modes, and what must never be sent. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTemporaryHome } from '../../testing/temporary-home.ts';
import type { TemporaryHome } from '../../testing/temporary-home.ts';
import type { Connection, SettingsContext } from '../contract/settings.ts';
import { identityHeaders } from '../http/identity-headers.ts';
import { betterBaseUrl } from './base-url.ts';
import { CREDENTIAL_VARIABLES, DEFAULT_BASE_URL } from './connection.ts';
import { inspectSettings } from './inspect.ts';
import { loadSettings } from './load.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

const contextOf = (env: SettingsContext['env'], harness = 'zcode'): SettingsContext => ({
  harness,
  home: home.path,
  cwd: home.path,
  env,
});
const connect = (env: SettingsContext['env'] = {}, harness = 'zcode'): Connection =>
  loadSettings(contextOf(env, harness)).connection;
const inspect = (env: SettingsContext['env'] = {}) => inspectSettings(contextOf(env));
const ovcli = (value: unknown, file = '.openviking/ovcli.conf'): string => home.write(file, JSON.stringify(value));
const ovConf = (value: unknown, file = '.openviking/ov.conf'): string => home.write(file, JSON.stringify(value));

describe('base URL', () => {
  it('follows its order', () => {
    expect(connect()).toMatchObject({ baseUrl: DEFAULT_BASE_URL, source: { url: 'default', apiKey: 'none' } });
    const old = ovConf({ server: { host: '0.0.0.0', port: 2000 } });
    expect(connect()).toMatchObject({ baseUrl: 'http://127.0.0.1:2000', source: { url: `${old} server.host` } });
    ovConf({ server: { url: 'http://old:1/', host: 'x', port: 2000 } });
    expect(connect()).toMatchObject({ baseUrl: 'http://old:1', source: { url: `${old} server.url` } });
    const cli = ovcli({ url: 'http://cli:1' });
    expect(connect()).toMatchObject({ baseUrl: 'http://cli:1', source: { url: `${cli} url` } });
    expect(connect({ OPENVIKING_BASE_URL: 'http://base:1' })).toMatchObject({
      baseUrl: 'http://base:1',
      source: { url: 'OPENVIKING_BASE_URL' },
    });
    expect(connect({ OPENVIKING_BASE_URL: 'http://base:1', OPENVIKING_URL: 'http://env:1' }).baseUrl).toBe(
      'http://env:1',
    );
  });

  it.each([
    [{ host: 'db.local' }, 'http://db.local:1933'],
    [{ port: 8080 }, 'http://127.0.0.1:8080'],
    [{ host: '::1', port: '8080' }, 'http://[::1]:8080'],
    [{ host: '::' }, 'http://[::1]:1933'],
    [{ host: null, port: '' }, DEFAULT_BASE_URL],
  ])('is made of ov.conf server %j: %s', (server, url) => {
    ovConf({ server });
    expect(connect().baseUrl).toBe(url);
  });

  it.each([
    ['http://0.0.0.0:1933/', 'http://127.0.0.1:1933'],
    ['https://0.0.0.0', 'https://127.0.0.1'],
    ['http://0.0.0.0.example.com', 'http://0.0.0.0.example.com'],
    ['  http://h/openviking///  ', 'http://h/openviking'],
  ])('%j becomes %s', (given, url) => {
    expect(connect({ OPENVIKING_URL: given }).baseUrl).toBe(url);
  });

  it('carries the MCP endpoint, unless that is set by itself', () => {
    expect(connect({ OPENVIKING_URL: 'http://h/x/' }).mcpUrl).toBe('http://h/x/mcp');
    expect(connect({ OPENVIKING_MCP_URL: 'http://0.0.0.0:9/m/' }).mcpUrl).toBe('http://127.0.0.1:9/m');
    const cliOnly = { OPENVIKING_MCP_URL: 'http://m', OPENVIKING_CREDENTIAL_SOURCE: 'cli' };
    expect(connect(cliOnly).mcpUrl).toBe(`${DEFAULT_BASE_URL}/mcp`);
  });

  it.each([
    ['localhost:1933', 'http://localhost:1933'],
    ['//host/x', 'http://host/x'],
    ['ftp://host', 'http://host'],
    ['http://host /x', 'http://host/x'],
    ['http://host/api', 'http://host'],
    ['http://host/api/v1', 'http://host'],
    ['http://host/x/mcp', 'http://host/x'],
    ['host/api/v1/', 'http://host'],
    ['http://user:secret@host/mcp', 'http://host'],
    ['http://', `an address like ${DEFAULT_BASE_URL}`],
  ])('%j is a finding that says to write %s', (given, write) => {
    const findings = inspect({ OPENVIKING_URL: given }).findings;
    expect(findings).toEqual([
      expect.objectContaining({ code: 'connection/base-url', fix: `Write ${write} instead.` }),
    ]);
    expect(JSON.stringify(findings)).not.toContain('secret');
  });

  it.each([
    DEFAULT_BASE_URL,
    'https://api.vikingdb.cn-beijing.volces.com/openviking',
    'http://h/apiary',
    'http://[::1]:1',
  ])('%s is fine', (url) => {
    expect(betterBaseUrl(url)).toBeUndefined();
  });
});

describe('key', () => {
  it('follows its order', () => {
    const server = { root_api_key: 'root' };
    const old = ovConf({ server });
    expect(connect()).toMatchObject({ apiKey: 'root', source: { apiKey: `${old} server.root_api_key` } });
    ovConf({ server, zcode: { apiKey: 'old' } });
    expect(connect()).toMatchObject({ apiKey: 'old', source: { apiKey: `${old} zcode.apiKey` } });
    const cli = ovcli({ plugin: { apiKey: 'all' } });
    expect(connect()).toMatchObject({ apiKey: 'all', source: { apiKey: `${cli} plugin.apiKey` } });
    ovcli({ plugin: { apiKey: 'all', zcode: { api_key: 'one' } } });
    expect(connect()).toMatchObject({ apiKey: 'one', source: { apiKey: `${cli} plugin.zcode.api_key` } });
    expect(connect({}, 'cursor').apiKey).toBe('all');
    ovcli({ api_key: 'cli', root_api_key: 'admin', plugin: { apiKey: 'all' } });
    expect(connect()).toMatchObject({ apiKey: 'cli', source: { apiKey: `${cli} api_key` } });
    expect(connect({ OPENVIKING_API_KEY: 'env' })).toMatchObject({
      apiKey: 'env',
      source: { apiKey: 'OPENVIKING_API_KEY' },
    });
    expect(connect({ OPENVIKING_API_KEY: 'env', OPENVIKING_BEARER_TOKEN: 'bearer' }).apiKey).toBe('bearer');
  });

  it.each(['', ' ', 'null', 'undefined', 'NULL'])('is unset by %j', (text) => {
    ovcli({ api_key: text, url: text });
    ovConf({ server: { root_api_key: 'root' } });
    expect(connect({ OPENVIKING_API_KEY: text, OPENVIKING_BEARER_TOKEN: text, OPENVIKING_URL: text })).toMatchObject({
      baseUrl: DEFAULT_BASE_URL,
      apiKey: 'root',
    });
  });

  it('never takes the CLI’s administrator key', () => {
    ovcli({ root_api_key: 'admin' });
    expect(connect()).not.toHaveProperty('apiKey');
  });

  // A letter outside ASCII comes from copying; servers and gateways read its byte each in their own way.
  it.each(['sec\nret', 'sec\tret', 'secrét', '密钥secret'])('is left out, without being shown: %j', (key) => {
    const resolved = inspect({ OPENVIKING_API_KEY: key });
    expect(resolved.connection).not.toHaveProperty('apiKey');
    expect(resolved.connection.source.apiKey).toBe('none');
    expect(resolved.findings.map(({ code }) => code)).toEqual(['connection/unusable-credential']);
    expect(JSON.stringify(resolved.findings)).not.toMatch(/sec|ret"/);
    expect(connect({ OPENVIKING_API_KEY: ' key\n' }).apiKey).toBe('key');
  });
});

describe('account and user', () => {
  it.each(['account', 'user'] as const)('%s follows its order', (name) => {
    ovConf({ zcode: { [name]: 'old' } });
    expect(connect()[name]).toBe('old');
    ovcli({ plugin: { [`${name}Id`]: 'all' } });
    expect(connect()[name]).toBe('all');
    ovcli({ plugin: { [name]: 'all', zcode: { [name]: 'one' } } });
    expect(connect()[name]).toBe('one');
    for (const field of [name, `${name}_id`]) {
      ovcli({ [field]: 'cli', plugin: { [name]: 'all' } });
      expect(connect()[name]).toBe('cli');
    }
    expect(connect({ [`OPENVIKING_${name.toUpperCase()}`]: 'env' })[name]).toBe('env');
  });
});

describe('peer of the credentials', () => {
  const peerId = (env: SettingsContext['env'] = {}) => loadSettings(contextOf(env)).settings.peerId;

  it.each(['actor_peer_id', 'peer_id', 'agent_id'])('is read from ovcli.conf %s, below plugin settings', (field) => {
    ovcli({ [field]: 'cli' });
    expect(peerId()).toBe('cli');
    ovcli({ [field]: 'cli', plugin: { peerId: 'plugin' } });
    expect(peerId()).toBe('plugin');
    expect(peerId({ OPENVIKING_PEER_ID: 'env' })).toBe('env');
  });

  it('obeys the mode', () => {
    ovcli({ peer_id: 'cli' });
    expect(peerId({ OPENVIKING_PEER_ID: 'env', OPENVIKING_CREDENTIAL_SOURCE: 'cli' })).toBe('cli');
    expect(peerId({ OPENVIKING_CREDENTIAL_SOURCE: 'env' })).toBeUndefined();
  });
});

describe('modes', () => {
  const everywhere = () => {
    ovcli({ url: 'http://cli', api_key: 'cli', account: 'cli', user: 'cli' });
    ovConf({ server: { url: 'http://old', root_api_key: 'old' }, zcode: { user: 'old' } });
  };
  const all = {
    OPENVIKING_URL: 'http://env',
    OPENVIKING_API_KEY: 'env',
    OPENVIKING_ACCOUNT: 'env',
    OPENVIKING_USER: 'env',
  };

  it.each(['OPENVIKING_CREDENTIAL_SOURCE', 'OPENVIKING_CREDENTIALS_SOURCE'])('are named by %s', (variable) => {
    everywhere();
    expect(connect({ ...all, [variable]: 'cli' })).toMatchObject({
      baseUrl: 'http://cli',
      apiKey: 'cli',
      account: 'cli',
      user: 'cli',
    });
    expect(connect({ ...all, [variable]: 'ENV' })).toMatchObject({
      baseUrl: 'http://env',
      apiKey: 'env',
      account: 'env',
      user: 'env',
    });
    expect(connect({ ...all, [variable]: 'auto' })).toMatchObject({ baseUrl: 'http://env', apiKey: 'env' });
    const odd = inspect({ ...all, [variable]: 'files' });
    expect(odd.connection.apiKey).toBe('env');
    expect(odd.findings.map(({ code }) => code)).toEqual(['connection/credential-source']);
  });

  it('cli reads no environment and no ov.conf', () => {
    ovcli({});
    ovConf({ server: { url: 'http://old', root_api_key: 'old' } });
    const connection = connect({ ...all, OPENVIKING_MCP_URL: 'http://env/m', OPENVIKING_CREDENTIAL_SOURCE: 'cli' });
    expect(connection).toMatchObject({ baseUrl: DEFAULT_BASE_URL, mcpUrl: `${DEFAULT_BASE_URL}/mcp` });
    expect(connection).not.toHaveProperty('apiKey');
    expect(connection).not.toHaveProperty('account');
  });

  it('env reads no file', () => {
    everywhere();
    ovcli({
      url: 'http://cli',
      api_key: 'cli',
      user: 'cli',
      extra_headers: { 'X-A': '1' },
      plugin: { apiKey: 'plugin' },
    });
    const connection = connect({ OPENVIKING_CREDENTIAL_SOURCE: 'env' });
    expect(connection).toMatchObject({ baseUrl: DEFAULT_BASE_URL, extraHeaders: {} });
    expect(connection).not.toHaveProperty('apiKey');
    expect(connection).not.toHaveProperty('user');
  });

  it.each(CREDENTIAL_VARIABLES)(
    'auto lets the environment lead as soon as %s is set, and files fill the gaps',
    (variable) => {
      ovcli({ url: 'http://cli' });
      ovConf({ server: { root_api_key: 'old' }, zcode: { account: 'old' } });
      const connection = connect({ [variable]: 'http://env' });
      expect(connection.apiKey).toBe(/TOKEN|KEY/.test(variable) ? 'http://env' : 'old');
      expect(connection.baseUrl).toBe(
        /_(BASE_)?URL$/.test(variable) && !variable.includes('MCP') ? 'http://env' : 'http://cli',
      );
    },
  );

  it.each(['url', 'api_key', 'account', 'account_id', 'user', 'user_id', 'actor_peer_id', 'peer_id', 'agent_id'])(
    'auto lets ovcli.conf alone decide when it holds %s',
    (field) => {
      ovcli({ [field]: 'http://cli' });
      ovConf({ server: { url: 'http://old', root_api_key: 'old', auth_mode: 'trusted' }, zcode: { apiKey: 'old' } });
      const connection = connect();
      expect(connection.baseUrl).toBe(field === 'url' ? 'http://cli' : DEFAULT_BASE_URL);
      expect(connection.apiKey).toBe(field === 'api_key' ? 'http://cli' : undefined);
    },
  );

  it('auto asks ov.conf when ovcli.conf holds settings only', () => {
    ovcli({ output: 'json', timeout: 3, plugin: { recallLimit: 3 } });
    ovConf({ server: { url: 'http://old', root_api_key: 'old' } });
    expect(connect()).toMatchObject({ baseUrl: 'http://old', apiKey: 'old' });
  });
});

describe('named files', () => {
  it('OPENVIKING_CLI_CONFIG_FILE and OPENVIKING_CONFIG_FILE replace the usual ones', () => {
    ovcli({ api_key: 'usual' });
    ovcli({ url: 'http://other' }, 'other/cli.json');
    ovConf({ zcode: { recallLimit: 3 } }, 'other/ov.json');
    const env = { OPENVIKING_CLI_CONFIG_FILE: '~/other/cli.json', OPENVIKING_CONFIG_FILE: home.at('other/ov.json') };
    const resolved = loadSettings(contextOf(env));
    expect(resolved.connection).toMatchObject({ baseUrl: 'http://other', source: { apiKey: 'none' } });
    expect(resolved.provenance.recallLimit).toMatchObject({ layer: 'ov-conf', file: home.at('other/ov.json') });
  });

  it('an ovcli-shaped file named as OPENVIKING_CONFIG_FILE counts as ovcli.conf', () => {
    ovcli({ api_key: 'usual' });
    const file = ovcli({ url: 'http://other', plugin: { recallLimit: 3 } }, 'other/any.conf');
    const resolved = loadSettings(contextOf({ OPENVIKING_CONFIG_FILE: file }));
    expect(resolved.connection).toMatchObject({ baseUrl: 'http://other', source: { apiKey: 'none' } });
    expect(resolved.provenance.recallLimit).toMatchObject({ layer: 'ovcli', file });
  });

  it('but not when both are named, and not when it has a server section', () => {
    const file = ovcli({ url: 'http://other' }, 'other/any.conf');
    const named = ovcli({ api_key: 'named' }, 'other/cli.conf');
    expect(connect({ OPENVIKING_CONFIG_FILE: file, OPENVIKING_CLI_CONFIG_FILE: named })).toMatchObject({
      apiKey: 'named',
      baseUrl: DEFAULT_BASE_URL,
    });
    ovConf({ url: 'x', server: { url: 'http://server' } }, 'other/any.conf');
    expect(connect({ OPENVIKING_CONFIG_FILE: file }).baseUrl).toBe('http://server');
  });
});

describe('auth mode', () => {
  it('follows its order', () => {
    expect(connect().authMode).toBe('api_key');
    ovConf({ server: { auth_mode: 'trusted' } });
    expect(connect().authMode).toBe('trusted');
    ovConf({ server: { auth_mode: 'trusted' }, zcode: { authMode: 'api_key' } });
    expect(connect().authMode).toBe('api_key');
    ovcli({ auth_mode: 'trusted' });
    expect(connect().authMode).toBe('trusted');
    ovcli({ auth_mode: 'trusted', plugin: { authMode: 'api_key' } });
    expect(connect().authMode).toBe('api_key');
    ovcli({ plugin: { authMode: 'api_key', zcode: { auth_mode: 'trusted' } } });
    expect(connect().authMode).toBe('trusted');
    expect(connect({ OPENVIKING_AUTH_MODE: 'api_key' }).authMode).toBe('api_key');
  });

  it.each([{ account: 'a' }, { user: 'u' }])('is trusted with %j and nothing said', (identity) => {
    ovcli(identity);
    expect(connect().authMode).toBe('trusted');
    ovcli({ ...identity, plugin: { authMode: '' } });
    expect(connect().authMode).toBe('trusted');
  });

  it('does not follow a server mode that no client knows', () => {
    ovConf({ server: { auth_mode: 'dev' } });
    expect(connect().authMode).toBe('api_key');
  });
});

describe('extra headers', () => {
  it.each([
    ...['Content-Type', 'ACCEPT', 'authorization', 'MCP-Protocol-Version', 'mcp-session-id'],
    ...['Content-Length', 'Transfer-Encoding', 'Accept-Encoding', 'Host', 'Connection', 'Upgrade', 'User-Agent'],
  ])('can never set %s', (name) => {
    const file = ovcli({ extra_headers: { [name]: 'x', 'X-Gateway': 'y' } });
    const resolved = inspect();
    expect(resolved.connection.extraHeaders).toEqual({ 'X-Gateway': 'y' });
    expect(resolved.findings.map(({ code }) => code)).toEqual(['connection/protected-header']);
    expect(file).toBeTruthy();
  });

  it('are, like the key, always such as a request can carry: what is loaded never fails later', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.integer({ min: 0, max: 0xff }).map((unit) => String.fromCharCode(unit)) }),
    );
    const names = fc.oneof(fc.constantFrom('X-Gateway', 'Host', 'accept-encoding'), text);
    fc.assert(
      fc.property(fc.dictionary(names, text), text, text, (headers, apiKey, account) => {
        const connection = connect({
          OPENVIKING_EXTRA_HEADERS: JSON.stringify(headers),
          OPENVIKING_API_KEY: apiKey,
          OPENVIKING_ACCOUNT: account,
        });
        const sent = identityHeaders(connection, { userAgent: 'test/1' });
        for (const [name, value] of Object.entries(sent)) {
          validateHeaderName(name);
          validateHeaderValue(name, value);
        }
        expect(Object.keys(sent)).toEqual(expect.arrayContaining(Object.keys(connection.extraHeaders)));
      }),
    );
  });

  it('may come as extra_header, and hold numbers', () => {
    ovcli({ extra_header: { 'X-N': 7, 'X-Unset': null } });
    expect(connect().extraHeaders).toEqual({ 'X-N': '7' });
  });
});
