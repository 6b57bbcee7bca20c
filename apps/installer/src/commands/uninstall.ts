/** `uninstall`: gives every file back, keeps what the user has learnt, and with `--purge` takes that away too. */
import { join } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { applySteps } from '../apply/transaction.ts';
import { declined } from '../cli/interruption.ts';
import { Refusal } from '../cli/refusal.ts';
import { resolveClients } from '../clients/catalogue.ts';
import { locationNames } from '../clients/location-names.ts';
import { requireLocations } from '../clients/locations.ts';
import { isThere } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { countMemories } from '../local/count-memories.ts';
import { stopServer } from '../local/local-server.ts';
import { installPaths, ovcliPath } from '../machine/machine.ts';
import { isWired, planClientRemoval } from '../plan/client-removal.ts';
import { planConnectionRemoval, planConnectionStay } from '../plan/connection-plan.ts';
import { planLocalRemoval } from '../plan/local-plan.ts';
import { noteOnSharedFiles } from '../plan/note-on-shared-files.ts';
import { pathOf, showSteps } from '../plan/show-plan.ts';
import { CONNECTION, installedClients, LOCAL_SERVER, readReceipt } from '../receipts/receipt.ts';
import { spoolFolders } from '../spool/folders.ts';
import { removeLatecomers } from '../spool/latecomers.ts';
import { planSpoolRemoval } from '../spool/removal.ts';
import { undelivered } from '../spool/report.ts';
import { stopWorkers } from '../spool/stop-workers.ts';
import { endInterruptedRun, isOnlyLitter, runExclusively } from './exclusive-run.ts';
import { showChange } from './show-change.ts';
import { exitCodeFor, notesAsData, showNotes } from './outcome.ts';
import { fileStatus } from '../files/file-status.ts';
import type { Step } from '../apply/step.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { Messages } from '../cli/messages-en.ts';
import type { Phrase } from '../cli/refusal.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientRemoval } from '../plan/client-removal.ts';
import type { Note } from '../plan/client-plan.ts';
import type { CommandContext, Outcome } from './outcome.ts';

interface Removal {
  readonly clients: readonly ClientRemoval[];
  readonly steps: readonly Step[];
  readonly leaving: readonly string[];
  readonly notes: readonly Note[];
  /** Ids of clients that are installed still. */
  readonly remaining: readonly string[];
  /** The folders that a purge takes whole, those included that are not there yet. */
  readonly purged?: readonly string[];
  /** True when the embedded server has nobody left to serve. */
  readonly stopsServer: boolean;
}

/** Folders whose names other OpenViking programs use too: removed only when they were not there before. */
const SHARED_FOLDERS = ['state', 'logs'] as const;

export async function uninstall(context: CommandContext, invocation: Invocation): Promise<Outcome> {
  const { machine, terminal } = context;
  // A misspelt name comes before anything is touched.
  if (invocation.harness !== undefined) resolveClients(invocation.harness, context.clients);
  if (!invocation.dryRun) await endInterruptedRun(machine, terminal);
  const clients = chooseClients(context, invocation);
  const installed = installedClients(installPaths(machine.home).receipts);
  // Where a receipt tells the place, this shell's variables do not matter.
  const unknown = clients.filter(
    ({ id }) => readReceipt(installPaths(machine.home).receipt(id), 'client') === undefined,
  );
  requireLocations({ ...machine, locations: locationNames(unknown) });
  const preview = await makeRemoval(context, clients, invocation);
  const isLitter = !invocation.dryRun && isOnlyLitter(machine);
  if (preview.steps.length === 0 && !isLitter)
    return reportNothing(context, clients, installed, preview, invocation.strict);
  if (invocation.dryRun) return reportDryRun(context, preview);
  if (invocation.purge) await confirmPurge(context, invocation, preview);
  else if (!invocation.yes && terminal.isInteractive) {
    for (const change of showSteps(preview.steps))
      terminal.say(`  ${terminal.texts.change(change.action, pathOf(change))}`);
    if (!(await terminal.confirm(terminal.texts.confirmPlan, true, machine.signal))) throw declined();
  }
  const spools = invocation.purge ? spoolFolders(machine, context.clients) : [];
  return runExclusively(machine, terminal, async (state) => {
    const removal = await makeRemoval(context, clients, invocation);
    if (removal.steps.length === 0) {
      // Another run has done it all while this one waited, and may have left folders because our lock was in them.
      state.leaving.push(...preview.leaving);
      return reportNothing(context, clients, [], removal, invocation.strict);
    }
    if (removal.stopsServer && !(await stopServer(machine.home))) {
      throw new Refusal({
        code: 'local/not-stopped',
        say: (t) => t.serverNotStopped,
        next: (t) => t.serverNotStoppedNext,
      });
    }
    if (invocation.purge) await stopWorkers(spools);
    await terminal.during(terminal.texts.removing, () =>
      applySteps({
        installFolder: installPaths(machine.home).install,
        steps: removal.steps,
        madeFolders: state.madeFolders,
        leaving: removal.leaving,
        signal: machine.signal,
        machine,
        ...(machine.atPoint === undefined ? {} : { atPoint: machine.atPoint }),
      }),
    );
    if (removal.purged !== undefined) await removeLatecomers(machine.home, spools, removal.purged, removal.leaving);
    // The folder of the lock goes when the lock has gone.
    state.leaving.push(...removal.leaving);
    return report(context, invocation, removal);
  });
}

/**
 * `--harness`, else everything that is installed, with or without a receipt: whoever is left out would go on starting a
 * launcher that is gone.
 */
function chooseClients({ machine, clients }: CommandContext, { harness }: Invocation): readonly HarnessDeclaration[] {
  if (harness !== undefined) return resolveClients(harness, clients);
  const installed = installedClients(installPaths(machine.home).receipts);
  return clients.filter((client) => installed.includes(client.id) || isWired(client, machine));
}

async function makeRemoval(
  context: CommandContext,
  wanted: readonly HarnessDeclaration[],
  { purge, keepGoing }: Pick<Invocation, 'purge' | 'keepGoing'>,
): Promise<Removal> {
  const { machine } = context;
  const paths = installPaths(machine.home);
  const removals: ClientRemoval[] = [];
  const notes: Note[] = [];
  const refusals: Refusal[] = [];
  for (const client of wanted) {
    try {
      const removal = await planClientRemoval(machine, client, readReceipt(paths.receipt(client.id), 'client'));
      removals.push(removal);
      notes.push(...removal.notes);
    } catch (error) {
      if (!keepGoing || !(error instanceof Refusal)) throw error;
      refusals.push(error);
      notes.push({ code: error.code, isWarning: true, say: (t) => t.clientStays(client.name, error.say(t)) });
    }
  }
  const [refusal] = refusals;
  if (removals.length === 0 && refusal !== undefined) throw refusal;
  // One that could not be taken out is still installed: what all share stays with it.
  const remaining = installedClients(paths.receipts).filter((id) => !removals.some(({ client }) => client.id === id));
  const receipts = removals.map(({ client }) => readReceipt(paths.receipt(client.id), 'client'));
  const steps = removals.flatMap((removal) => removal.steps);
  const leaving = removals.flatMap((removal) => removal.leaving);
  if (remaining.length > 0) {
    if (purge) notes.push({ code: 'purge/others', isWarning: false, say: (t) => t.purgeOthers(remaining) });
    return { clients: removals, steps, leaving, notes, remaining, stopsServer: false };
  }
  const local = readReceipt(paths.receipt(LOCAL_SERVER), 'local-server');
  const connection = readReceipt(paths.receipt(CONNECTION), 'connection');
  if (local !== undefined) {
    const removal = planLocalRemoval(machine, local);
    steps.push(...removal.steps);
    leaving.push(...removal.leaving);
  }
  const foundInRoot = [
    ...receipts.flatMap((receipt) => receipt?.foundInRoot ?? []),
    ...(connection?.foundInRoot ?? []),
  ];
  let purged: readonly string[] | undefined;
  if (purge) {
    const found = new Set(foundInRoot);
    for (const spool of spoolFolders(machine, context.clients)) {
      const removal = planSpoolRemoval(machine.home, spool);
      steps.push(...removal.steps);
      leaving.push(...removal.leaving);
    }
    const folders = SHARED_FOLDERS.filter((name) => !found.has(name)).map((name) => join(paths.root, name));
    purged = [paths.local, ...folders];
    for (const path of purged) {
      if (isThere(path)) steps.push({ kind: 'remove-tree', path });
    }
    for (const name of SHARED_FOLDERS.filter((shared) => found.has(shared))) {
      const path = join(paths.root, name);
      if (isThere(path)) notes.push({ code: 'purge/found', isWarning: false, say: (t) => t.purgeFound(path) });
    }
  }
  if (connection !== undefined) {
    // The file with the key comes last: once it is written, the rest is known to be done.
    if (purge) {
      leaving.push(...connection.folders);
      const receiptPath = paths.receipt(CONNECTION);
      const before = readImage(receiptPath);
      if (before !== undefined) steps.push({ kind: 'remove', path: receiptPath, before, isReceipt: true });
      const removal = planConnectionRemoval(connection);
      steps.push(...removal.steps);
      notes.push(...removal.notes);
    } else {
      const madeFolders = [...receipts, local].flatMap((receipt) => receipt?.folders ?? []);
      const stay = planConnectionStay(machine, connection, madeFolders, foundInRoot);
      steps.push(...stay.steps, ...stay.secretSteps);
      leaving.push(...connection.folders);
    }
  }
  if (steps.length > 0) leaving.push(paths.receipts, paths.install);
  return {
    clients: removals,
    steps,
    leaving,
    notes,
    remaining,
    ...(purged === undefined ? {} : { purged }),
    stopsServer: local !== undefined || (purge && isThere(paths.local)),
  };
}

/** What is nowhere else is lost by a purge, undelivered turns and memories of the local server: nobody does that by mistake. */
async function confirmPurge(
  { machine, terminal, clients }: CommandContext,
  { yes }: Invocation,
  { steps, purged }: Removal,
): Promise<void> {
  const { texts } = terminal;
  const { turns, deadLetters } = undelivered(spoolFolders(machine, clients));
  const memories = purged === undefined ? undefined : localMemories(machine);
  const losses: readonly Phrase[] = [
    ...(turns + deadLetters === 0 ? [] : [(t: Messages) => t.undelivered(turns, deadLetters)]),
    ...(memories === undefined
      ? []
      : [(t: Messages) => t.localMemories(memories.path, memories.bytes, memories.count)]),
  ];
  const [first] = losses;
  const isRefused = first !== undefined && !yes && !terminal.isInteractive;
  // The first of them is said by the refusal.
  for (const say of isRefused ? losses.slice(1) : losses) terminal.warn(texts.warning(say(texts)));
  if (yes) return;
  if (!terminal.isInteractive) {
    if (first === undefined) return;
    throw new Refusal({
      code: turns + deadLetters > 0 ? 'purge/undelivered' : 'purge/memories',
      say: first,
      next: (t) => t.undeliveredNext,
    });
  }
  for (const change of showSteps(steps)) terminal.say(`  ${texts.change(change.action, pathOf(change))}`);
  if (!(await terminal.confirm(texts.confirmPurge, false, machine.signal))) throw declined();
}

/** The database of the embedded server, where there is one with memories in it; without `count` it is not as this version knows it. */
function localMemories({
  home,
}: Machine): { readonly path: string; readonly bytes: number; readonly count: number | undefined } | undefined {
  const path = join(installPaths(home).local, 'memory.db');
  const status = fileStatus(path);
  if (status === undefined) return undefined;
  const count = countMemories(path);
  // What was stored last is in its log until the server finds time to move it.
  const log = fileStatus(`${path}-wal`);
  return count === 0 ? undefined : { path, bytes: status.size + (log?.size ?? 0), count };
}

function reportNothing(
  { terminal }: CommandContext,
  clients: readonly HarnessDeclaration[],
  installed: readonly string[],
  removal: Removal,
  strict: boolean,
): Outcome {
  const names = clients.filter(({ id }) => !installed.includes(id)).map(({ name }) => name);
  terminal.say(terminal.texts.notInstalled(names));
  showNotes(removal.notes, terminal);
  return {
    exitCode: exitCodeFor(removal.notes, strict),
    document: { command: 'uninstall', changed: false, notes: notesAsData(removal.notes, terminal) },
  };
}

function reportDryRun({ terminal }: CommandContext, removal: Removal): Outcome {
  const changes = showSteps(removal.steps);
  const notes = [...removal.notes, ...noteOnSharedFiles(changes)];
  for (const change of changes) showChange(change, terminal);
  showNotes(notes, terminal);
  terminal.say(terminal.texts.dryRunEnd);
  return {
    exitCode: 0,
    document: { command: 'uninstall', dryRun: true, changes, notes: notesAsData(notes, terminal) },
  };
}

function report(
  { machine, terminal, clients }: CommandContext,
  { strict, purge }: Invocation,
  removal: Removal,
): Outcome {
  const { texts } = terminal;
  const changes = showSteps(removal.steps);
  const notes = [...removal.notes, ...noteOnSharedFiles(changes)];
  const removed = removal.clients.filter(({ steps }) => steps.length > 0);
  if (removed.length === 0) terminal.say(texts.remainsRemoved);
  for (const { client } of removed) {
    terminal.say(texts.uninstalled(client.name));
    terminal.tell(texts.uninstalledNext(client.name), '  ');
  }
  showNotes(notes, terminal);
  const kept = keptPaths(machine, clients);
  // What another client works with stays as a matter of course.
  if (kept.length > 0 && removal.remaining.length === 0) {
    terminal.say(texts.kept(purge));
    for (const path of kept) terminal.say(`  ${path}`);
    if (!purge) terminal.tell(texts.keptNext);
  }
  return {
    exitCode: exitCodeFor(notes, strict),
    document: {
      command: 'uninstall',
      changed: true,
      clients: removed.map(({ client }) => client.id),
      changes: changes.map(({ path, action, args }) => ({ path, action, ...(args && { args }) })),
      kept,
      notes: notesAsData(notes, terminal),
    },
  };
}

/** What stays on the machine, because it is the user's. */
function keptPaths(machine: Machine, clients: readonly HarnessDeclaration[]): readonly string[] {
  const { root, local } = installPaths(machine.home);
  const shared = SHARED_FOLDERS.map((name) => join(root, name));
  return [ovcliPath(machine), ...spoolFolders(machine, clients), local, ...shared].filter(isThere);
}
