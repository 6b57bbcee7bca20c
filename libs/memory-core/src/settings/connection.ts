/**
 * Where the server is and with what to greet it. Hooks, MCP proxy, installer and doctor all end up here: two programs
 * that each read credentials in their own way sooner or later talk to two servers.
 */
import type { Connection, Settings, SettingsContext } from '../contract/settings.ts';
import { isHeaderName, isHeaderValue, isProtectedHeader } from '../http/identity-headers.ts';
import type { CredentialParts, Section, Sections } from './layers.ts';
import type { Report } from './problem.ts';
import { PLUGIN_CREDENTIALS } from './schema.ts';
import type { PluginCredential } from './schema.ts';
import { isUnset, textOf } from './value.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:1933';

/** The order of variables and ovcli.conf fields for each value. */
const ORDER = {
  url: { variables: ['OPENVIKING_URL', 'OPENVIKING_BASE_URL'], fields: ['url'] },
  mcpUrl: { variables: ['OPENVIKING_MCP_URL'], fields: [] },
  apiKey: { variables: ['OPENVIKING_BEARER_TOKEN', 'OPENVIKING_API_KEY'], fields: ['api_key'] },
  account: { variables: ['OPENVIKING_ACCOUNT'], fields: ['account', 'account_id'] },
  user: { variables: ['OPENVIKING_USER'], fields: ['user', 'user_id'] },
  peer: { variables: ['OPENVIKING_PEER_ID'], fields: ['actor_peer_id', 'peer_id', 'agent_id'] },
} as const satisfies Readonly<Record<string, { variables: readonly string[]; fields: readonly string[] }>>;

const ORDERED = Object.values(ORDER);

/** The environment leads as soon as one of these is set. */
export const CREDENTIAL_VARIABLES: readonly string[] = ORDERED.flatMap(({ variables }) => variables);
const OVCLI_CREDENTIALS: readonly string[] = ORDERED.flatMap(({ fields }) => fields);

export const MODE_VARIABLES: readonly string[] = ['OPENVIKING_CREDENTIAL_SOURCE', 'OPENVIKING_CREDENTIALS_SOURCE'];

export interface ConnectionInput {
  readonly env: SettingsContext['env'];
  readonly sections: Sections;
  readonly parts: CredentialParts;
  readonly settings: Pick<Settings, 'authMode' | 'extraHeaders' | 'caFile'>;
  readonly report: Report;
}

/**
 * Who may speak about credentials. `auto`: the environment leads as soon as it holds a credential, files fill its gaps;
 * otherwise ovcli.conf alone decides when it holds one, so that a key of an old ov.conf never goes to its server.
 */
export function credentialParts(
  env: SettingsContext['env'],
  sections: Pick<Sections, 'ovcli'>,
  report: Report,
): CredentialParts {
  const key = MODE_VARIABLES.find((variable) => !isUnset(env[variable]));
  const word = key === undefined ? 'auto' : textOf(env[key])?.toLowerCase();
  const mode = word === 'env' || word === 'cli' ? word : 'auto';
  if (mode !== word) report({ code: 'connection/credential-source', ...(key === undefined ? {} : { key }) });
  const environmentLeads = CREDENTIAL_VARIABLES.some((variable) => !isUnset(env[variable]));
  const ovcliHolds = sections.ovcli.some((section) => section.find(OVCLI_CREDENTIALS) !== undefined);
  return {
    mode,
    environment: mode !== 'cli',
    ovcli: mode !== 'env',
    ovConf: mode === 'auto' && (environmentLeads || !ovcliHolds),
  };
}

/** Resolves the connection. Never throws; what cannot be used is left out with a problem that names no value. */
export function resolveConnection(input: ConnectionInput): Connection {
  const { sections, parts, settings } = input;
  const server = parts.ovConf ? sections.ovConfServer : [];
  const base = leading(input, 'url') ?? textIn(server, ['url']) ?? hostAndPort(server);
  const baseUrl = reachable(base?.text ?? DEFAULT_BASE_URL);
  const mcpUrl = leading(input, 'mcpUrl');
  const apiKey = credential(input, 'apiKey', textIn(server, ['root_api_key']));
  const account = credential(input, 'account');
  const user = credential(input, 'user');
  const serverMode = textIn(server, ['auth_mode'])?.text.toLowerCase();
  const guessed = account !== undefined || user !== undefined ? 'trusted' : 'api_key';
  return {
    baseUrl,
    mcpUrl: mcpUrl === undefined ? `${baseUrl}/mcp` : reachable(mcpUrl.text),
    ...(apiKey && { apiKey: apiKey.text }),
    ...(account && { account: account.text }),
    ...(user && { user: user.text }),
    authMode: settings.authMode || (serverMode === 'trusted' || serverMode === 'api_key' ? serverMode : guessed),
    extraHeaders: allowedHeaders(input),
    ...(settings.caFile === undefined ? {} : { caFile: settings.caFile }),
    source: { url: base?.source ?? 'default', apiKey: apiKey?.source ?? 'none' },
  };
}

interface Credential {
  readonly text: string;
  /** For people: file and key, or variable. */
  readonly source: string;
}

/** Environment, then the CLI's own field. */
function leading({ env, sections, parts }: ConnectionInput, name: keyof typeof ORDER): Credential | undefined {
  for (const source of parts.environment ? ORDER[name].variables : []) {
    const text = textOf(env[source]);
    if (text !== undefined) return { text, source };
  }
  return parts.ovcli ? textIn(sections.ovcli, ORDER[name].fields) : undefined;
}

/** The order for key, account and user: the above, the plugin sections of ovcli.conf, ov.conf. */
function credential(input: ConnectionInput, name: PluginCredential, last?: Credential): Credential | undefined {
  const { sections, parts, report } = input;
  const spellings = [name, ...PLUGIN_CREDENTIALS[name]];
  const found =
    leading(input, name) ??
    textIn(parts.ovcli ? [...sections.pluginHarness, ...sections.plugin] : [], spellings) ??
    textIn(parts.ovConf ? sections.ovConfHarness : [], spellings) ??
    last;
  if (found === undefined || isHeaderValue(found.text)) return found;
  report({ code: 'connection/unusable-credential', key: found.source });
  return undefined;
}

function textIn(sections: readonly Section[], names: readonly string[]): Credential | undefined {
  for (const section of sections) {
    const found = section.find(names);
    const text = textOf(found?.raw);
    if (found !== undefined && text !== undefined) return { text, source: `${section.file} ${found.key}` };
  }
  return undefined;
}

function hostAndPort(server: readonly Section[]): Credential | undefined {
  const host = textIn(server, ['host']);
  const port = textIn(server, ['port']);
  const source = (host ?? port)?.source;
  if (source === undefined) return undefined;
  const name = host?.text ?? '127.0.0.1';
  return { text: `http://${/^[^[].*:/.test(name) ? `[${name}]` : name}:${port?.text ?? '1933'}`, source };
}

/** An address that servers listen on but nobody can call becomes the loopback; trailing slashes go. */
function reachable(url: string): string {
  return url
    .replace(/^(https?:\/\/)0\.0\.0\.0(?=[:/]|$)/i, '$1127.0.0.1')
    .replace(/^(https?:\/\/)\[::\](?=[:/]|$)/i, '$1[::1]')
    .replace(/([^:/])\/+$/, '$1');
}

function allowedHeaders({ settings, report }: ConnectionInput): Readonly<Record<string, string>> {
  const allowed = Object.entries(settings.extraHeaders).filter(([key, value]) => {
    const known = isProtectedHeader(key);
    if (!known && isHeaderName(key) && isHeaderValue(value)) return true;
    report({ code: known ? 'connection/protected-header' : 'connection/invalid-header', key });
    return false;
  });
  return Object.fromEntries(allowed);
}
