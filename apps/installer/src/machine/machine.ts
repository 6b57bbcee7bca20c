/**
 * Everything that the installer knows about where it runs, handed in once: tests and `--home` decide, and no module looks
 * at the process on its own.
 */
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { expandHome, homePaths, loadSettings, ovcliFile } from '@openviking/memory-core/full';
import type { HostFacts, ProxyModule, ResolvedSettings } from '@openviking/memory-core/full';
import type { PromptModule } from '../guided/prompter.ts';

export interface Machine {
  /** Absolute home folder that is acted on. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Environment; with `--home`, without the variables that point outside of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The interpreter that launchers try first. */
  readonly interpreter: string;
  /** Folder with the payloads that this package carries. */
  readonly payloadRoot: string;
  readonly version: string;
  /** Version of the interpreter, `20.18.1`. */
  readonly nodeVersion: string;
  /** The way through an HTTP proxy, in a bundle of its own: called only where the environment names a proxy. */
  loadProxy(): ProxyModule;
  /** What draws the questions of a guided run, in a bundle of its own; absent where nobody is to be asked. */
  loadPrompts?(): Promise<PromptModule>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  now(): Date;
  /** What starts this program again from any folder, for the receipts: hooks advise it, and know no PATH of the user's. */
  readonly command?: string;
  /** Where the program was started, absolute: a project there may have hooks and settings of its own. Default: the home. */
  readonly cwd?: string;
  /** Stands in front of absolute paths of the system, for tests. Default: nothing. */
  readonly systemRoot?: string;
  /** Variables that move files of clients. Default: none. */
  readonly locations?: ReadonlySet<string>;
  /** See `TransactionOptions.atPoint`. */
  readonly atPoint?: (point: number) => void;
}

/** Variables that move a file or folder which the installer or a hook of ours uses, whatever the client. */
const OWN_LOCATIONS =
  /^(OPENVIKING_(CLI_CONFIG_FILE|CONFIG_FILE|SPOOL_DIR|PENDING_DIR|HOOK_STATE_DIR|DEBUG_LOG)|ZDOTDIR|XDG_CONFIG_HOME|APPDATA|LOCALAPPDATA)$/;

/**
 * The environment for another home: what points outside of it would make the run touch the real one. `locations`: the
 * variables that move files of clients.
 */
export function environmentFor(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  locations: ReadonlySet<string>,
): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(env).filter(
    ([name, value]) =>
      !(OWN_LOCATIONS.test(name) || locations.has(name)) || (value !== undefined && isInside(home, value)),
  );
  return { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home };
}

/** The environment of a program that the installer starts: where to find programs, and the home; no credentials. */
export function childEnvironment(machine: Pick<Machine, 'env'>, home: string): Record<string, string> {
  const names = ['PATH', 'Path', 'SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'TMPDIR', 'LANG', 'LC_ALL'];
  const kept = names.flatMap((name) => {
    const value = machine.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home };
}

/**
 * Variables that tell a client's own command where its files are, so that it finds those of this run's home; with `--home`
 * the ones that point elsewhere are gone already.
 */
export function locationVariables({
  env,
  locations,
}: Pick<Machine, 'env' | 'locations'>): Readonly<Record<string, string>> {
  const found = Object.entries(env).flatMap(([name, value]) =>
    (OWN_LOCATIONS.test(name) || locations?.has(name) === true) &&
    !name.startsWith('OPENVIKING_') &&
    value !== undefined
      ? [[name, value]]
      : [],
  );
  return Object.fromEntries(found) as Record<string, string>;
}

/** Where the installer keeps things. */
export function installPaths(home: string) {
  const { root, state, logs } = homePaths(home);
  const install = join(root, 'install');
  const integrations = join(root, 'agent-integrations');
  return {
    root,
    install,
    lock: join(install, 'lock'),
    receipts: join(install, 'receipts'),
    receipt: (owner: string) => join(install, 'receipts', `${owner}.json`),
    integration: (name: string) => join(integrations, name),
    local: join(root, 'local'),
    logs,
    state,
  };
}

/** `ovcli.conf`, where hooks and the OpenViking command line look for it too. */
export function ovcliPath({ home, env }: Pick<Machine, 'home' | 'env'>): string {
  return ovcliFile({ home, env });
}

/** A client as settings see it: its name in them, and where its defaults differ from those of the others. */
export type SettingsOwner = Pick<HostFacts, 'id' | 'settingDefaults'>;

/** Settings and connection of one client, as its hooks resolve them outside of any workspace. */
export function settingsFor(
  { home, env }: Pick<Machine, 'home' | 'env'>,
  { id: harness, settingDefaults: defaults }: SettingsOwner,
): ResolvedSettings {
  return loadSettings({ harness, home, cwd: home, env, ...(defaults === undefined ? {} : { defaults }) });
}

function isInside(home: string, path: string): boolean {
  const way = relative(home, resolve(expandHome(path.trim(), home) ?? ''));
  return !/^\.\.(?:$|[\\/])/.test(way) && !isAbsolute(way);
}
