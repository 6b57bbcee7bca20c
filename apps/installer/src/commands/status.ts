/** `status`: per client whether it is wired and healthy, then the server and what waits to be delivered. Writes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { journalPath } from '../apply/journal.ts';
import { Refusal } from '../cli/refusal.ts';
import { readClientVersion } from '../clients/client-version.ts';
import { resolveClients } from '../clients/catalogue.ts';
import { checkServer } from '../connection/server-check.ts';
import { displayUrl } from '../connection/server-url.ts';
import { runningServer } from '../local/local-server.ts';
import { installPaths } from '../machine/machine.ts';
import { damagedFiles, readManifest } from '../payload/payload.ts';
import { openPayload } from '../payload/payload.ts';
import { planClient } from '../plan/client-plan.ts';
import { installedClients, LOCAL_SERVER, readReceipt } from '../receipts/receipt.ts';
import { readHeartbeats } from '../status/heartbeat.ts';
import { undeliveredTurns } from '../status/spool-depth.ts';
import { exitCodeFor, notesAsData, showNotes } from './outcome.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { Machine } from '../machine/machine.ts';
import type { Note } from '../plan/client-plan.ts';
import type { Heartbeat } from '../status/heartbeat.ts';
import type { CommandContext, Outcome } from './outcome.ts';

const CHECK_MS = 3_000;

interface ClientStatus {
  readonly client: HarnessDeclaration;
  /** `incomplete`: installed, and something of it is missing or out of date now. */
  readonly wiring: 'absent' | 'wired' | 'incomplete';
  readonly version?: string;
  readonly payload?: 'intact' | 'damaged';
  readonly heartbeats: readonly Heartbeat[];
  readonly notes: readonly Note[];
}

export async function status(context: CommandContext, invocation: Invocation): Promise<Outcome> {
  const { machine, terminal } = context;
  const { texts } = terminal;
  const paths = installPaths(machine.home);
  const clients =
    invocation.harness === undefined ? context.clients : resolveClients(invocation.harness, context.clients);
  const states: ClientStatus[] = [];
  for (const client of clients) states.push(await inspect(machine, client));
  const notes = states.flatMap((state) => state.notes);
  if (existsSync(journalPath(paths.install))) {
    notes.push({ code: 'install/interrupted', isWarning: true, say: (t) => t.pendingJournal });
  }
  const isInstalled = installedClients(paths.receipts).length > 0;
  const harness = clients[0]?.id ?? '';
  const { connection } = loadSettings({ harness, home: machine.home, cwd: machine.home, env: machine.env });
  const url = displayUrl(connection.baseUrl);
  const server = await checkServer(connection, CHECK_MS, machine.signal);
  if (isInstalled && server.kind !== 'ready') {
    const say: Note['say'] = (t) =>
      server.kind === 'unreachable'
        ? t.serverUnreachable(url, server.code)
        : server.kind === 'rejected'
          ? t.serverRejected(url, server.status)
          : t.serverUnhealthy(url, server.status);
    notes.push({ code: `server/${server.kind}`, isWarning: true, say });
  }
  const waiting = undeliveredTurns(paths.spool);
  const local = readReceipt(paths.receipt(LOCAL_SERVER), 'local-server');
  const running = local === undefined ? undefined : runningServer(machine.home);

  for (const state of states) {
    terminal.say(texts.statusClient(state.client.name, state.wiring, state.version, state.payload));
    if (state.wiring === 'absent') continue;
    for (const beat of state.heartbeats) {
      const ago = beat.at === undefined ? undefined : machine.now().getTime() - Date.parse(beat.at);
      terminal.say(`  ${texts.statusHook(beat.entry, ago, beat.durationMs, beat.outcome)}`);
    }
  }
  terminal.say(texts.statusServer(url, server.kind));
  if (local !== undefined) terminal.say(texts.statusLocal(local.port, running));
  terminal.say(texts.statusSpool(waiting));
  showNotes(notes, terminal);
  return {
    exitCode: exitCodeFor(notes, invocation.strict),
    document: {
      command: 'status',
      clients: states.map(({ client, wiring, version, payload, heartbeats }) => ({
        id: client.id,
        wiring,
        ...(version === undefined ? {} : { version }),
        ...(payload === undefined ? {} : { payload }),
        heartbeats,
      })),
      server: { url, state: server.kind },
      ...(local === undefined
        ? {}
        : { localServer: { port: local.port, ...(running === undefined ? {} : { pid: running }) } }),
      spool: { undelivered: waiting },
      notes: notesAsData(notes, terminal),
    },
  };
}

async function inspect(machine: Machine, client: HarnessDeclaration): Promise<ClientStatus> {
  const paths = installPaths(machine.home);
  const receipt = readReceipt(paths.receipt(client.id), 'client');
  const heartbeats = readHeartbeats(client, paths.state);
  if (receipt === undefined) return { client, wiring: 'absent', heartbeats, notes: [] };
  const { version } = receipt.payload;
  const folder = join(receipt.payload.folder, version);
  const manifest = readManifest(folder);
  const damaged = manifest === undefined ? ['manifest.json'] : damagedFiles(folder, manifest);
  const notes: Note[] = [];
  if (damaged.length > 0) {
    notes.push({
      code: `${client.id}/payload-damaged`,
      isWarning: true,
      file: folder,
      say: (t) => t.statusDamaged(folder, damaged),
    });
  }
  let wired = false;
  try {
    // Wired is what a new run of the same release would not change.
    const clientVersion = await readClientVersion(client, machine);
    const payload = openPayload(machine.payloadRoot, client.id);
    const plan = planClient({
      machine,
      client,
      payload,
      clientVersion,
      madeFolders: [],
      sharedFolders: [],
      foundInRoot: [],
    });
    wired = plan.wiringSteps.length === 0;
    notes.push(...plan.notes.filter(({ isWarning }) => isWarning));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notes.push({ code: error.code, isWarning: true, say: error.say });
  }
  if (!wired) {
    notes.push({
      code: `${client.id}/incomplete`,
      isWarning: true,
      say: (t) => t.statusIncomplete(client.name, client.id),
    });
  }
  return {
    client,
    wiring: wired ? 'wired' : 'incomplete',
    version,
    payload: damaged.length === 0 ? 'intact' : 'damaged',
    heartbeats,
    notes,
  };
}
