/** `status`: per client whether it is wired and healthy, then the server and what waits to be delivered. Writes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { journalPath } from '../apply/journal.ts';
import { Refusal } from '../cli/refusal.ts';
import { readClientVersion } from '../clients/client-version.ts';
import { resolveClients } from '../clients/catalogue.ts';
import { checkServer } from '../connection/server-check.ts';
import { noteOnServer } from '../connection/server-note.ts';
import { displayUrl } from '../connection/server-url.ts';
import { runningServer } from '../local/local-server.ts';
import { installPaths, mistakeInOvcli, ovcliPath, settingsFor } from '../machine/machine.ts';
import { damagedFiles, readManifest } from '../payload/payload.ts';
import { openPayload } from '../payload/payload.ts';
import { planClient } from '../plan/client-plan.ts';
import { notesOnPlugin } from '../plan/second-wiring.ts';
import { installedClients, LOCAL_SERVER, readReceipt } from '../receipts/receipt.ts';
import { readHeartbeats } from '../status/heartbeat.ts';
import { spoolFolders } from '../spool/folders.ts';
import { reportConversations, reportDelivery } from '../spool/report.ts';
import { exitCodeFor, notesAsData, showNotes } from './outcome.ts';
import { asData, deliveryAsData } from './spool.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { Machine } from '../machine/machine.ts';
import type { Note } from '../plan/client-plan.ts';
import type { ConversationReport, DeliveryReport } from '../spool/report.ts';
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
  const resolved = settingsFor(machine, clients[0]?.id ?? '');
  const url = displayUrl(resolved.connection.baseUrl);
  const server = await checkServer(machine, resolved, CHECK_MS);
  const local = readReceipt(paths.receipt(LOCAL_SERVER), 'local-server');
  const running = local === undefined ? undefined : runningServer(machine.home);
  const mistake = mistakeInOvcli(machine);
  if (mistake !== undefined) {
    // Without it hooks have neither address nor key: what the server says then leads astray.
    const file = ovcliPath(machine);
    const { line, column } = mistake;
    notes.push({ code: 'settings/broken-file', isWarning: true, file, say: (t) => t.brokenFile(file, line, column) });
  } else if (isInstalled) {
    const isLocal = local !== undefined && url === `http://127.0.0.1:${local.port}`;
    const note = noteOnServer({ url, state: server, ...(isLocal ? { launcher: local.launcher.path } : {}) });
    if (note !== undefined) notes.push(note);
  }
  const conversations = reportConversations(spoolFolders(machine, context.clients));
  const delivery = reportDelivery(machine, clients);
  const spool = totalOf(conversations);
  notes.push(...notesOnDelivery(delivery, spool));

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
  const ago = (at: string | undefined): number | undefined =>
    at === undefined ? undefined : machine.now().getTime() - Date.parse(at);
  terminal.say(texts.statusSpool(spool.undelivered, ago(spool.oldest)));
  for (const { url: to, lastSuccess, lastError, waitMs, isBlocked } of delivery) {
    if (lastSuccess === undefined && lastError === undefined) continue;
    terminal.say(`  ${texts.statusDelivery(to, ago(lastSuccess), isBlocked ? undefined : lastError, waitMs)}`);
  }
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
      spool: {
        ...spool,
        conversations: conversations.filter(({ depth, deadLetters }) => depth > 0 || deadLetters > 0).map(asData),
        delivery: delivery.map(deliveryAsData),
      },
      notes: notesAsData(notes, terminal),
    },
  };
}

interface SpoolTotal {
  readonly undelivered: number;
  /** ISO 8601 */
  readonly oldest?: string;
  readonly deadLetters: number;
}

function totalOf(conversations: readonly ConversationReport[]): SpoolTotal {
  const [oldest] = conversations.flatMap((report) => report.oldest ?? []).sort();
  return {
    undelivered: conversations.reduce((sum, { depth }) => sum + depth, 0),
    ...(oldest === undefined ? {} : { oldest }),
    deadLetters: conversations.reduce((sum, { deadLetters }) => sum + deadLetters, 0),
  };
}

function notesOnDelivery(
  delivery: readonly DeliveryReport[],
  { undelivered, deadLetters }: SpoolTotal,
): readonly Note[] {
  const notes: Note[] = delivery
    .filter(({ isBlocked }) => isBlocked)
    .map(({ url, lastError = '' }) => ({
      code: 'spool/blocked',
      isWarning: true,
      say: (t) => t.spoolBlocked(url, lastError, undelivered),
    }));
  if (deadLetters > 0) {
    notes.push({ code: 'spool/dead-letters', isWarning: true, say: (t) => t.spoolDead(deadLetters) });
  }
  return notes;
}

async function inspect(machine: Machine, client: HarnessDeclaration): Promise<ClientStatus> {
  const paths = installPaths(machine.home);
  const receipt = readReceipt(paths.receipt(client.id), 'client');
  const heartbeats = readHeartbeats(client, machine.home);
  if (receipt === undefined) return { client, wiring: 'absent', heartbeats, notes: [] };
  const { version } = receipt.payload;
  const folder = join(receipt.payload.folder, version);
  const manifest = readManifest(folder);
  const damaged = manifest === undefined ? ['manifest.json'] : damagedFiles(folder, manifest);
  const notes: Note[] = [...notesOnPlugin(client, machine)];
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
