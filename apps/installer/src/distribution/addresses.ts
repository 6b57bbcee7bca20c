/**
 * Where plugins are published, and the variables that say another place. An address ends up in a client's configuration and
 * in its command line, so one with a password in it is refused; so is one that anybody on the way could answer for.
 */
import { isLoopback } from './loopback.ts';
import { Refusal } from '../cli/refusal.ts';
import type { Distribution } from './plugin-source.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Place {
  /** Folder with the archives of a release; `{version}` stands for it. */
  readonly archives: { readonly variable: string; readonly usual: string };
  /** Repository that is a marketplace; none: it has to be named. */
  readonly git: { readonly variable: string; readonly usual?: string };
  /** Hosts that may answer in place of the one that was asked, and everything below a name that starts with a dot. */
  readonly hosts: readonly string[];
}

const PLACES: Readonly<Record<Distribution, Place>> = {
  github: {
    archives: {
      variable: 'OPENVIKING_DIST_GITHUB_URL',
      usual: 'https://github.com/volcengine/OpenViking/releases/download/v{version}',
    },
    git: { variable: 'OPENVIKING_DIST_GITHUB_GIT_URL', usual: 'https://github.com/volcengine/OpenViking.git' },
    // Release files lie there.
    hosts: ['.githubusercontent.com'],
  },
  tos: {
    archives: {
      variable: 'OPENVIKING_DIST_TOS_URL',
      usual: 'https://openviking.tos-cn-beijing.volces.com/plugins/{version}',
    },
    git: { variable: 'OPENVIKING_DIST_TOS_GIT_URL' },
    hosts: [],
  },
};

/** Further hosts that may answer, separated by commas. */
export const HOSTS_VARIABLE = 'OPENVIKING_DIST_HOSTS';

/** The repository that the client is given. Throws a refusal. */
export function gitAddress(dist: Distribution, env: Environment): string {
  const { variable, usual } = PLACES[dist].git;
  const value = valueOf(env, variable) ?? usual;
  if (value !== undefined) return checked(value, variable);
  throw new Refusal({
    code: 'dist/no-git-address',
    exitCode: 2,
    say: (t) => t.noGitAddress(dist),
    next: (t) => t.noGitAddressNext(dist, variable),
  });
}

/** The folder of the archives, with `{version}` in it where it differs between releases. Throws a refusal. */
export function archiveBase(dist: Distribution, env: Environment): string {
  const { variable, usual } = PLACES[dist].archives;
  return checked(valueOf(env, variable) ?? usual, variable).replace(/\/+$/, '');
}

/** The archive with a client's plugin. Its checksum lies beside it, under the same name with `.sha256`. */
export function archiveAddress(base: string, client: string, version: string): string {
  return `${base.replaceAll('{version}', version)}/openviking-memory-${client}-${version}.tgz`;
}

/** True when that host may answer in place of the one that was asked. `host` with its port, as URLs have it. */
export function mayAnswer(host: string, dist: Distribution, env: Environment): boolean {
  const own = (valueOf(env, HOSTS_VARIABLE) ?? '').split(',').map((name) => name.trim().toLowerCase());
  return [...PLACES[dist].hosts, ...own.filter(Boolean)].some((name) =>
    name.startsWith('.') ? host.endsWith(name) : host === name,
  );
}

function valueOf(env: Environment, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === '' ? undefined : value;
}

function checked(value: string, variable: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  // A blank or a control character would have been encoded away, and a leading hyphen be taken for a flag.
  if (isSafe && url.username + url.password + url.search + url.hash === '' && /^https?:\/\/[!-~]+$/.test(value))
    return value;
  throw new Refusal({
    code: 'dist/address',
    exitCode: 2,
    say: (t) => t.distAddress(variable),
    next: (t) => t.distAddressNext(variable),
  });
}
