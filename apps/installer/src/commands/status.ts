/** `status`: one screen. Per client whether it is wired and healthy and when it last did what, then the server, what waits, and settings. Writes nothing. */
import { shortHome } from '../cli/short-home.ts';
import { resolveClients } from '../clients/catalogue.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { readSnapshot } from '../doctor/snapshot/snapshot.ts';
import { outcomeWords } from '../status/outcome-words.ts';
import { displaySettings } from '../status/settings.ts';
import { asData, deliveryAsData, stateOf } from './spool.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { LastRun } from '../cli/messages-en.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import type { ClientSnapshot } from '../doctor/snapshot/client.ts';
import type { ServerSnapshot } from '../doctor/snapshot/server.ts';
import type { Snapshot } from '../doctor/snapshot/snapshot.ts';
import type { SpoolSnapshot } from '../doctor/snapshot/spool.ts';
import type { Heartbeat } from '../status/heartbeat.ts';
import type { ShownSetting } from '../status/settings.ts';
import type { CommandContext, Outcome } from './outcome.ts';

interface ClientStatus {
  readonly snapshot: ClientSnapshot;
  /** `incomplete`: installed, and something of it is missing or out of date now. */
  readonly wiring: 'absent' | 'wired' | 'incomplete';
  readonly payload: 'intact' | 'damaged';
  readonly problems: readonly DoctorFinding[];
  readonly last: Readonly<Partial<Record<'hook' | 'recall' | 'capture', Heartbeat>>>;
  /** Clients that run this one's hooks too and keep the conversation themselves. */
  readonly yieldsTo: readonly string[];
}

/** Characters of a value on the one screen. */
const SHOWN_VALUE = 40;

/** More of them would leave the screen; doctor has them all. */
const SHOWN_PROBLEMS = 5;

/** Conversations at which the server fails: a server with a broken archive may fail at every one. */
const SHOWN_FAILING = 3;

/** Codes that say something about our entries in the client's files. */
const WIRING =
  /\/(hooks-wiped|server-disabled|hook-disabled|hook-in-background|hook-conditional|matcher-narrowed|entries-\w+|sandbox-closed|other-folder|server-renamed|link-broken|other-launcher|hooks-disabled|earlier-entries|foreign-entry|file-missing|config-broken|plugin-\w+)$/;

export async function status(context: CommandContext, invocation: Invocation): Promise<Outcome> {
  const { machine, terminal, clients: known } = context;
  const { texts } = terminal;
  const snapshot = await readSnapshot({
    machine,
    known,
    ...(invocation.harness === undefined ? {} : { wanted: resolveClients(invocation.harness, known) }),
    language: texts.language,
    cwd: machine.cwd ?? machine.home,
    probesMcp: false,
    asksClients: false,
  });
  for (const { settings } of snapshot.clients) {
    if (settings.connection.apiKey !== undefined) terminal.keepSecret(settings.connection.apiKey);
  }
  const findings = runChecks(snapshot).flatMap((group) => group.findings);
  const problems = findings.filter(({ severity }) => severity === 'warn' || severity === 'error');
  const clients = snapshot.clients.map((client) => statusOf(client, snapshot, problems));
  const settings = settingsOf(snapshot, invocation.settings);

  for (const client of clients) showClient(client, snapshot, context);
  showServers(snapshot, context);
  showSpool(snapshot, context);
  showSettings(settings, snapshot, invocation.settings, context);
  const off = findings.filter(({ code }) => code === 'settings/memory-off' || code === 'settings/folder-off');
  for (const { code, message, file } of off) {
    const what = message[texts.language];
    const isHere = code === 'settings/folder-off';
    const said = isHere ? texts.statusHere(what, file) : texts.note(file === undefined ? what : `${file}: ${what}`);
    terminal.tell(shortHome(said, machine.home));
  }
  const next = nextStep(findings);
  if (next !== undefined) terminal.say(texts.statusNext(next.en));
  const isError = ({ severity }: DoctorFinding): boolean => severity === 'error';
  const gravest = [...problems.filter(isError), ...problems.filter((problem) => !isError(problem))];
  for (const problem of gravest.slice(0, SHOWN_PROBLEMS)) showProblem(problem, context);
  if (problems.length > 0) terminal.say(texts.statusMore(problems.length));
  return {
    exitCode: problems.length === 0 ? 0 : invocation.strict ? 1 : 3,
    document: {
      command: 'status',
      clients: clients.map(asClientData),
      server: asServerData(snapshot.servers[0]),
      servers: snapshot.servers.map(asServerData),
      ...(snapshot.localServer === undefined ? {} : { localServer: localServerData(snapshot.localServer) }),
      spool: spoolData(snapshot.spool),
      settings: settings.map(({ setting, clients: of }) => ({ ...setting, clients: of })),
      notes: [...problems, ...off].map(({ code, severity, client, file, line, message }) => ({
        code,
        severity,
        ...(client === undefined ? {} : { client }),
        message: message[texts.language],
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line }),
      })),
    },
  };
}

function statusOf(snapshot: ClientSnapshot, { installed }: Snapshot, all: readonly DoctorFinding[]): ClientStatus {
  const { client, receipt, program, heartbeats } = snapshot;
  const problems = all.filter((problem) => problem.client === client.id);
  const isWired = !problems.some(({ code }) => WIRING.test(code));
  const newest = (events: readonly Heartbeat['event'][]): Heartbeat | undefined =>
    heartbeats
      .filter(({ event, at }) => at !== undefined && events.includes(event))
      .sort((one, other) => Date.parse(other.at ?? '') - Date.parse(one.at ?? ''))[0];
  const hook = newest(heartbeats.map(({ event }) => event));
  const recall = newest(['prompt']);
  const capture = newest(['turn-end', 'answer']);
  return {
    snapshot,
    wiring: receipt === undefined ? 'absent' : isWired ? 'wired' : 'incomplete',
    payload: (program?.damaged.length ?? 0) === 0 ? 'intact' : 'damaged',
    problems,
    last: { ...(hook && { hook }), ...(recall && { recall }), ...(capture && { capture }) },
    yieldsTo: [...new Set((client.yieldsTo ?? []).map(({ harness }) => harness))].filter((id) =>
      installed.includes(id),
    ),
  };
}

function showClient(status: ClientStatus, { now, names }: Snapshot, { terminal }: CommandContext): void {
  const { texts } = terminal;
  const { snapshot, wiring, payload, problems, last, yieldsTo } = status;
  const { client, program, detectedAt } = snapshot;
  const version = program?.version ?? '?';
  const line = { name: client.name, wiring, version, payload, problems: problems.length, foundAt: detectedAt };
  terminal.say(texts.statusClient(line));
  if (wiring === 'absent') return;
  const { elsewhere } = snapshot;
  if (elsewhere !== undefined) {
    terminal.tell(texts.statusWiredElsewhere(elsewhere.variable, elsewhere.there, elsewhere.here), '  ');
  }
  const run = (beat: Heartbeat | undefined): LastRun | undefined =>
    beat?.at === undefined
      ? undefined
      : {
          entry: beat.entry,
          agoMs: now - Date.parse(beat.at),
          durationMs: beat.durationMs,
          outcome: beat.outcome === undefined ? undefined : outcomeWords(beat.outcome)[texts.language],
          tokens: beat.injectedTokens,
        };
  const hook = run(last.hook);
  // How it ended is told once, in the line of what it did.
  const isToldBelow = last.hook === last.recall || last.hook === last.capture;
  terminal.tell(
    texts.statusLastHook(hook && isToldBelow ? { ...hook, outcome: undefined, tokens: undefined } : hook),
    '  ',
  );
  // Without any hook there is nothing to tell of recall and capture either.
  if (hook !== undefined) {
    terminal.tell(texts.statusLastRecall(run(last.recall)), '  ');
    terminal.tell(texts.statusLastCapture(run(last.capture)), '  ');
  }
  for (const other of yieldsTo) terminal.say(`  ${texts.statusYields(names.get(other) ?? other)}`);
}

function showServers({ servers, localServer }: Snapshot, { terminal }: CommandContext): void {
  const { texts } = terminal;
  for (const { url, state } of servers) terminal.tell(texts.statusServer(url, state.kind));
  if (localServer !== undefined) terminal.tell(texts.statusLocal(localServer.port, localServer.pid));
}

function showSpool({ spool, now }: Snapshot, { terminal }: CommandContext): void {
  const { texts } = terminal;
  const { undelivered, oldest } = totalOf(spool);
  const ago = (at: string | undefined): number | undefined => (at === undefined ? undefined : now - Date.parse(at));
  const blocked = spool.conversations.filter((report) => stateOf(report, spool.delivery) === 'blocked');
  const blockedTurns = blocked.reduce((sum, { depth }) => sum + depth, 0);
  terminal.say(texts.statusSpool(undelivered, ago(oldest), blockedTurns));
  const elsewhere = spool.conversations
    .filter((report) => stateOf(report, spool.delivery) === 'elsewhere')
    .reduce((sum, { depth }) => sum + depth, 0);
  if (elsewhere > 0) terminal.say(`  ${texts.statusElsewhere(elsewhere)}`);
  const failing = spool.conversations.flatMap(({ conversation: { session }, lastError, waitMs }) =>
    lastError === undefined ? [] : [texts.statusFailing(session, lastError, waitMs)],
  );
  for (const line of failing.slice(0, SHOWN_FAILING)) terminal.tell(line, '  ');
  if (failing.length > SHOWN_FAILING) terminal.tell(texts.statusFailingMore(failing.length - SHOWN_FAILING), '  ');
  for (const { url, lastSuccess, lastError, waitMs, isBlocked } of spool.delivery) {
    if (lastSuccess === undefined && lastError === undefined) continue;
    terminal.tell(texts.statusDelivery(url, ago(lastSuccess), isBlocked ? undefined : lastError, waitMs), '  ');
  }
}

interface SharedSetting {
  readonly setting: ShownSetting;
  /** Ids of the clients that it holds for. */
  readonly clients: readonly string[];
}

/** What the clients' settings are, each once: those that several clients have from one place are one. */
function settingsOf({ clients }: Snapshot, all: boolean): readonly SharedSetting[] {
  const shared = new Map<string, { setting: ShownSetting; clients: string[] }>();
  for (const { client, settings } of clients) {
    for (const setting of displaySettings(settings, all)) {
      const key = JSON.stringify(setting);
      const known = shared.get(key);
      if (known === undefined) shared.set(key, { setting, clients: [client.id] });
      else known.clients.push(client.id);
    }
  }
  return [...shared.values()];
}

function showSettings(
  settings: readonly SharedSetting[],
  { clients, home }: Snapshot,
  all: boolean,
  { terminal }: CommandContext,
): void {
  const { texts } = terminal;
  if (clients.length === 0) return;
  terminal.say(settings.length === 0 ? texts.statusSettingsNone : texts.statusSettings(all));
  for (const { setting, clients: of } of settings) {
    const { name, value, layer, file, key } = setting;
    const from = [file && shortHome(file, home), key ?? layer].filter((part) => part !== undefined).join(' ');
    const whose = of.length === clients.length ? '' : `; ${of.join(', ')}`;
    // Each text in it by itself: JSON doubles the separators of Windows.
    const short = (_key: string, part: unknown): unknown => (typeof part === 'string' ? shortHome(part, home) : part);
    const text = value === undefined ? '-' : JSON.stringify(value, short);
    // A list of rules or a long path would push the rest off the screen; --settings and --json have it whole.
    const shown = all ? text : shortened(text, SHOWN_VALUE);
    terminal.tell(`${name} = ${shown}  (${from}${whose})`, '  ');
  }
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function showProblem({ file, line, column, message, fix }: DoctorFinding, { terminal }: CommandContext): void {
  const { texts } = terminal;
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const text = message[texts.language];
  terminal.warn(texts.warning(place === '' ? text : `${place}: ${text}`));
  if (fix !== undefined) terminal.warn(`  -> ${fix[texts.language]}`);
}

/** Before any installation: what to type. */
function nextStep(findings: readonly DoctorFinding[]): DoctorFinding['fix'] {
  return findings.find(({ code }) => code === 'install/nothing')?.fix;
}

function asClientData({ snapshot, wiring, payload, problems, last, yieldsTo }: ClientStatus) {
  const { client, program, detectedAt, heartbeats, serverStarted } = snapshot;
  const isThere = wiring !== 'absent';
  return {
    id: client.id,
    wiring,
    ...(isThere ? { healthy: problems.length === 0, payload } : {}),
    ...(program === undefined ? {} : { version: program.version }),
    ...(detectedAt === undefined ? {} : { detectedAt }),
    ...(isThere
      ? {
          lastHook: withoutFile(last.hook),
          lastRecall: withoutFile(last.recall),
          lastCapture: withoutFile(last.capture),
        }
      : {}),
    ...(yieldsTo.length === 0 ? {} : { yieldsTo }),
    ...(serverStarted === undefined ? {} : { serverStarted }),
    heartbeats: heartbeats.map(withoutFile),
  };
}

/** As data a heartbeat is what the hook has noted. */
function withoutFile(beat: Heartbeat | undefined) {
  if (beat === undefined) return undefined;
  const { file: _, ...noted } = beat;
  return noted;
}

function asServerData(server: ServerSnapshot | undefined) {
  if (server === undefined) return undefined;
  const { url, clients, state, version, answeredInMs } = server;
  return {
    url,
    state: state.kind,
    clients,
    ...(version === undefined ? {} : { version }),
    ...(answeredInMs === undefined ? {} : { answeredInMs: Math.round(answeredInMs) }),
  };
}

function localServerData({ port, pid }: NonNullable<Snapshot['localServer']>) {
  return { port, ...(pid === undefined ? {} : { pid }) };
}

function totalOf({ conversations }: SpoolSnapshot) {
  const [oldest] = conversations.flatMap((report) => report.oldest ?? []).sort();
  return {
    undelivered: conversations.reduce((sum, { depth }) => sum + depth, 0),
    ...(oldest === undefined ? {} : { oldest }),
    deadLetters: conversations.reduce((sum, { deadLetters }) => sum + deadLetters, 0),
  };
}

function spoolData(spool: SpoolSnapshot) {
  const waiting = spool.conversations.filter(({ depth, deadLetters }) => depth > 0 || deadLetters > 0);
  return {
    ...totalOf(spool),
    conversations: waiting.map(asData),
    delivery: spool.delivery.map(deliveryAsData),
  };
}
