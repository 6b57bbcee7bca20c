/**
 * Our plugin in a client that has plugins: which of the client's commands run, and how the settings file that they rewrite
 * keeps its author's hand. Reads, asks the client what it has, decides; writes nothing.
 */
import { treeOperations } from '../wiring/handlers.ts';
import type { ConfigFile, ConfigOperation, HarnessDeclaration, PluginRegistration } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { clientRunner } from '../clients/client-runner.ts';
import { listedPlugin, runsFrom } from '../clients/listed-plugin.ts';
import { isThere } from '../files/folders.ts';
import { networkVariables } from '../distribution/network-variables.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig, parseDocument, placeOf, toConfigDocument, valueAt } from '../json/document.ts';
import { installPaths, locationVariables } from '../machine/machine.ts';
import { learnOperations, withLearned } from '../registration/learned.ts';
import {
  foreignMarketplace,
  mentionsIn,
  sameButForUs,
  switchedOffIn,
  valueOf,
  withoutMentions,
} from '../registration/mentions.ts';
import { requireWritable, storedImage, unwireFile, wireFile } from './config-plan.ts';
import type { Step } from '../apply/step.ts';
import type { ListedPlugin } from '../clients/listed-plugin.ts';
import type { ClientSurvey } from '../clients/survey.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { FileImage } from '../files/image.ts';
import type { Machine } from '../machine/machine.ts';
import type { PluginNames } from '../registration/mentions.ts';
import type { PluginChange, RegistrationReceipt } from '../registration/plugin-change.ts';
import type { ConfigReceipt } from '../receipts/receipt.ts';
import type { Note } from './note.ts';

export interface RegistrationPlan {
  readonly steps: readonly Step[];
  readonly notes: readonly Note[];
  /** Empty `steps`: as it is in the old receipt. To be asked when the steps are applied. */
  receipt(): { readonly registration: RegistrationReceipt; readonly configs: readonly ConfigReceipt[] };
}

export interface RegistrationInput {
  readonly machine: Machine;
  readonly client: HarnessDeclaration;
  readonly survey: ClientSurvey;
  readonly registration: DistributedRegistration;
  /** What the declaration itself wants in the rewritten files, and what of other forms goes. */
  readonly files: readonly { readonly file: ConfigFile; readonly surplus: readonly ConfigOperation[] }[];
  readonly old: RegistrationReceipt | undefined;
  readonly configs: readonly ConfigReceipt[];
  /** True when a file of the plugin changes: the client has to be told. */
  readonly filesChange: boolean;
  /** False: what the client has is taken from the receipt and its files; none of its commands runs. */
  readonly asksClient: boolean;
}

/** The names under which the plugin may stand in a settings file. */
export function pluginNames(
  { plugin, marketplace, folder, source, replaces = [] }: DistributedRegistration,
  machine: Pick<Machine, 'home'>,
  old?: RegistrationReceipt,
): PluginNames {
  const earlier = replaces.map((args) => args.at(-1) ?? '').filter((name) => name !== marketplace && name !== '');
  // Predecessors kept their marketplace in the same folder of the home, under our name.
  const places = [installPaths(machine.home).root, folder, source, ...(old?.places ?? [])];
  return {
    id: `${plugin}@${marketplace}`,
    marketplace,
    earlier: [...new Set(earlier)],
    places: [...new Set(places.filter((place) => place !== undefined))],
  };
}

/** Throws a refusal when a file that the client would rewrite cannot be read or written. */
export async function planRegistration(input: RegistrationInput): Promise<RegistrationPlan> {
  const { machine, client, survey, registration, old } = input;
  const names = pluginNames(registration, machine, old);
  const programs = survey.pluginCommands.map(({ program }) => program);
  const files = registration.rewrites.map((path) => rewrittenFile(input, names, path));
  const isMentioned = files.some(({ mentions }) => mentions.length > 0);
  const ask = () =>
    input.asksClient ? listAll(machine, registration, programs, names.id) : believed(programs, files, old, names);
  const listed = isMentioned || old !== undefined ? await ask() : [];
  const has = (program: string): ListedPlugin | undefined => listed.find((found) => found.program === program)?.plugin;
  const isSwitchedOff = programs.some((program) => has(program)?.isEnabled === false);
  const isCurrent = (program: string): boolean => {
    const plugin = has(program);
    if (plugin === undefined) return false;
    // From a repository the client takes new versions by itself, into a place of its own.
    return (
      registration.source !== undefined || (plugin.version === old?.listed && runsFrom(plugin, registration.folder))
    );
  };
  const isSettled =
    old !== undefined &&
    old.folder === registration.folder &&
    old.source === registration.source &&
    (isSwitchedOff || (!input.filesChange && files.every((file) => file.isCurrent) && programs.every(isCurrent)));
  const notes: Note[] = files.flatMap(({ notes: own }) => own);
  if (isSwitchedOff) {
    notes.push({
      code: `${client.id}/plugin-disabled`,
      isWarning: true,
      say: (t) => t.pluginSwitchedOff(names.id, client.name),
    });
  }
  if (isSettled) {
    return {
      steps: [],
      notes,
      receipt: () => ({
        registration: old,
        configs: input.configs.filter(({ path }) => registration.rewrites.includes(path)),
      }),
    };
  }
  const change: PluginChange = {
    ...names,
    folder: registration.folder,
    programs,
    registered: programs.filter((program) => has(program) !== undefined),
    add: registration.add,
    ...(old === undefined ? {} : { again: addedFrom(registration, placeOfPlugin(old)) }),
    remove: registration.remove,
    variables: variablesFor(machine, registration),
    rewrites: registration.rewrites,
    fresh: registration.leavesBehind.filter((path) => !isThere(path)),
  };
  const command = (path: string, args: readonly string[], isRequired: boolean): Step => ({
    kind: 'client-command',
    path,
    args,
    variables: change.variables,
    isRequired,
  });
  const predecessors = old === undefined ? namedIn(files, registration.replaces ?? []) : [];
  const settled = new Map<string, ConfigReceipt>();
  const learned = new Map<string, readonly ConfigOperation[]>();
  let version = '';
  const steps: readonly Step[] = [
    {
      kind: 'plugin',
      action: 'add',
      path: registration.folder,
      change,
      seen: new Map(files.map(({ path, image }) => [path, image])),
      standIns: standInsFor(files),
    },
    ...programs.flatMap((program) => [
      ...predecessors.map((args) => command(program, args, false)),
      // Whatever is there under our name is another version, or from another place.
      ...(isMentioned ? registration.remove.map((args) => command(program, args, false)) : []),
      ...registration.add.map((args) => command(program, args, true)),
    ]),
    {
      kind: 'probe',
      run: async () => {
        for (const { program, plugin } of await listAll(machine, registration, programs, names.id)) {
          if (plugin === undefined) throw notListed(program, names.id);
          version = plugin.version;
        }
      },
    },
    ...files.map((rewritten): Step => ({
      kind: 'late',
      path: rewritten.path,
      after(now) {
        const result = settle(client, placeOfPlugin(registration), names, rewritten, now);
        settled.set(rewritten.path, result.receipt);
        learned.set(rewritten.path, result.learned);
        return result.after;
      },
    })),
  ];
  return {
    steps,
    notes,
    receipt: () => ({
      registration: {
        ...names,
        plugin: registration.plugin,
        folder: registration.folder,
        ...(registration.source === undefined ? {} : { source: registration.source }),
        ...previousOf(old, registration.folder),
        listed: version,
        programs,
        remove: registration.remove,
        leavesBehind: registration.leavesBehind,
        rewrites: [...learned].map(([path, operations]) => ({ path, operations })),
      },
      configs: [...settled.values()],
    }),
  };
}

/** By which the client's own entries tell ours. */
function placeOfPlugin({ source, folder }: Pick<RegistrationReceipt, 'source' | 'folder'>): string {
  return source ?? folder;
}

/** The same steps with another place in them. */
function addedFrom(registration: DistributedRegistration, place: string): PluginRegistration['add'] {
  const own = placeOfPlugin(registration);
  return registration.add.map((args) => args.map((word) => (word === own ? place : word)));
}

/** The folder that sessions may run from besides the current one. */
export function previousFolder(old: RegistrationReceipt | undefined, current: string | undefined): string | undefined {
  return old === undefined || old.folder === current ? old?.previous : old.folder;
}

function previousOf(old: RegistrationReceipt | undefined, current: string): { readonly previous?: string } {
  const previous = previousFolder(old, current);
  return previous === undefined ? {} : { previous };
}

/** A file that the client's commands rewrite. */
interface RewrittenFile {
  readonly path: string;
  readonly image: FileImage | undefined;
  /** Without our plugin, and without what earlier installers had put there. */
  readonly start: string;
  readonly mentions: readonly (readonly string[])[];
  readonly declared: ConfigFile | undefined;
  readonly surplus: readonly ConfigOperation[];
  readonly old: ConfigReceipt | undefined;
  readonly learned: readonly ConfigOperation[];
  /** True when wiring it as it stands would change nothing. */
  readonly isCurrent: boolean;
  readonly notes: readonly Note[];
}

function rewrittenFile(input: RegistrationInput, names: PluginNames, path: string): RewrittenFile {
  const { client, registration } = input;
  const image = readImage(path);
  requireWritable(path, image);
  const text = image === undefined ? '' : decodeConfig(image.bytes, path);
  const document = parseDocument(text, path);
  requireOwnMarketplace(text, path, names, registration);
  const mentions = mentionsIn(valueOf(text, path) ?? {}, names);
  const known = input.old?.rewrites.find((file) => file.path === path)?.operations ?? [];
  const old = input.configs.find((config) => config.path === path);
  const { file: declared, surplus = [] } = input.files.find(({ file }) => file.path === path) ?? {};
  const wired = withLearned(path, declared, known, names, placeOfPlugin(registration));
  const { after, notes } = wireFile({ client, file: wired, image, old, surplus });
  const isRefusedByClient = notes.some(({ isWarning, line }) => isWarning && line !== undefined);
  const oddity = toConfigDocument(document).oddities.find(
    ({ kind }) => kind === 'comment' || kind === 'trailing-comma',
  );
  const line = oddity === undefined ? undefined : placeOf(text, oddity.offset).line;
  return {
    path,
    image,
    start: withoutMentions(text, path, names).text,
    mentions,
    declared,
    surplus,
    old,
    learned: known,
    isCurrent: image !== undefined && Buffer.compare(after.bytes, image.bytes) === 0,
    notes: [
      ...notes.filter(({ code }) => !code.endsWith('/replaced-earlier')),
      ...(line === undefined || isRefusedByClient
        ? []
        : [
            {
              code: `${client.id}/not-strict-json`,
              isWarning: true,
              file: path,
              line,
              say: (t) => t.strictJson(path, line),
            } satisfies Note,
          ]),
      ...(mentions.length > 0 && input.old === undefined
        ? [
            {
              code: `${client.id}/replaced-earlier`,
              isWarning: false,
              file: path,
              say: (t) => t.replacedEarlier(path, mentions.length),
            } satisfies Note,
          ]
        : []),
    ],
  };
}

/** The client knows one marketplace of a name: adding ours would take the place of another with all its plugins. */
function requireOwnMarketplace(
  text: string,
  path: string,
  names: PluginNames,
  { commands, remove }: DistributedRegistration,
): void {
  const foreign = foreignMarketplace(valueOf(text, path) ?? {}, names);
  if (foreign === undefined) return;
  const { line, column } = placeOf(text, valueAt(parseDocument(text, path).root, foreign)?.offset ?? 0);
  const args = remove.find((words) => words.at(-1) === names.marketplace) ?? [];
  throw new Refusal({
    code: 'client/foreign-marketplace',
    file: path,
    say: (t) => t.foreignMarketplace(`${path}:${line}`, names.marketplace),
    next: (t) => t.foreignMarketplaceNext([commands[0] ?? '', ...args].join(' ')),
    place: { line, column },
  });
}

/** What the client refuses to read is given to it without comments, for as long as its commands run. */
function standInsFor(files: readonly Pick<RewrittenFile, 'path' | 'image'>[]): ReadonlyMap<string, FileImage> {
  const standIns = new Map<string, FileImage>();
  for (const { path, image } of files) {
    if (image === undefined) continue;
    const text = decodeConfig(image.bytes, path);
    if (isStrict(text)) continue;
    const value = valueOf(text, path);
    if (value !== undefined)
      standIns.set(path, { bytes: Buffer.from(JSON.stringify(value, null, 2)), mode: image.mode });
  }
  return standIns;
}

function isStrict(text: string): boolean {
  const bare = text.replace(/^\uFEFF/, '');
  try {
    if (bare.trim() !== '') JSON.parse(bare);
    return true;
  } catch {
    return false;
  }
}

/**
 * The file as it was, with the client's additions in its own hand. Where more has changed while its commands ran, the file
 * as it is now stands in for the one of before: that was the user, or the client in the user's name.
 */
function settle(
  client: HarnessDeclaration,
  folder: string,
  names: PluginNames,
  { path, image, start, declared, surplus, old }: RewrittenFile,
  now: FileImage | undefined,
): { readonly after: FileImage; readonly receipt: ConfigReceipt; readonly learned: readonly ConfigOperation[] } {
  const after = now === undefined ? {} : (valueOf(decodeConfig(now.bytes, path), path) ?? {});
  const learned = learnOperations(after, names);
  const file = withLearned(path, declared, learned, names, folder);
  // What a receipt knows is told apart in the file as it is; what nobody knows goes first.
  const own = old === undefined && image !== undefined ? { ...image, bytes: Buffer.from(start, 'utf8') } : image;
  const isOnlyUs = sameButForUs(valueOf(start, path) ?? {}, after, names);
  const theirs = now !== undefined && old === undefined ? withoutOurMaps(now, path, start, names) : now;
  const wired = wireFile({ client, file, image: isOnlyUs ? own : theirs, old, surplus });
  // The client writes this file by itself at any time: its bytes are kept for as long as it says the same without us.
  const original = old === undefined ? wired.receipt.original : old.original;
  const { original: _, ...rest } = wired.receipt;
  const receipt: ConfigReceipt = {
    ...rest,
    existed: old?.existed ?? image !== undefined,
    untouched: true,
    ...(original === undefined ? {} : { original }),
  };
  return { after: wired.after, receipt, learned };
}

/** Without our plugin, and without the maps that the client has made for it. */
function withoutOurMaps(now: FileImage, path: string, start: string, names: PluginNames): FileImage {
  const { text } = withoutMentions(decodeConfig(now.bytes, path), path, names, valueOf(start, path));
  return { ...now, bytes: Buffer.from(text, 'utf8') };
}

/** Steps of the declaration that name something which stands in one of the files. */
function namedIn(
  files: readonly Pick<RewrittenFile, 'mentions'>[],
  steps: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const found = new Set(files.flatMap(({ mentions }) => mentions.map((path) => path.at(-1))));
  return steps.filter((args) => found.has(args.at(-1)));
}

/** Where the client keeps its things, and what keeps its commands from talking to its vendor. */
function variablesFor(
  machine: Machine,
  registration: Pick<DistributedRegistration, 'variables' | 'source'> | undefined,
): Readonly<Record<string, string>> {
  const way = registration?.source === undefined ? {} : networkVariables(machine.env);
  return { ...locationVariables(machine), ...way, ...registration?.variables };
}

async function listAll(
  machine: Machine,
  registration: Pick<DistributedRegistration, 'list' | 'variables' | 'source'>,
  programs: readonly string[],
  id: string,
): Promise<readonly { readonly program: string; readonly plugin: ListedPlugin | undefined }[]> {
  const run = clientRunner(machine, machine.signal);
  const variables = variablesFor(machine, registration);
  return Promise.all(
    programs.map(async (program) => {
      const { stdout } = await run(program, registration.list, variables);
      return { program, plugin: listedPlugin(stdout, id) };
    }),
  );
}

/** What the client would list, going by the receipt and its settings. */
function believed(
  programs: readonly string[],
  files: readonly Pick<RewrittenFile, 'path' | 'image' | 'mentions'>[],
  old: RegistrationReceipt | undefined,
  names: PluginNames,
): Awaited<ReturnType<typeof listAll>> {
  if (old === undefined || files.every(({ mentions }) => mentions.length === 0)) return [];
  const isEnabled = !files.some(
    ({ path, image }) =>
      image !== undefined && switchedOffIn(decodeConfig(image.bytes, path), path, names) !== undefined,
  );
  return programs.map((program) => ({ program, plugin: { version: old.listed, isEnabled, texts: [] } }));
}

function notListed(program: string, id: string): Refusal {
  return new Refusal({
    code: 'client/not-registered',
    say: (t) => t.pluginNotListed(program, id),
    next: (t) => t.commandFailedNext,
  });
}

export interface RegistrationRemoval {
  readonly steps: readonly Step[];
  readonly notes: readonly Note[];
}

/**
 * Takes the plugin out. `programs` are those of the client's commands that are still there; without any, its files are
 * edited as far as they are understood.
 */
export async function planRegistrationRemoval(input: {
  readonly machine: Machine;
  readonly client: HarnessDeclaration;
  readonly receipt: RegistrationReceipt;
  /** How it is put in: for the way back. */
  readonly registration: DistributedRegistration | undefined;
  readonly programs: readonly string[];
  readonly files: readonly ConfigFile[];
  readonly configs: readonly ConfigReceipt[];
}): Promise<RegistrationRemoval> {
  const { machine, client, receipt, registration, programs } = input;
  const files = receipt.rewrites.map(({ path, operations }) => {
    const declared = input.files.find((file) => file.path === path);
    return {
      path,
      image: readImage(path),
      file: {
        ...withLearned(path, declared, operations, receipt, placeOfPlugin(receipt)),
        withdrawn: treeOperations(declared?.withdrawn ?? []),
      },
      config: input.configs.find((config) => config.path === path),
    };
  });
  const present = files.flatMap(({ image, ...rest }) => (image === undefined ? [] : [{ ...rest, image }]));
  const listed = registration === undefined ? [] : await listAll(machine, registration, programs, receipt.id);
  const registered = listed.filter(({ plugin }) => plugin !== undefined).map(({ program }) => program);
  // The user has put another marketplace in the place of ours: it is not ours to remove.
  const isReplaced = present.some(
    ({ path, image }) =>
      foreignMarketplace(valueOf(Buffer.from(image.bytes).toString('utf8'), path) ?? {}, receipt) !== undefined,
  );
  const remove = receipt.remove.filter((args) => !isReplaced || args.at(-1) !== receipt.marketplace);
  const change: PluginChange = {
    id: receipt.id,
    marketplace: receipt.marketplace,
    earlier: receipt.earlier,
    places: receipt.places,
    folder: receipt.folder,
    programs,
    registered,
    add: registration?.add ?? [],
    remove,
    variables: variablesFor(machine, registration),
    rewrites: files.map(({ path }) => path),
    fresh: [],
  };
  const commands = programs.flatMap((path) =>
    remove.map((args): Step => ({
      kind: 'client-command',
      path,
      args,
      variables: change.variables,
      isRequired: false,
      isShown: true,
    })),
  );
  const notes: Note[] = [];
  if (programs.length === 0) {
    notes.push({
      code: `${client.id}/command-gone`,
      isWarning: false,
      say: (t) =>
        t.commandGone(
          client.name,
          receipt.id,
          files.map(({ path }) => path),
        ),
    });
  }
  const steps: readonly Step[] = [
    {
      kind: 'plugin',
      action: 'remove',
      path: receipt.folder,
      change,
      seen: new Map(files.map(({ path, image }) => [path, image])),
      standIns: programs.length === 0 ? new Map() : standInsFor(present),
    },
    ...commands,
    ...(registration === undefined || programs.length === 0
      ? []
      : [
          {
            kind: 'probe',
            run: async () => {
              for (const { program, plugin } of await listAll(machine, registration, programs, receipt.id)) {
                if (plugin !== undefined) throw stillListed(program, receipt.id);
              }
            },
          } satisfies Step,
        ]),
    ...receipt.leavesBehind.filter(isThere).map((path): Step => ({ kind: 'remove-tree', path })),
    ...present.map(({ path, image, file, config }): Step => ({
      kind: 'late',
      path,
      after: (now) => giveBack(path, file, config, receipt, image, now),
    })),
  ];
  return { steps, notes };
}

function stillListed(program: string, id: string): Refusal {
  return new Refusal({
    code: 'client/still-registered',
    say: (t) => t.pluginStillListed(program, id),
    next: (t) => t.commandFailedNext,
  });
}

/** The file without us: from the one that was there before the commands ran, unless they have changed more than that. */
function giveBack(
  path: string,
  file: ConfigFile,
  config: ConfigReceipt | undefined,
  names: PluginNames,
  image: FileImage,
  now: FileImage | undefined,
): FileImage | undefined {
  const whole = withoutUs(path, file, config, names, image);
  if (now === undefined) return whole;
  const meaning = (one: FileImage | undefined) =>
    one === undefined ? {} : (valueOf(Buffer.from(one.bytes).toString('utf8'), path) ?? null);
  // The client's own commands leave everything else as it was: only then the author's text can stand for theirs.
  const isSame = sameButForUs(meaning(now), meaning(image), names);
  const result = isSame ? whole : withoutUs(path, file, config, names, now);
  if (config === undefined) return result;
  const { original } = config;
  if (original !== undefined && sameButForUs(meaning(result), meaning(storedImage(original)), names))
    return storedImage(original);
  return !config.existed && sameButForUs(meaning(result), {}, names) ? undefined : result;
}

function withoutUs(
  path: string,
  file: ConfigFile,
  config: ConfigReceipt | undefined,
  names: PluginNames,
  image: FileImage,
): FileImage | undefined {
  const { after } = unwireFile(file, config, image);
  if (after === undefined) return undefined;
  const had = config === undefined ? {} : undefined;
  const { text, removed } = withoutMentions(decodeConfig(after.bytes, path), path, names, had);
  return removed === 0 ? after : { ...after, bytes: Buffer.from(text, 'utf8') };
}
