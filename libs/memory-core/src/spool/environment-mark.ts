/**
 * Variables of one shell may send what is said there to a server, or into an account, of its own. Whoever delivers later is
 * another process, often of another shell: it has to tell whether its own environment is the one that was meant.
 */
import { shortHash } from '../session/short-hash.ts';
import { CREDENTIAL_VARIABLES, MODE_VARIABLES } from '../settings/connection.ts';
import { isUnset } from '../settings/value.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PEER_VARIABLE = 'OPENVIKING_PEER_ID';

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
 * '' where no such variable is set: the files decide. Else 32 bits of a hash, which tell nothing of a key. Of the peer only
 * counts that there is one: it makes the environment lead, and its value lies with every turn.
 */
export function environmentMark(env: Environment): string {
  const set = DESTINATION_VARIABLES.filter((name) => !isUnset(env[name]));
  return set.length === 0
    ? ''
    : shortHash(JSON.stringify(set.map((name) => (name === PEER_VARIABLE ? name : [name, env[name]?.trim()]))), 8);
}

/** The environment of a shell in which none of them is set. */
export function withoutDestination(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !DESTINATION_VARIABLES.includes(name)));
}

/** The environment of a shell that says nothing about the memory but where its server is. */
export function withoutSettings(env: Environment): Environment {
  const isKept = (name: string): boolean => !name.startsWith('OPENVIKING_') || DESTINATION_VARIABLES.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}
