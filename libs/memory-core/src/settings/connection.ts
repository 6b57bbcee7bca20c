/**
 * Where the server is and with what to greet it. Hooks, MCP proxy, installer and doctor all end up here: two programs
 * that each read credentials in their own way sooner or later talk to two servers.
 */
import type { Finding } from '../contract/finding.ts';
import type { Connection, Settings, SettingsContext } from '../contract/settings.ts';
import type { CredentialParts, Found, Section, Sections } from './layers.ts';
import { PLUGIN_CREDENTIALS } from './schema.ts';
import type { PluginCredential } from './schema.ts';
import { isUnset, textOf } from './value.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:1933';
const DEFAULT_PORT = 1933;

/** The environment leads as soon as one of these is set. */
export const CREDENTIAL_VARIABLES = [
  'OPENVIKING_URL',
  'OPENVIKING_BASE_URL',
  'OPENVIKING_MCP_URL',
  'OPENVIKING_BEARER_TOKEN',
  'OPENVIKING_API_KEY',
  'OPENVIKING_ACCOUNT',
  'OPENVIKING_USER',
  'OPENVIKING_PEER_ID',
] as const;

export const MODE_VARIABLES = ['OPENVIKING_CREDENTIAL_SOURCE', 'OPENVIKING_CREDENTIALS_SOURCE'] as const;

const MODES: Readonly<Record<string, CredentialParts['mode']>> = {
  auto: 'auto',
  env: 'env',
  environment: 'env',
  cli: 'cli',
  ovcli: 'cli',
};

/** Top-level fields of ovcli.conf that make it the one source in `auto` mode. */
const OVCLI_CREDENTIALS = {
  url: ['url'],
  key: ['api_key'],
  account: ['account', 'account_id'],
  user: ['user', 'user_id'],
  peer: ['actor_peer_id', 'peer_id', 'agent_id'],
} as const;

/** Header names that the user's own headers can never set: ours, and those that frame a request. */
const PROTECTED_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'accept',
  'authorization',
  'mcp-protocol-version',
  'mcp-session-id',
  'content-length',
  'transfer-encoding',
]);

export interface ConnectionInput {
  readonly env: SettingsContext['env'];
  readonly sections: Sections;
  readonly parts: CredentialParts;
  readonly settings: Pick<Settings, 'authMode' | 'extraHeaders' | 'caFile'>;
  readonly report: (finding: Finding) => void;
}

/**
 * Who may speak about credentials. `auto`: the environment leads as soon as it holds a credential, files fill its gaps;
 * otherwise ovcli.conf alone decides when it holds one, so that a key of an old ov.conf never goes to its server.
 */
export function credentialParts(
  env: SettingsContext['env'],
  sections: Pick<Sections, 'ovcli'>,
  report: (finding: Finding) => void,
): CredentialParts {
  const variable = MODE_VARIABLES.find((name) => !isUnset(env[name]));
  const word = variable === undefined ? 'auto' : (textOf(env[variable]) ?? '').toLowerCase();
  const known = Object.hasOwn(MODES, word) ? MODES[word] : undefined;
  if (known === undefined) {
    report({
      code: 'connection/credential-source',
      severity: 'warn',
      message: `${variable} is none of auto, env, cli; auto is used.`,
      fix: `Set ${variable} to auto, env or cli.`,
    });
  }
  const mode = known ?? 'auto';
  const environmentLeads = CREDENTIAL_VARIABLES.some((name) => !isUnset(env[name]));
  const ovcliHolds = sections.ovcli.some(
    (section) => section.find(Object.values(OVCLI_CREDENTIALS).flat()) !== undefined,
  );
  return {
    mode,
    environment: mode !== 'cli',
    ovcli: mode !== 'env',
    ovConf: mode === 'auto' && (environmentLeads || !ovcliHolds),
  };
}

/** Resolves the connection. Never throws; what cannot be used is left out with a finding that names no value. */
export function resolveConnection(input: ConnectionInput): Connection {
  const { env, sections, parts, settings, report } = input;
  const base = baseUrl(input);
  const key = credential(input, 'apiKey', ['OPENVIKING_BEARER_TOKEN', 'OPENVIKING_API_KEY'], OVCLI_CREDENTIALS.key, [
    'root_api_key',
  ]);
  const account = credential(input, 'account', ['OPENVIKING_ACCOUNT'], OVCLI_CREDENTIALS.account);
  const user = credential(input, 'user', ['OPENVIKING_USER'], OVCLI_CREDENTIALS.user);
  const mcpUrl = parts.environment ? textOf(env['OPENVIKING_MCP_URL']) : undefined;
  const serverMode = parts.ovConf ? textIn(sections.ovConfServer, ['auth_mode'])?.text.toLowerCase() : undefined;
  const identified = account !== undefined || user !== undefined;
  return {
    baseUrl: base.url,
    mcpUrl: mcpUrl === undefined ? `${base.url}/mcp` : reachable(mcpUrl),
    ...(key === undefined ? {} : { apiKey: key.text }),
    ...(account === undefined ? {} : { account: account.text }),
    ...(user === undefined ? {} : { user: user.text }),
    authMode:
      settings.authMode !== ''
        ? settings.authMode
        : serverMode === 'trusted' || serverMode === 'api_key'
          ? serverMode
          : identified
            ? 'trusted'
            : 'api_key',
    extraHeaders: allowedHeaders(settings.extraHeaders, report),
    ...(settings.caFile === undefined ? {} : { caFile: settings.caFile }),
    source: { url: base.source, apiKey: key?.source ?? 'none' },
  };
}

interface Credential {
  readonly text: string;
  /** For people: file and key, or variable. */
  readonly source: string;
}

function baseUrl({ env, sections, parts, report }: ConnectionInput): { url: string; source: string } {
  const server = parts.ovConf ? sections.ovConfServer : [];
  const found =
    (parts.environment ? inEnvironment(env, ['OPENVIKING_URL', 'OPENVIKING_BASE_URL']) : undefined) ??
    (parts.ovcli ? textIn(sections.ovcli, OVCLI_CREDENTIALS.url) : undefined) ??
    textIn(server, ['url']) ??
    hostAndPort(server);
  if (found === undefined) return { url: DEFAULT_BASE_URL, source: 'default' };
  const url = reachable(found.text);
  const better = betterBaseUrl(url);
  if (better !== undefined) {
    report({
      code: 'connection/base-url',
      severity: 'error',
      message: `The server address from ${found.source} ${better.problem}.`,
      fix: `Write ${better.write} instead.`,
    });
  }
  return { url, source: found.source };
}

function hostAndPort(server: readonly Section[]): Credential | undefined {
  const host = textIn(server, ['host']);
  const port = textIn(server, ['port']);
  const given = host ?? port;
  if (given === undefined) return undefined;
  const name = host?.text ?? '127.0.0.1';
  return {
    text: `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port?.text ?? DEFAULT_PORT}`,
    source: given.source,
  };
}

/** An address that servers listen on but nobody can call becomes the loopback; trailing slashes go. */
function reachable(url: string): string {
  return url
    .replace(/^(https?:\/\/)0\.0\.0\.0(?=[:/]|$)/i, '$1127.0.0.1')
    .replace(/^(https?:\/\/)\[::\](?=[:/]|$)/i, '$1[::1]')
    .replace(/\/+$/, '');
}

/** What is wrong with a base URL, and what to write; undefined when nothing is. */
export function betterBaseUrl(url: string): { readonly problem: string; readonly write: string } | undefined {
  const bare = url.replace(/\s+/g, '');
  const whole = /^https?:\/\//i.test(bare) ? bare : `http://${bare.replace(/^[a-z][a-z0-9+.-]*:\/\/|^\/+/i, '')}`;
  const write = whole.replace(/(?:\/(?:api(?:\/v1)?|mcp)\/*)+$/i, '').replace(/^(https?:\/\/)[^/@]*@/i, '$1');
  if (bare !== url) return { problem: 'contains blanks', write };
  if (whole !== bare) return { problem: 'does not start with http:// or https://', write };
  if (/\/(?:api(?:\/v1)?|mcp)\/*$/i.test(url)) return { problem: 'names an API path, which is added by itself', write };
  return URL.canParse(url)
    ? undefined
    : { problem: 'is not a valid URL', write: `an address like ${DEFAULT_BASE_URL}` };
}

/** The order for key, account and user: environment, ovcli.conf, its plugin sections, ov.conf. */
function credential(
  { env, sections, parts, report }: ConnectionInput,
  name: PluginCredential,
  variables: readonly string[],
  fields: readonly string[],
  serverFields: readonly string[] = [],
): Credential | undefined {
  const spellings = [name, ...PLUGIN_CREDENTIALS[name]];
  const candidates = [
    parts.environment ? inEnvironment(env, variables) : undefined,
    parts.ovcli ? textIn(sections.ovcli, fields) : undefined,
    parts.ovcli ? textIn([...sections.pluginHarness, ...sections.plugin], spellings) : undefined,
    parts.ovConf ? textIn(sections.ovConfHarness, spellings) : undefined,
    parts.ovConf ? textIn(sections.ovConfServer, serverFields) : undefined,
  ];
  const found = candidates.find((candidate) => candidate !== undefined);
  if (found === undefined || isHeaderValue(found.text)) return found;
  report({
    code: 'connection/unusable-credential',
    severity: 'error',
    message: `${found.source} is ignored: it holds characters that cannot be sent in a header.`,
    fix: 'Copy it again, without line breaks.',
  });
  return undefined;
}

function inEnvironment(env: SettingsContext['env'], variables: readonly string[]): Credential | undefined {
  for (const variable of variables) {
    const text = textOf(env[variable]);
    if (text !== undefined) return { text, source: variable };
  }
  return undefined;
}

function textIn(sections: readonly Section[], names: readonly string[]): Credential | undefined {
  for (const section of sections) {
    const found: Found | undefined = section.find(names);
    const text = textOf(found?.raw);
    if (found !== undefined && text !== undefined) return { text, source: `${section.source.file} ${found.key}` };
  }
  return undefined;
}

/** What Node.js accepts as a header value: visible Latin-1, blanks and tabs. */
function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

function allowedHeaders(
  headers: Readonly<Record<string, string>>,
  report: (finding: Finding) => void,
): Readonly<Record<string, string>> {
  const allowed = Object.entries(headers).filter(([name, value]) => {
    const known = PROTECTED_HEADERS.has(name.toLowerCase());
    if (!known && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && isHeaderValue(value)) return true;
    report({
      code: known ? 'connection/protected-header' : 'connection/invalid-header',
      severity: 'warn',
      message: known
        ? `The extra header ${name} is left out: it is set by the integration itself.`
        : `The extra header ${JSON.stringify(name.slice(0, 60))} is left out: name or value cannot be sent.`,
      fix: 'Remove it from the extra headers.',
    });
    return false;
  });
  return Object.fromEntries(allowed);
}
