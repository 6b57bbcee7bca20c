/**
 * Variables of one shell may send what is said there to a server, or into an account, of its own. Whoever delivers later is
 * another process, often of another shell: it has to tell whether its own environment is the one that was meant.
 */
import { shortHash } from '../session/short-hash.ts';
import { CREDENTIAL_VARIABLES, MODE_VARIABLES } from '../settings/connection.ts';
import { isUnset } from '../settings/value.ts';
import type { Origin } from './record.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Other names for the same thing; what they say counts only where the first name says nothing. */
const SAME: Readonly<Record<string, string>> = {
  OPENVIKING_BASE_URL: 'OPENVIKING_URL',
  OPENVIKING_API_KEY: 'OPENVIKING_BEARER_TOKEN',
  OPENVIKING_CREDENTIALS_SOURCE: 'OPENVIKING_CREDENTIAL_SOURCE',
};

/**
 * Of these only counts that there is one, which makes the environment lead: the peer lies with every turn, and nothing is
 * delivered to the MCP endpoint.
 */
const WITHOUT_VALUE: readonly string[] = ['OPENVIKING_PEER_ID', 'OPENVIKING_MCP_URL'];

/** Everything in an environment that says where the server is and who speaks to it. */
export const DESTINATION_VARIABLES: readonly string[] = [
  ...CREDENTIAL_VARIABLES,
  ...MODE_VARIABLES,
  'OPENVIKING_CLI_CONFIG_FILE',
  'OPENVIKING_CONFIG_FILE',
  'OPENVIKING_AUTH_MODE',
  'OPENVIKING_EXTRA_HEADERS',
];

/**
 * '' where no such variable is set: the files decide. Else 32 bits of a hash, which tell nothing of a key, and which are the same
 * however the same destination is written.
 *
 * The key counts, although a new one then looks like another person's: only the server knows whose memory a key opens, and a
 * refused key does not tell whose it was. Whoever has changed the key says so with `spool retry --here`, see `readdress.ts`.
 */
export function environmentMark(env: Environment): string {
  const said = new Map<string, string>();
  for (const name of DESTINATION_VARIABLES) {
    const key = SAME[name] ?? name;
    const text = env[name]?.trim();
    if (!isUnset(text) && !said.has(key)) said.set(key, WITHOUT_VALUE.includes(name) ? '' : normal(key, text ?? ''));
  }
  return said.size === 0 ? '' : shortHash(JSON.stringify([...said]), 8);
}

/** True where something goes to a server, or with a key, that is not for whoever has the mark `here` to know. */
export function isElsewhere({ environment = '' }: Origin, here: string): boolean {
  return environment !== '' && environment !== here;
}

/** An address without what makes no difference: case of its host, the usual port, slashes at its end. */
function normal(name: string, text: string): string {
  return name === 'OPENVIKING_URL' && URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : text;
}

/** The environment of a shell in which none of them is set. */
export function withoutDestination(env: Environment, platform: NodeJS.Platform = process.platform): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isDestination(name, platform)));
}

/** The environment of a shell that says nothing about the memory but where its server is. */
export function withoutSettings(env: Environment, platform: NodeJS.Platform = process.platform): Environment {
  const isKept = (name: string): boolean =>
    !systemName(name, platform).startsWith('OPENVIKING_') || isDestination(name, platform);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}

function isDestination(name: string, platform: NodeJS.Platform): boolean {
  return DESTINATION_VARIABLES.includes(systemName(name, platform));
}

/** Windows knows a variable by its name in any case and lists it in the case in which it was set; a copy of the list is no longer so generous. */
function systemName(name: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? name.toUpperCase() : name;
}
