/**
 * What uninstalling one client changes. A file that still has the bytes we left gets its original ones back; in any other
 * only our own entries go, and the report says so.
 */
import { basename, dirname, join, relative } from 'node:path';
import { withOperations } from '../wiring/with-operations.ts';
import type { ConfigFile, HarnessDeclaration } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { findCommand } from '../clients/find-command.ts';
import { installedPlace } from '../clients/installed-place.ts';
import { NO_SURVEY, registrationOf, wiringContext } from '../clients/survey.ts';
import { isThere, namesIn } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { isOldIntegration, planSurplus } from '../migration/old-files.ts';
import { readManifest } from '../payload/payload.ts';
import { installPaths } from '../machine/machine.ts';
import { mentionsIn, valueOf } from '../registration/mentions.ts';
import { pluginNames } from '../registration/plugin-names.ts';
import { hasMark } from '../receipts/receipt.ts';
import { planConfigRemoval } from './config-plan.ts';
import { planLeftovers } from './leftovers.ts';
import { emptiedFolders } from './unknown-remains.ts';
import { launcherPath, payloadFolders, planPayloadRemoval } from './payload-plan.ts';
import { planRegistrationRemoval } from './registration-removal.ts';
import type { Step } from '../apply/step.ts';
import type { Elsewhere } from '../clients/installed-place.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientReceipt } from '../receipts/receipt.ts';
import type { RegistrationReceipt } from '../registration/plugin-change.ts';
import type { Note } from './note.ts';

export interface ClientRemoval {
  readonly client: HarnessDeclaration;
  readonly steps: readonly Step[];
  /** Folders to remove where empty. */
  readonly leaving: readonly string[];
  readonly notes: readonly Note[];
}

/** `receipt` is undefined when the client was never installed, or its receipt is lost: then only what is recognised goes. */
export async function planClientRemoval(
  shell: Machine,
  client: HarnessDeclaration,
  receipt: ClientReceipt | undefined,
): Promise<ClientRemoval> {
  const { machine, elsewhere } = installedPlace(client, shell, receipt);
  const paths = installPaths(machine.home);
  const folder = paths.integration(client.id);
  const launcher = launcherPath(folder, machine.platform);
  const files = everyForm(client, machine, receipt);
  const steps: Step[] = [];
  const notes: Note[] = elsewhere === undefined ? [] : [elsewhereNote(client, elsewhere)];
  const bare: string[] = [];
  const known = receipt?.configs ?? [];
  const others = known.flatMap(({ path }) => {
    // In every folder of the client its files have the same names.
    const pattern = files.find((file) => basename(file.path) === basename(path)) ?? files[0];
    return pattern === undefined || files.some((file) => file.path === path) ? [] : [{ ...pattern, path }];
  });
  const registered = receipt?.registration ?? unknownRegistration(client, machine);
  if (registered !== undefined) {
    const registration = registrationOf(client, machine, { ...NO_SURVEY, wishes: receipt?.wishes ?? {} });
    const removal = await planRegistrationRemoval({
      machine,
      client,
      receipt: registered,
      registration,
      programs: programsOf(registered, registration?.commands ?? [], machine),
      files,
      configs: known,
    });
    steps.push(...removal.steps);
    notes.push(...removal.notes);
  }
  for (const file of [...files, ...others]) {
    if (registered?.rewrites.some(({ path }) => path === file.path) === true) continue;
    const part = planConfigRemoval(
      file,
      known.find(({ path }) => path === file.path),
    );
    steps.push(...part.steps);
    notes.push(...part.notes);
    if (part.isBare === true) bare.push(file.path);
  }
  for (const { path, left } of receipt?.owned ?? []) {
    const before = readImage(path);
    if (before === undefined) continue;
    if (hasMark(before, left)) steps.push({ kind: 'remove', path, before });
    else notes.push({ code: 'file/not-ours', isWarning: false, file: path, say: (t) => t.userFileStays(path) });
  }
  const strays = receipt === undefined ? planStrays(client, machine, folder) : { steps: [], leaving: [], notes: [] };
  steps.push(...strays.steps);
  const payload = receipt?.payload ?? { folder, version: '' };
  const left = receipt?.launcher ?? { path: launcher, left: { hash: '', mode: 0 } };
  steps.push(...planPayloadRemoval(payload, left));
  const leftovers = [...planLeftovers(folder), ...(isOldIntegration(folder) ? planSurplus(client.id, machine) : [])];
  steps.push(...leftovers);
  const receiptPath = paths.receipt(client.id);
  const receiptImage = readImage(receiptPath);
  if (receiptImage !== undefined)
    steps.push({ kind: 'remove', path: receiptPath, before: receiptImage, isReceipt: true });
  // Without a receipt the folders of ours that are empty go, whoever made them.
  const leaving = [
    ...(receipt?.folders ?? [...payloadFolders(payload), dirname(receiptPath)]),
    ...(leftovers.length > 0 ? payloadFolders(payload) : []),
    ...strays.leaving,
  ];
  if (receipt === undefined && steps.length > 0) {
    notes.push(...strays.notes, ...remainsNote(client, [...bare, ...emptiedFolders(steps, leaving, machine.home)]));
  }
  return { client, steps, leaving, notes };
}

/** What nobody knows the maker of. */
function remainsNote({ id }: HarnessDeclaration, paths: readonly string[]): readonly Note[] {
  if (paths.length === 0) return [];
  return [{ code: `${id}/unknown-remains`, isWarning: false, say: (t) => t.unknownRemains(paths) }];
}

function elsewhereNote({ id, name }: HarnessDeclaration, { variable, here, there }: Elsewhere): Note {
  return {
    code: `${id}/installed-elsewhere`,
    isWarning: false,
    say: (t) => t.removedElsewhere(name, variable, there, here),
  };
}

/**
 * True for a client whose receipt is lost and that still starts us, or would if it found us: its files name our launcher,
 * or the launcher is there. What an earlier installer has wired is not meant.
 */
export function isWired(client: HarnessDeclaration, machine: Machine): boolean {
  const launcher = launcherPath(installPaths(machine.home).integration(client.id), machine.platform);
  if (isThere(launcher)) return true;
  const name = slashed(relative(machine.home, launcher)).replace(/\.cmd$/, '');
  try {
    if (unknownRegistration(client, machine) !== undefined) return true;
    return everyForm(client, machine, undefined).some(({ path }) => {
      const text = Buffer.from(readImage(path)?.bytes ?? []).toString('utf8');
      return slashed(text).includes(`/${name}`);
    });
  } catch (error) {
    // What nobody can read nobody can take out, and it is no reason to leave the others in.
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function slashed(text: string): string {
  return text.replace(/\\+/g, '/');
}

/** Files of ours that no receipt knows: those in our own folder, and any other that has our bytes. */
function planStrays(
  client: HarnessDeclaration,
  machine: Machine,
  folder: string,
): Pick<ClientRemoval, 'steps' | 'leaving' | 'notes'> {
  const payloads = [
    join(machine.payloadRoot, client.id),
    ...namesIn(folder)
      .map((name) => join(folder, name))
      .filter((path) => readManifest(path) !== undefined),
  ];
  const steps: Step[] = [];
  const leaving: string[] = [];
  const notes: Note[] = [];
  const marketplace = registrationOf(client, machine, NO_SURVEY)?.folder;
  if (marketplace !== undefined && dirname(marketplace) === folder && isThere(marketplace)) {
    steps.push({ kind: 'remove-tree', path: marketplace });
  }
  const context = wiringContext(client, machine, NO_SURVEY);
  for (const file of client.wiring(context).owned) {
    const before = readImage(file.to);
    if (before === undefined || file.kind === 'plugin') continue;
    const contents =
      'content' in file
        ? [Buffer.from(file.content, 'utf8')]
        : payloads.flatMap((payload) => readImage(join(payload, file.from))?.bytes ?? []);
    if (!contents.some((bytes) => Buffer.compare(bytes, before.bytes) === 0)) {
      const { to: path } = file;
      notes.push({ code: 'file/not-ours', isWarning: false, file: path, say: (t) => t.unknownFileStays(path) });
      continue;
    }
    steps.push({ kind: 'remove', path: file.to, before });
    leaving.push(dirname(file.to));
  }
  return { steps, leaving, notes };
}

/** Every file that any form of the wiring touches, with all that any form puts there. */
function everyForm(
  client: HarnessDeclaration,
  machine: Machine,
  receipt: ClientReceipt | undefined,
): readonly ConfigFile[] {
  const { only: _, ...wishes } = { ...receipt?.wishes, statusLine: true };
  const pluginCommands = (receipt?.registration?.programs ?? []).map((program) => ({ command: program, program }));
  const forms = [
    client.wiring(wiringContext(client, machine, { ...NO_SURVEY, wishes })),
    client.wiring(wiringContext(client, machine, { ...NO_SURVEY, wishes, pluginCommands })),
  ].flatMap(({ files }) => files);
  return [...new Set(forms.map(({ path }) => path))].flatMap((path) => {
    const [first, ...rest] = forms.filter((file) => file.path === path);
    return first === undefined
      ? []
      : [
          withOperations(
            first,
            [first, ...rest].flatMap(({ operations, withdrawn = [] }) => [...operations, ...withdrawn]),
          ),
        ];
  });
}

/** A registration whose receipt is lost: seen in the files that the client would rewrite. */
function unknownRegistration(client: HarnessDeclaration, machine: Machine): RegistrationReceipt | undefined {
  const registration = registrationOf(client, machine, NO_SURVEY);
  if (registration === undefined) return undefined;
  const names = pluginNames(registration, machine);
  const { plugin, folder, remove, leavesBehind, rewrites } = registration;
  const isThere = rewrites.some((path) => {
    const text = Buffer.from(readImage(path)?.bytes ?? []).toString('utf8');
    // Its own folder tells ours from a plugin that somebody else has registered under the same name.
    return (
      text.includes(JSON.stringify(folder).slice(1, -1)) && mentionsIn(valueOf(text, path) ?? {}, names).length > 0
    );
  });
  if (!isThere) return undefined;
  return {
    ...names,
    plugin,
    folder,
    listed: '',
    programs: [],
    remove,
    leavesBehind,
    rewrites: rewrites.map((path) => ({ path, operations: [] })),
  };
}

/** The commands by which it was registered; where they have moved, the ones that are found now. */
function programsOf(
  { programs }: RegistrationReceipt,
  commands: readonly string[],
  machine: Machine,
): readonly string[] {
  const found = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => findCommand(name, machine) ?? []);
  const known = found(programs);
  return known.length > 0 ? known : [...new Set(found(commands))];
}
