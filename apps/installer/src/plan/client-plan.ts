/**
 * What an installation changes for one client: from its declaration, from what the client says of itself, and from the
 * files as they are now. Reads, decides, writes nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ConfigFile,
  ConfigOperation,
  HarnessDeclaration,
  Localized,
  OwnedFile,
} from '@openviking/memory-core/full';
import { distributedWiring } from '../distribution/distributed-wiring.ts';
import { planOldTrees, planTree } from '../distribution/plugin-trees.ts';
import { findCommand } from '../clients/find-command.ts';
import { locationsOf } from '../clients/installed-place.ts';
import { registrationOf, wiringContext } from '../clients/survey.ts';
import { isThere, missingFolders } from '../files/folders.ts';
import { requireReachableFolder } from '../files/dangling-link.ts';
import { isOldIntegration, planSurplus } from '../migration/old-files.ts';
import { readImage } from '../files/image.ts';
import { installPaths } from '../machine/machine.ts';
import { hasMark, markOf, readReceipt, receiptImage } from '../receipts/receipt.ts';
import { writeStep } from '../apply/step.ts';
import { hasHooks, hasServer, planConfig, requireWritable, wireFile } from './config-plan.ts';
import { silencesOf } from '../payload/launcher.ts';
import { launcherPath, planPayload } from './payload-plan.ts';
import { planRegistration, previousFolder } from './registration-plan.ts';
import { planRegistrationRemoval } from './registration-removal.ts';
import { limitedWiring } from './limited-wiring.ts';
import { withOperations } from '../wiring/with-operations.ts';
import type { Step } from '../apply/step.ts';
import type { ClientSurvey } from '../clients/survey.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { FileImage } from '../files/image.ts';
import type { Machine } from '../machine/machine.ts';
import type { Payload } from '../payload/payload.ts';
import type { ClientReceipt, ConfigReceipt, OwnedReceipt } from '../receipts/receipt.ts';
import type { Part } from './config-plan.ts';
import type { Note } from './note.ts';

export type { Note } from './note.ts';

export interface ClientPlan {
  readonly client: HarnessDeclaration;
  /** Payload and launcher: placed and tried before anything names them. */
  readonly payloadSteps: readonly Step[];
  /** The client's own files, and what its own commands do. */
  readonly wiringSteps: readonly Step[];
  readonly receiptStep: readonly Step[];
  readonly version: string;
  readonly launcher: string;
  readonly notes: readonly Note[];
  /** Folders to remove where empty: this form of the wiring has no file in them any more. */
  readonly leaving: readonly string[];
  /** Where the hooks are, and where the server is: files, or the folder of the plugin. */
  readonly hookPlaces: readonly string[];
  readonly serverPlaces: readonly string[];
  /** Files of the client that got something of ours beside hooks and server. */
  readonly settingPlaces: readonly string[];
  /** Without the files of a plugin. */
  readonly ownedFiles: readonly OwnedFile[];
  /** What the user does to make it count. */
  readonly restart: Localized;
}

export interface ClientPlanInput {
  readonly machine: Machine;
  readonly client: HarnessDeclaration;
  readonly payload: Payload;
  readonly survey: ClientSurvey;
  /** False: only files are read, and none of the client's commands runs. Default: true. */
  readonly asksClient?: boolean;
  /** A plugin that was fetched for this client. */
  readonly staged?: Payload;
  /** Folders that this run has made before planning. */
  readonly madeFolders: readonly string[];
  /** Folders that other installations have made: whichever is taken out last has to know them all. */
  readonly sharedFolders: readonly string[];
  /** Names in `~/.openviking` before this run. */
  readonly foundInRoot: readonly string[];
}

/** Throws a refusal when a file of the client cannot be read, understood or edited. */
export async function planClient(input: ClientPlanInput): Promise<ClientPlan> {
  const { machine, client, payload, survey } = input;
  const paths = installPaths(machine.home);
  const receiptPath = paths.receipt(client.id);
  const old = readReceipt(receiptPath, 'client');
  const folder = paths.integration(client.id);
  const launcher = launcherPath(folder, machine.platform);
  const placed = planPayload(machine, folder, payload, 'entries', old?.payload, silencesOf(client.events));
  const wiring = wiringFor(client, machine, survey);
  const { registration } = wiring;
  const { distribution } = survey.wishes;
  const tree = registration === undefined ? [] : planTree(distribution, folder, input.staged);

  // The first installation after the earlier shell installer: its files give way to ours.
  const followsEarlier = old === undefined && isOldIntegration(folder);
  const owned = wiring.owned.map((file) =>
    planOwned(
      payload,
      file,
      old?.owned.find(({ path }) => path === file.to),
      followsEarlier,
    ),
  );
  const orphans = planOrphans(old, wiring.owned);
  const rewrites = registration?.rewrites ?? old?.registration?.rewrites.map(({ path }) => path) ?? [];
  const configs = wiring.files
    .filter(({ file }) => !rewrites.includes(file.path))
    .map(({ file, surplus }) => ({
      path: file.path,
      ...planConfig({ client, file, surplus, old: old?.configs.find(({ path }) => path === file.path) }),
    }));
  const registered =
    registration === undefined
      ? await planLeaving(input, old, wiring.files)
      : await planRegistration({
          machine,
          client,
          survey,
          registration,
          files: wiring.files,
          old: old?.registration,
          configs: old?.configs ?? [],
          asksClient: input.asksClient ?? true,
          filesChange: owned.some(({ isPlugin, steps }) => isPlugin && steps.length > 0),
        });

  // The client reads the plugin's folder when it is told about it, so that comes first, and what takes other hooks out too:
  // between the two there may be none for a moment, but never both.
  const wiringSteps = [
    ...[...owned, ...configs].flatMap(({ steps }) => steps),
    ...registered.steps,
    ...orphans.steps,
    ...(followsEarlier ? planSurplus(client.id, machine) : []),
    // A session that is open may still run from the one before.
    ...planOldTrees(folder, [registration?.folder, previousFolder(old?.registration, registration?.folder)]),
  ];
  const payloadSteps = [...placed.steps, ...tree];
  const steps = [...payloadSteps, ...wiringSteps];
  for (const step of steps) {
    if (step.kind === 'write' || step.kind === 'late' || step.kind === 'place-tree') requireReachableFolder(step.path);
  }
  const made = [
    ...input.madeFolders,
    ...steps.flatMap((step) =>
      step.kind === 'probe' || step.kind === 'client-command' ? [] : missingFolders(step.path),
    ),
    ...missingFolders(receiptPath),
  ];
  const { wishes } = survey;
  const locations = locationsOf(client, machine);
  const command = machine.command ?? old?.command;
  const receipt = (): ClientReceipt => {
    const { registration: known, configs: settled } = registered.receipt();
    const receipts = [...configs.flatMap((config) => config.receipt ?? []), ...settled];
    return {
      version: 1,
      kind: 'client',
      client: client.id,
      installer: machine.version,
      installedAt: machine.now().toISOString(),
      folders: [...new Set([...(old?.folders ?? input.sharedFolders), ...made])],
      payload: placed.payload,
      launcher: placed.launcher,
      configs: [...receipts, ...elsewhere(old, wiring.files)],
      owned: [...owned.flatMap((file) => file.receipt ?? []), ...orphans.kept],
      ...(known === undefined ? {} : { registration: known }),
      ...(Object.keys(wishes).length === 0 ? {} : { wishes }),
      ...(Object.keys(locations).length === 0 ? {} : { locations }),
      ...(command === undefined ? {} : { command }),
      foundInRoot: old?.foundInRoot ?? input.foundInRoot,
    };
  };
  const placesOf = (has: (file: ConfigFile) => boolean): readonly string[] =>
    wiring.files.flatMap(({ file }) =>
      has(file) && (file.create === 'always' || isThere(file.path)) ? [file.path] : [],
    );
  const pluginFolder = registration === undefined ? [] : [registration.source ?? registration.folder];
  return {
    client,
    payloadSteps,
    wiringSteps,
    receiptStep:
      registered.steps.length === 0
        ? writeStep(receiptPath, readImage(receiptPath), receiptImage(receipt(), old), 'receipt')
        : [{ kind: 'late', path: receiptPath, isReceipt: true, after: () => receiptImage(receipt(), old) }],
    version: placed.payload.version,
    launcher,
    leaving: orphans.steps.length === 0 ? [] : (old?.folders ?? []),
    notes: [...[...configs, ...owned].flatMap(({ notes }) => notes), ...registered.notes],
    hookPlaces: [...placesOf(hasHooks), ...(wishes.only === 'mcp' ? [] : pluginFolder)],
    serverPlaces: [...placesOf(hasServer), ...(wishes.only === 'hooks' ? [] : pluginFolder)],
    settingPlaces: placesOf((file) => file.operations.length > 0 && !hasHooks(file) && !hasServer(file)),
    restart: registration === undefined ? (client.restartWithoutPlugin ?? client.restart) : client.restart,
    ownedFiles: wiring.owned.filter(({ kind }) => kind !== 'plugin'),
  };
}

interface WiringForm {
  readonly files: readonly { readonly file: ConfigFile; readonly surplus: readonly ConfigOperation[] }[];
  readonly owned: readonly OwnedFile[];
  readonly registration: DistributedRegistration | undefined;
}

/** The form of the wiring that this machine gets, and beside each file what its other forms put there. */
export function wiringFor(client: HarnessDeclaration, machine: Machine, survey: ClientSurvey): WiringForm {
  const { only: _, ...wishes } = survey.wishes;
  const context = wiringContext(client, machine, survey);
  const folder = installPaths(machine.home).integration(client.id);
  const chosen = distributedWiring(limitedWiring(client, context), survey.wishes.distribution, folder);
  const registration = chosen.registration?.commands.length === 0 ? undefined : chosen.registration;
  const others = [
    client.wiring(wiringContext(client, machine, { ...survey, wishes })),
    client.wiring(wiringContext(client, machine, { ...survey, wishes, pluginCommands: [] })),
  ].flatMap(({ files }) => files);
  const files = [...chosen.files];
  for (const other of others) {
    if (!files.some(({ path }) => path === other.path)) files.push({ ...other, create: 'if-present', operations: [] });
  }
  return {
    files: files.map((file) => ({
      file,
      surplus: [
        ...(file.withdrawn ?? []),
        ...others.flatMap((other) =>
          other.path === file.path ? [...other.operations, ...(other.withdrawn ?? [])] : [],
        ),
      ],
    })),
    owned: chosen.owned,
    registration,
  };
}

/**
 * A plugin that was registered and cannot be any more: the client's command is gone, or has no plugins now. It goes, and
 * the files that the client rewrote for it are wired like any others.
 */
async function planLeaving(
  { machine, client, survey }: ClientPlanInput,
  old: ClientReceipt | undefined,
  files: WiringForm['files'],
): Promise<{ readonly steps: readonly Step[]; readonly notes: readonly Note[]; receipt(): Leaving }> {
  if (old?.registration === undefined) return { steps: [], notes: [], receipt: () => ({ configs: [] }) };
  const { registration } = old;
  const removal = await planRegistrationRemoval({
    machine,
    client,
    receipt: registration,
    // Asked as for any build: the one at hand may know no plugins, and how to run those commands is said with them.
    registration: registrationOf(client, machine, { wishes: survey.wishes, clientVersion: undefined }),
    programs: registration.programs.filter((program) => findCommand(program, machine) !== undefined),
    files: files.map(({ file, surplus }) => ({ ...withOperations(file, surplus), withdrawn: [] })),
    configs: old.configs,
  });
  const settled = new Map<string, ConfigReceipt>();
  const wired = files
    .filter(({ file }) => file.operations.length > 0 && registration.rewrites.some(({ path }) => path === file.path))
    .map(({ file, surplus }): Step => ({
      kind: 'late',
      path: file.path,
      after(image) {
        const { after, receipt } = wireFile({ client, file, surplus, image, old: undefined });
        settled.set(file.path, receipt);
        return after;
      },
    }));
  return {
    steps: [...removal.steps, ...wired],
    notes: removal.notes,
    receipt: () => ({ configs: [...settled.values()] }),
  };
}

interface Leaving {
  readonly registration?: undefined;
  readonly configs: readonly ConfigReceipt[];
}

/** Files of ours that this form of the wiring does without. One that the user has changed stays, and stays known. */
function planOrphans(
  old: ClientReceipt | undefined,
  owned: readonly OwnedFile[],
): { readonly steps: readonly Step[]; readonly kept: readonly OwnedReceipt[] } {
  const steps: Step[] = [];
  const kept: OwnedReceipt[] = [];
  for (const file of old?.owned ?? []) {
    if (owned.some(({ to }) => to === file.path)) continue;
    const before = readImage(file.path);
    if (before === undefined) continue;
    if (hasMark(before, file.left)) steps.push({ kind: 'remove', path: file.path, before });
    else kept.push(file);
  }
  return { steps, kept };
}

/** Files that an earlier run wired and that this one does not name (a variable has changed): uninstall still clears them. */
function elsewhere(old: ClientReceipt | undefined, files: WiringForm['files']): readonly ConfigReceipt[] {
  return (old?.configs ?? []).filter(({ path }) => isThere(path) && !files.some(({ file }) => file.path === path));
}

function planOwned(
  payload: Payload,
  file: OwnedFile,
  old: OwnedReceipt | undefined,
  replacesEarlier: boolean,
): Part<OwnedReceipt> & { readonly isPlugin: boolean } {
  const isPlugin = file.kind === 'plugin';
  const bytes = contentOf(payload, file);
  const image = readImage(file.to);
  const after: FileImage = { bytes, mode: image?.mode ?? 0o644 };
  const isOurs =
    image === undefined ||
    // A plugin lies in a folder of ours.
    isPlugin ||
    replacesEarlier ||
    (old !== undefined && hasMark(image, old.left)) ||
    Buffer.compare(image.bytes, bytes) === 0;
  if (isOurs) {
    requireWritable(file.to, image);
    const steps = writeStep(file.to, image, after);
    return { steps, receipt: { path: file.to, left: markOf(after) }, notes: [], isPlugin };
  }
  const note: Note = {
    code: 'file/not-ours',
    isWarning: old === undefined,
    file: file.to,
    say: (t) => (old === undefined ? t.foreignFile(file.to) : t.userChangedFile(file.to)),
  };
  return { steps: [], ...(old === undefined ? {} : { receipt: old }), notes: [note], isPlugin };
}

function contentOf(payload: Payload, file: OwnedFile): Buffer {
  return 'content' in file ? Buffer.from(file.content, 'utf8') : readFileSync(join(payload.folder, file.from));
}
