/**
 * Our plugin in a client that has plugins: which of the client's commands run, and what is known of it afterwards. Asks the
 * client what it has, and decides; writes nothing.
 */
import { runsFrom } from '../clients/listed-plugin.ts';
import { isThere } from '../files/folders.ts';
import { placeOfPlugin, pluginNames } from '../registration/plugin-names.ts';
import { believed, listAll, notListed, variablesFor } from './client-listing.ts';
import { namedIn, rewrittenFile, settle } from './rewritten-file.ts';
import { standInsFor } from './stand-ins.ts';
import type { ConfigOperation, PluginRegistration } from '@openviking/memory-core/full';
import type { Step } from '../apply/step.ts';
import type { ListedPlugin } from '../clients/listed-plugin.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { ConfigReceipt } from '../receipts/receipt.ts';
import type { PluginChange, RegistrationReceipt } from '../registration/plugin-change.ts';
import type { Note } from './note.ts';
import type { RegistrationInput } from './registration-input.ts';

/** What is to be done so that the client has our plugin, and the receipt of it. */
export interface RegistrationPlan {
  readonly steps: readonly Step[];
  readonly notes: readonly Note[];
  /** Empty `steps`: as it is in the old receipt. To be asked when the steps are applied. */
  receipt(): { readonly registration: RegistrationReceipt; readonly configs: readonly ConfigReceipt[] };
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
