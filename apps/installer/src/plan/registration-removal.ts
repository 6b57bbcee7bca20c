/**
 * Takes our plugin out of a client by the client's own commands, and gives back its settings file as its author left it: the
 * commands alone would leave our maps and their own hand in it.
 */
import { Refusal } from '../cli/refusal.ts';
import { isThere } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig } from '../json/document.ts';
import { withLearned } from '../registration/learned.ts';
import { foreignMarketplace, sameButForUs, valueOf, withoutMentions } from '../registration/mentions.ts';
import { placeOfPlugin } from '../registration/plugin-names.ts';
import { treeOperations } from '../wiring/handlers.ts';
import { listAll, variablesFor } from './client-listing.ts';
import { storedImage, unwireFile } from './config-plan.ts';
import { standInsFor } from './stand-ins.ts';
import type { ConfigFile, HarnessDeclaration } from '@openviking/memory-core/full';
import type { Step } from '../apply/step.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { FileImage } from '../files/image.ts';
import type { Machine } from '../machine/machine.ts';
import type { ConfigReceipt } from '../receipts/receipt.ts';
import type { PluginNames } from '../registration/mentions.ts';
import type { PluginChange, RegistrationReceipt } from '../registration/plugin-change.ts';
import type { Note } from './note.ts';

/** What takes our plugin out of a client. */
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

/** The client's commands have said that all is well, and it still has the plugin. */
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
