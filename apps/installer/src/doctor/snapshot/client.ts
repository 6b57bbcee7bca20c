/** Everything that concerns one client, read once: receipt, program files, its configuration, signs of life. */
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inspectSettings, OpenVikingError } from '@openviking/memory-core/full';
import type {
  ConfigFile,
  ConfigOperation,
  HarnessDeclaration,
  Localized,
  ResolvedSettings,
} from '@openviking/memory-core/full';
import { ENGLISH } from '../../cli/messages-en.ts';
import { CHINESE } from '../../cli/messages-zh.ts';
import { Refusal } from '../../cli/refusal.ts';
import { detect } from '../../clients/detect.ts';
import { requireFoldersOnTheWay } from '../../clients/file-in-the-way.ts';
import { findCommand } from '../../clients/find-command.ts';
import { findPlugin } from '../../clients/plugin.ts';
import { installedPlace } from '../../clients/installed-place.ts';
import { surveyClient, surveyFromReceipt } from '../../clients/survey.ts';
import { danglingLink } from '../../files/dangling-link.ts';
import { isThere } from '../../files/folders.ts';
import { readImage } from '../../files/image.ts';
import { decodeConfig } from '../../json/document.ts';
import { installPaths } from '../../machine/machine.ts';
import { damagedFiles, openPayload, readManifest } from '../../payload/payload.ts';
import { planClient, wiringFor } from '../../plan/client-plan.ts';
import { switchedOffIn } from '../../registration/mentions.ts';
import { hasMark, readReceipt } from '../../receipts/receipt.ts';
import { readHeartbeats } from '../../status/heartbeat.ts';
import { brokenRules, findEntries } from './entries.ts';
import { readManaged } from './managed.ts';
import { offInProjects } from './off-in-projects.ts';
import { readLauncher } from './launcher.ts';
import type { Phrase } from '../../cli/refusal.ts';
import type { FoundPlugin } from '../../clients/plugin.ts';
import type { Elsewhere } from '../../clients/installed-place.ts';
import type { ClientSurvey } from '../../clients/survey.ts';
import type { DanglingLink } from '../../files/dangling-link.ts';
import type { Machine } from '../../machine/machine.ts';
import type { Payload } from '../../payload/payload.ts';
import type { Note } from '../../plan/note.ts';
import type { RegistrationReceipt } from '../../registration/plugin-change.ts';
import type { ClientReceipt } from '../../receipts/receipt.ts';
import type { Heartbeat } from '../../status/heartbeat.ts';
import type { BrokenRule, FileEntries } from './entries.ts';
import type { ManagedOff } from './managed.ts';
import type { OffInProject } from './off-in-projects.ts';
import type { LauncherSnapshot } from './launcher.ts';

export interface ClientSnapshot {
  readonly client: HarnessDeclaration;
  /** The sign by which the client was found on this machine. */
  readonly detectedAt?: string;
  readonly receipt?: ClientReceipt;
  readonly receiptPath: string;
  /** There is a receipt that this program cannot read; `isFile` is false for a folder in its place. */
  readonly brokenReceipt?: { readonly path: string; readonly isFile: boolean };
  /** The client, started from this shell, looks for its files in another place than the wired one. */
  readonly elsewhere?: Elsewhere;
  /** Only with a receipt. */
  readonly program?: ProgramSnapshot;
  /** What the machine's administrator has settled against hooks. */
  readonly managed: readonly ManagedOff[];
  readonly configs: readonly ConfigSnapshot[];
  readonly owned: readonly OwnedSnapshot[];
  readonly heartbeats: readonly Heartbeat[];
  /** When the client last started our MCP server: ISO 8601. */
  readonly serverStarted?: string;
  readonly plugin?: FoundPlugin;
  /** Where the user has switched off the plugin that we have registered. */
  readonly switchedOff?: { readonly file: string; readonly line: number; readonly path: readonly string[] };
  /** How the MCP server of a plugin from a marketplace is started; only where the client has one. */
  readonly packagedNode?: PackagedNode;
  /** What an installation of the carried version would change in the client's own files, and its remarks. */
  readonly rewiring: Rewiring;
  readonly settings: ResolvedSettings;
  /** False when the settings name a certificate authority's file that is not there, or holds no certificate. */
  readonly hasCaFile: boolean;
  /** Rules of filters that do not compile, by setting; the number of a rule counts from 1. */
  readonly badFilters: readonly { readonly setting: string; readonly rule: number; readonly error: string }[];
}

export interface PackagedNode {
  readonly variable: string;
  /** What the variable is set to. */
  readonly path?: string;
  /** Whether what would be started is there. */
  readonly isThere: boolean;
}

export interface ProgramSnapshot {
  readonly folder: string;
  readonly version: string;
  /** False: not even the folder of its version is there. */
  readonly isThere: boolean;
  /** Files that are missing or changed. */
  readonly damaged: readonly string[];
  /** The version that this package carries. */
  readonly carried?: string;
  readonly launcher: LauncherSnapshot;
}

export interface ConfigSnapshot {
  readonly path: string;
  /** `create` of the declaration: whether the client needs the file to be there. */
  readonly isNeeded: boolean;
  readonly state: ConfigState;
}

export type ConfigState =
  | {
      readonly kind: 'absent';
      readonly link?: DanglingLink;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: Localized; readonly place?: Place }
  | {
      readonly kind: 'read';
      readonly entries: FileEntries;
      readonly rules: readonly BrokenRule[];
      readonly offInProjects: readonly OffInProject[];
    };

interface Place {
  readonly line: number;
  readonly column: number;
}

export interface OwnedSnapshot {
  readonly path: string;
  readonly state: 'intact' | 'changed' | 'missing';
}

export type Rewiring =
  | {
      readonly kind: 'planned';
      readonly isNeeded: boolean;
      /** The client's own commands would have to be asked: its plugin is not registered as it was. */
      readonly needsCommands: boolean;
      readonly notes: readonly Note[];
    }
  | { readonly kind: 'refused'; readonly message: Localized; readonly file?: string };

export async function readClient(
  shell: Machine,
  client: HarnessDeclaration,
  language: keyof Localized,
  cwd: string,
  asksClients: boolean,
): Promise<ClientSnapshot> {
  const { home, env } = shell;
  const receiptPath = installPaths(home).receipt(client.id);
  const receipt = receiptOf(receiptPath);
  const { machine, elsewhere } = installedPlace(client, shell, receipt);
  const survey = asksClients
    ? await surveyClient(client, machine, receipt?.wishes ?? {})
    : await surveyFromReceipt(client, machine, receipt ?? {});
  const payload = payloadOf(machine, client);
  const detectedAt = detect(client, machine);
  const plugin = pluginOf(client, machine);
  const switchedOff = receipt?.registration === undefined ? undefined : switchedOffAt(receipt.registration);
  const settings = inspectSettings(
    { harness: client.id, defaults: client.settingDefaults, home, cwd, env },
    undefined,
    language,
  );
  const beats = readHeartbeats(client, home);
  return {
    client,
    receiptPath,
    ...(detectedAt === undefined ? {} : { detectedAt }),
    ...(receipt === undefined ? {} : { receipt, program: await readProgram(machine, receipt, payload) }),
    ...(receipt === undefined && isThere(receiptPath)
      ? { brokenReceipt: { path: receiptPath, isFile: quietly(() => statSync(receiptPath).isFile()) ?? false } }
      : {}),
    ...(elsewhere === undefined ? {} : { elsewhere }),
    managed: readManaged(client, machine),
    configs: wiringFor(client, machine, survey).files.map(readConfig),
    owned: (receipt?.owned ?? []).map(({ path, left }) => {
      const image = quietly(() => readImage(path));
      return { path, state: image === undefined ? 'missing' : hasMark(image, left) ? 'intact' : 'changed' };
    }),
    heartbeats: beats.hooks,
    ...(beats.serverStarted === undefined ? {} : { serverStarted: beats.serverStarted }),
    ...(plugin === undefined ? {} : { plugin }),
    ...(switchedOff === undefined ? {} : { switchedOff }),
    ...packagedNode(client, receipt, machine),
    rewiring: await planRewiring(machine, client, payload, survey, asksClients),
    settings,
    hasCaFile: settings.connection.caFile === undefined || hasCertificate(settings.connection.caFile),
    badFilters: filtersOf(payload, settings),
  };
}

function receiptOf(path: string): ClientReceipt | undefined {
  return quietly(() => readReceipt(path, 'client'));
}

/** Undefined in a package that was not built with this client. */
function payloadOf(machine: Machine, { id }: HarnessDeclaration): Payload | undefined {
  return quietly(() => openPayload(machine.payloadRoot, id));
}

async function readProgram(
  machine: Machine,
  receipt: ClientReceipt,
  carried: Payload | undefined,
): Promise<ProgramSnapshot> {
  const { version } = receipt.payload;
  const folder = join(receipt.payload.folder, version);
  // The package's own manifest where it has the same version: one on the machine may be damaged like the rest.
  const manifest = carried?.manifest.version === version ? carried.manifest : readManifest(folder);
  return {
    folder,
    version,
    isThere: isThere(folder),
    damaged: manifest === undefined ? ['manifest.json'] : damagedFiles(folder, manifest),
    ...(carried === undefined ? {} : { carried: carried.manifest.version }),
    launcher: await readLauncher(machine, receipt.launcher),
  };
}

interface WiredFile {
  readonly file: ConfigFile;
  /** What another form of the wiring would put there. */
  readonly surplus: readonly ConfigOperation[];
}

function readConfig({ file, surplus }: WiredFile): ConfigSnapshot {
  return { path: file.path, isNeeded: file.create === 'always', state: stateOf(file, surplus) };
}

function stateOf(file: ConfigFile, surplus: readonly ConfigOperation[]): ConfigState {
  try {
    const image = readImage(file.path);
    if (image === undefined) {
      const link = danglingLink(file.path);
      return { kind: 'absent', ...(link === undefined ? {} : { link }) };
    }
    const text = decodeConfig(image.bytes, file.path);
    return {
      kind: 'read',
      entries: findEntries(text, file, surplus),
      rules: brokenRules(text, file),
      offInProjects: offInProjects(text, file),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, place } = error;
    return { kind: 'refused', code, message: localized(error.say), ...(place === undefined ? {} : { place }) };
  }
}

function pluginOf(client: HarnessDeclaration, machine: Machine): FoundPlugin | undefined {
  return quietly(() => findPlugin(client, machine));
}

function packagedNode(
  { packagedNode: variable }: HarnessDeclaration,
  receipt: ClientReceipt | undefined,
  machine: Machine,
): { readonly packagedNode?: PackagedNode } {
  const { distribution, only } = receipt?.wishes ?? {};
  if (variable === undefined || receipt?.registration === undefined || distribution === undefined || only === 'hooks') {
    return {};
  }
  const path = machine.env[variable]?.trim();
  const set = path === undefined || path === '' ? {} : { path };
  return { packagedNode: { variable, ...set, isThere: findCommand(set.path ?? 'node', machine) !== undefined } };
}

function hasCertificate(path: string): boolean {
  const text = quietly(() => readFileSync(path, 'latin1')) ?? '';
  return /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text);
}

function switchedOffAt(registration: RegistrationReceipt): ClientSnapshot['switchedOff'] {
  for (const { path: file } of registration.rewrites) {
    const image = quietly(() => readImage(file));
    const place = quietly(() => image && switchedOffIn(decodeConfig(image.bytes, file), file, registration));
    if (place !== undefined) return { file, ...place };
  }
  return undefined;
}

async function planRewiring(
  machine: Machine,
  client: HarnessDeclaration,
  payload: Payload | undefined,
  survey: ClientSurvey,
  asksClient: boolean,
): Promise<Rewiring> {
  if (payload === undefined) return { kind: 'planned', isNeeded: false, needsCommands: false, notes: [] };
  try {
    const nothing = { madeFolders: [], sharedFolders: [], foundInRoot: [] };
    const { files, owned } = wiringFor(client, machine, survey);
    requireFoldersOnTheWay([...files.map(({ file }) => file.path), ...owned.map(({ to }) => to)]);
    const { wiringSteps, notes } = await planClient({ machine, client, payload, survey, asksClient, ...nothing });
    const needsCommands = wiringSteps.some(({ kind }) => kind === 'client-command');
    return { kind: 'planned', isNeeded: wiringSteps.length > 0, needsCommands, notes };
  } catch (error) {
    if (!OpenVikingError.is(error)) throw error;
    return {
      kind: 'refused',
      ...(error instanceof Refusal
        ? { message: localized(error.say), ...(error.file === undefined ? {} : { file: error.file }) }
        : { message: localized(() => error.message) }),
    };
  }
}

/** The rules that the hooks will leave out, by the engine that they run on: the one in the payload. */
function filtersOf(payload: Payload | undefined, { settings }: ResolvedSettings): ClientSnapshot['badFilters'] {
  const named = (['captureFilters', 'recallQueryFilters'] as const).filter((name) => settings[name].length > 0);
  if (payload === undefined || named.length === 0) return [];
  const engine = quietly(
    () =>
      createRequire(join(payload.folder, 'x'))('./filters.cjs') as {
        compileFilters(rules: readonly string[]): Compiled;
      },
  );
  if (engine === undefined) return [];
  return named.flatMap((setting) =>
    settings[setting].flatMap((rule, index) =>
      engine.compileFilters([rule]).problems.map(({ error }) => ({ setting, rule: index + 1, error })),
    ),
  );
}

interface Compiled {
  readonly problems: readonly { readonly error: string }[];
}

export function localized(say: Phrase): Localized {
  return { en: say(ENGLISH), zh: say(CHINESE) };
}

/** Undefined where the machine does not let us look: whatever that is a sign of, another check tells it. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
