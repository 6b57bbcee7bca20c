/** What an installation tells at its end, in words and as data: what changed where, and what is left to do. */
import { maskKey } from '../connection/api-key.ts';
import { noteOnServer } from '../connection/server-note.ts';
import { noteOnQueue } from '../migration/take-over.ts';
import { noteOnSharedFiles } from '../plan/note-on-shared-files.ts';
import { notesOnPlugin } from '../plan/second-wiring.ts';
import { showSteps } from '../plan/show-plan.ts';
import { exitCodeFor, notesAsData, showNotes } from './outcome.ts';
import { showChange } from './show-change.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { ClientPlan, Note } from '../plan/client-plan.ts';
import type { InstallationPlan } from './install-plan.ts';
import type { ServerReport } from './apply-plan.ts';
import type { CommandContext, Outcome } from './outcome.ts';

/** What would be done; nothing has been. */
export function reportDryRun({ machine, terminal }: CommandContext, plan: InstallationPlan): Outcome {
  const { texts } = terminal;
  const changes = showSteps(plan.steps);
  const ofClients = plan.clients.flatMap(({ client, notes }) => [...notes, ...notesOnPlugin(client, machine)]);
  const planned = [
    ...ofClients,
    ...notesOnRefused(plan),
    ...noteOnQueue(machine),
    ...plan.connectionNotes,
    ...noteOnSharedFiles(changes),
  ];
  const notes = planned.map((note) => ({ ...note, ...note.unwritten }));
  if (changes.length === 0) terminal.say(texts.nothingToDo);
  for (const change of changes) showChange(change, terminal);
  showNotes(notes, terminal);
  terminal.say(texts.dryRunEnd);
  return {
    exitCode: 0,
    document: { command: 'install', dryRun: true, changes, notes: notesAsData(notes, terminal) },
  };
}

/** Clients that `--keep-going` leaves out. */
function notesOnRefused({ refused }: InstallationPlan): readonly Note[] {
  return refused.map(({ client, error }) => ({
    code: error.code,
    isWarning: true,
    say: (t) => t.clientRefused(client.name, error.say(t)),
  }));
}

interface Installed {
  readonly invocation: Invocation;
  readonly plan: InstallationPlan;
  readonly server: ServerReport;
  readonly takenOver: readonly Note[];
  /** How many conversations are on their way to the server now. */
  readonly delivering: number;
}

/** Whether the run has changed anything of the client's. */
function isChanged({ payloadSteps, wiringSteps }: ClientPlan): boolean {
  return payloadSteps.length + wiringSteps.length > 0;
}

/** What was done, what the server says, and what is left to the user. */
export function reportInstalled(
  context: CommandContext,
  { invocation, plan, server, takenOver, delivering }: Installed,
): Outcome {
  const { machine, terminal } = context;
  const { texts } = terminal;
  const changes = showSteps(plan.steps);
  const notes: Note[] = plan.clients.flatMap(({ client, notes }) => [...notes, ...notesOnPlugin(client, machine)]);
  notes.push(...notesOnRefused(plan), ...takenOver, ...plan.connectionNotes, ...noteOnSharedFiles(changes));
  const serverNote = noteOnServer(server);
  if (serverNote !== undefined) notes.push(serverNote);

  for (const planned of plan.clients) {
    terminal.say(isChanged(planned) ? texts.installed(planned.client.name) : texts.upToDate(planned.client.name));
    for (const path of planned.hookPlaces) terminal.say(`  ${texts.reportHooks(path)}`);
    for (const path of planned.serverPlaces) terminal.say(`  ${texts.reportServer(path)}`);
    for (const path of planned.settingPlaces) terminal.say(`  ${texts.reportSetting(path)}`);
    for (const { kind, to } of planned.ownedFiles) terminal.say(`  ${texts.reportOwned(kind, to)}`);
  }
  terminal.say(texts.reportConnection(server.url, server.key === undefined ? undefined : maskKey(server.key)));
  if (server.state.kind === 'ready') terminal.say(texts.serverReady);
  if (delivering > 0) terminal.say(texts.spoolStarted(delivering));
  showNotes(notes, terminal);
  // What has been done once need not be done again because another key was stored.
  const changed = plan.clients.filter(isChanged);
  if (changed.length > 0) {
    terminal.say(texts.next);
    for (const { client, restart } of changed) {
      terminal.tell(restart[texts.language], '  ');
      if (client.trust !== undefined) terminal.tell(client.trust[texts.language], '  ');
    }
  }
  return {
    exitCode: exitCodeFor(notes, invocation.strict),
    document: {
      command: 'install',
      changed: changes.length > 0,
      clients: plan.clients.map((planned) => ({
        id: planned.client.id,
        version: planned.version,
        hooks: planned.hookPlaces,
        mcp: planned.serverPlaces,
        settings: planned.settingPlaces,
        owned: planned.ownedFiles.map(({ kind, to }) => ({ kind, path: to })),
        launcher: planned.launcher,
        next: [planned.restart[texts.language], planned.client.trust?.[texts.language]].filter(Boolean),
      })),
      changes: changes.map(({ path, action, args }) => ({ path, action, ...(args && { args }) })),
      server: { url: server.url, state: server.state.kind },
      delivering,
      notes: notesAsData(notes, terminal),
    },
  };
}
