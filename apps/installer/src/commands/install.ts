/** `install`: read, plan, show, apply, try, report. */
import { rmSync, statSync } from 'node:fs';
import { allowAttempt, OpenVikingError } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { requireDistinctFiles } from '../apply/distinct-files.ts';
import { applySteps } from '../apply/transaction.ts';
import { declined } from '../cli/interruption.ts';
import { Refusal } from '../cli/refusal.ts';
import { resolveClients } from '../clients/catalogue.ts';
import { requireFoldersOnTheWay } from '../clients/file-in-the-way.ts';
import { detect } from '../clients/detect.ts';
import { requireLocations } from '../clients/locations.ts';
import { NO_SURVEY, surveyClient, wiringContext } from '../clients/survey.ts';
import { wishesFor } from '../clients/wishes.ts';
import { maskKey, readApiKey } from '../connection/api-key.ts';
import { readAside, readConnection } from '../connection/ovcli-conf.ts';
import { checkServer } from '../connection/server-check.ts';
import { noteOnServer } from '../connection/server-note.ts';
import { checkServerUrl, displayUrl } from '../connection/server-url.ts';
import { chooseDistribution } from '../distribution/choice.ts';
import { preparePlugins } from '../distribution/prepare.ts';
import { isThere, missingFolders, namesIn } from '../files/folders.ts';
import { guide } from '../guided/guided-run.ts';
import { readImage } from '../files/image.ts';
import {
  choosePort,
  newToken,
  PortTaken,
  runningServer,
  startServer,
  stopServer,
  waitForOwnServer,
} from '../local/local-server.ts';
import { installPaths, ovcliPath, settingsFor } from '../machine/machine.ts';
import { MINIMUM_NODE, runsOn } from '../payload/launcher.ts';
import { openPayload } from '../payload/payload.ts';
import { noteOnQueue, takeOver } from '../migration/take-over.ts';
import { planClient } from '../plan/client-plan.ts';
import { planConnection } from '../plan/connection-plan.ts';
import { planLocalServer } from '../plan/local-plan.ts';
import { noteOnSharedFiles } from '../plan/note-on-shared-files.ts';
import { notesOnClient } from '../plan/notes-on-client.ts';
import { notesOnPlugin, refuseSecondWiring } from '../plan/second-wiring.ts';
import { pathOf, showSteps } from '../plan/show-plan.ts';
import { CONNECTION, installedClients, LOCAL_SERVER, readReceipt } from '../receipts/receipt.ts';
import { spoolFolders } from '../spool/folders.ts';
import { reportConversations, reportDelivery } from '../spool/report.ts';
import { startDelivery } from '../spool/start-delivery.ts';
import { runExclusively } from './exclusive-run.ts';
import { exitCodeFor, notesAsData, showNotes } from './outcome.ts';
import { selfTest } from './self-test.ts';
import type { Step } from '../apply/step.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { ClientSurvey } from '../clients/survey.ts';
import type { ConnectionWish } from '../connection/ovcli-conf.ts';
import type { AskedServer } from '../connection/server-note.ts';
import type { PreparedPlugins } from '../distribution/prepare.ts';
import type { Guidance } from '../guided/guided-run.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientPlan, Note } from '../plan/client-plan.ts';
import type { ClientWishes } from '../receipts/receipt.ts';
import type { LocalPlan } from '../plan/local-plan.ts';
import type { ShownChange } from '../plan/show-plan.ts';
import type { CommandContext, Outcome } from './outcome.ts';
import type { RunState } from './exclusive-run.ts';

/** How long a server may take to answer a check, in ms. */
const CHECK_MS = 5_000;
/** How long the embedded server may take to start, in ms. */
const START_MS = 20_000;
/** How many ports of the embedded server may be taken by others while we start before we stop. */
const PORT_ATTEMPTS = 5;

interface Plan {
  readonly clients: readonly ClientPlan[];
  readonly refused: readonly { readonly client: HarnessDeclaration; readonly error: Refusal }[];
  readonly local: LocalPlan | undefined;
  readonly steps: readonly Step[];
  /** True when the connection changes, so that a running embedded server must read it again. */
  readonly changesConnection: boolean;
  readonly connectionNotes: readonly Note[];
}

export async function install(context: CommandContext, typed: Invocation): Promise<Outcome> {
  const { machine, terminal } = context;
  requireNode(machine);
  const guidance = await guide(context, typed);
  const { invocation } = guidance;
  const choice = chooseDistribution(invocation);
  const clients = chooseClients(context, invocation);
  const wishes = new Map(clients.map((client) => [client, wishesFor(client, invocation, machine)]));
  const wish = await readWish(context, invocation);
  requireLocations(machine);
  requireOwnHome(machine);
  const surveys = await terminal.during(terminal.texts.lookingAtClients, () => surveyAll(machine, wishes));
  const prepared = await terminal.during(terminal.texts.fetchingPlugin, () => preparePlugins(machine, surveys, choice));
  try {
    const paths = installPaths(machine.home);
    const foundInRoot = knownFound(machine) ?? namesIn(paths.root);
    const takenPorts = new Set<number>();
    const plan = (madeFolders: readonly string[]) =>
      makePlan({ context, invocation, clients, prepared, wish, foundInRoot, madeFolders, takenPorts });

    if (invocation.dryRun) {
      const planned = await plan(missingFolders(paths.lock));
      return reportDryRun(context, planned);
    }
    return await runExclusively(machine, terminal, async (state) => {
      for (;;) {
        const planned = await plan(state.madeFolders);
        if (takenPorts.size === 0) await confirmPlan(context, guidance, planned);
        try {
          const server = await terminal.during(terminal.texts.installing, () => apply(context, planned, state));
          const [first] = planned.clients;
          const takenOver = first === undefined ? [] : await takeOver(machine, context.clients, first.client.id);
          const delivering = server.state.kind === 'ready' ? deliverWaiting(context, first?.client.id ?? '') : 0;
          return report(context, { invocation, plan: planned, server, takenOver, delivering });
        } catch (error) {
          if (!(error instanceof PortTaken) || takenPorts.size >= PORT_ATTEMPTS) throw error;
          takenPorts.add(error.port);
        }
      }
    });
  } finally {
    prepared.remove();
  }
}

/** What each client is like. */
async function surveyAll(
  machine: Machine,
  wishes: ReadonlyMap<HarnessDeclaration, ClientWishes>,
): Promise<ReadonlyMap<HarnessDeclaration, ClientSurvey>> {
  const surveys = [...wishes].map(
    async ([client, wanted]) => [client, await surveyClient(client, machine, wanted)] as const,
  );
  return new Map(await Promise.all(surveys));
}

function chooseClients(context: CommandContext, invocation: Invocation): readonly HarnessDeclaration[] {
  const { machine } = context;
  if (invocation.harness !== undefined) return resolveClients(invocation.harness, context.clients);
  const found = context.clients.filter(
    (client) => detect(client, machine, wishesFor(client, invocation, machine).commands) !== undefined,
  );
  if (found.length > 0) return found;
  throw new Refusal({
    code: 'harness/none-found',
    exitCode: 2,
    say: (t) => t.noneDetected,
    next: (t) => t.harnessList(context.clients.map(({ id }) => id)),
  });
}

/** What the connection shall become. Everything a user can get wrong here is refused before anything is read or written. */
async function readWish({ machine, terminal }: CommandContext, invocation: Invocation): Promise<ConnectionWish> {
  const key = await readApiKey(invocation, machine.env, machine.stdin, machine.signal);
  if (key !== undefined && key !== '') terminal.keepSecret(key);
  if (invocation.local && (invocation.url !== undefined || key !== undefined)) {
    throw new Refusal({ code: 'cli/local-and-url', exitCode: 2, say: (t) => t.localAndUrl, next: (t) => t.seeHelp });
  }
  const previous = invocation.previous ? previousPair(machine, invocation, key) : undefined;
  if (previous?.apiKey !== undefined) terminal.keepSecret(previous.apiKey);
  return {
    ...(invocation.url === undefined ? {} : { url: checkServerUrl(invocation.url) }),
    ...(key === undefined ? {} : { apiKey: key }),
    ...previous,
    ...(invocation.account === undefined ? {} : { account: checkIdentity(invocation.account) }),
    ...(invocation.user === undefined ? {} : { user: checkIdentity(invocation.user) }),
  };
}

/** The address and key that were put aside last. Throws a usage refusal when there are none. */
function previousPair(machine: Machine, { url, local }: Invocation, key: string | undefined): ConnectionWish {
  if (local || url !== undefined || key !== undefined) {
    throw new Refusal({
      code: 'cli/previous-and-url',
      exitCode: 2,
      say: (t) => t.previousAlone,
      next: (t) => t.seeHelp,
    });
  }
  const path = ovcliPath(machine);
  const pair = readAside(confText(path), path);
  if (pair?.url !== undefined && pair.apiKey !== undefined) return { url: pair.url, apiKey: pair.apiKey };
  throw new Refusal({
    code: 'connection/no-previous',
    exitCode: 2,
    say: (t) => t.previousMissing(path),
    next: (t) => t.previousMissingNext,
  });
}

/** Goes into a header: no control characters, nothing that a header cannot carry. */
function checkIdentity(typed: string): string {
  const text = typed.trim();
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  throw new Refusal({
    code: 'cli/identity',
    exitCode: 2,
    say: (t) => t.identityCharacters,
    next: (t) => t.identityNext,
  });
}

/** The launcher is told to start this very interpreter: one that is too old would fail in every hook. */
function requireNode({ nodeVersion, interpreter }: Machine): void {
  if (runsOn(nodeVersion)) return;
  throw new Refusal({
    code: 'node/too-old',
    say: (t) => t.nodeTooOld(interpreter, nodeVersion, MINIMUM_NODE),
    next: (t) => t.nodeTooOldNext(MINIMUM_NODE),
  });
}

/** Files of another user, or files of root in a user's home, would break that user's client. */
function requireOwnHome({ home, platform }: Machine): void {
  if (platform === 'win32' || process.getuid === undefined) return;
  const { uid } = statSync(home);
  if (uid === process.getuid()) return;
  throw new Refusal({ code: 'home/other-owner', say: (t) => t.homeOfOther(home), next: (t) => t.homeOfOtherNext });
}

async function makePlan(input: {
  readonly context: CommandContext;
  readonly invocation: Invocation;
  readonly clients: readonly HarnessDeclaration[];
  readonly prepared: PreparedPlugins;
  readonly wish: ConnectionWish;
  readonly foundInRoot: readonly string[];
  readonly madeFolders: readonly string[];
  /** Ports that turned out to be another program's. */
  readonly takenPorts: ReadonlySet<number>;
}): Promise<Plan> {
  const { machine, terminal } = input.context;
  const { madeFolders, foundInRoot } = input;
  const sharedFolders = foldersOfReceipts(machine);
  const clients: ClientPlan[] = [];
  const refused: { client: HarnessDeclaration; error: Refusal }[] = [];
  for (const client of input.clients) {
    try {
      refuseSecondWiring(client, machine);
      const payload = openPayload(machine.payloadRoot, client.id);
      const survey = input.prepared.surveys.get(client) ?? NO_SURVEY;
      const wiring = client.wiring(wiringContext(client, machine, survey));
      requireFoldersOnTheWay([...wiring.files.map(({ path }) => path), ...wiring.owned.map(({ to }) => to)]);
      const staged = input.prepared.staged.get(client);
      const planned = await planClient({
        machine,
        client,
        payload,
        survey,
        madeFolders,
        sharedFolders,
        foundInRoot,
        ...(staged === undefined ? {} : { staged }),
      });
      const notes = [
        ...notesOnClient(client, machine, survey),
        ...(input.prepared.notes.get(client) ?? []),
        ...planned.notes,
      ];
      clients.push({ ...planned, notes });
    } catch (error) {
      if (!input.invocation.keepGoing || !(error instanceof Refusal)) throw error;
      refused.push({ client, error });
    }
  }
  const [first] = refused;
  if (clients.length === 0 && first !== undefined) throw first.error;

  let wish = input.wish;
  let local: LocalPlan | undefined;
  if (input.invocation.local) {
    const port = await choosePort(machine.home, input.takenPorts);
    local = planLocalServer(machine, openPayload(machine.payloadRoot, LOCAL_SERVER), port);
    const url = `http://127.0.0.1:${port}`;
    const now = storedConnection(machine);
    const token = now.url === url && now.apiKey !== undefined ? now.apiKey : newToken();
    terminal.keepSecret(token);
    wish = { ...wish, url, apiKey: token };
  }
  const isRefused = local === undefined && (await isKeyRefused(machine, wish, clients[0]?.client));
  const connection = planConnection(machine, wish, madeFolders, local !== undefined, isRefused);
  const steps: readonly Step[] = [
    ...clients.flatMap(({ payloadSteps }) => payloadSteps),
    ...clients.map(({ launcher }): Step => ({ kind: 'probe', run: () => selfTest(machine, launcher) })),
    ...(local?.steps ?? []),
    ...clients.flatMap(({ wiringSteps }) => wiringSteps),
    ...clients.flatMap(({ receiptStep }) => receiptStep),
    ...(local?.receiptStep ?? []),
    ...connection.receiptStep,
    ...connection.fileStep,
  ];
  requireDistinctFiles(steps);
  return {
    clients,
    refused,
    local,
    steps,
    changesConnection: connection.fileStep.length > 0,
    connectionNotes: connection.notes,
  };
}

/**
 * What the first of the present installations found in `~/.openviking`, or one that is gone and has left its connection:
 * whatever has come there since was made by hooks of ours.
 */
function knownFound(machine: Machine): readonly string[] | undefined {
  const { receipts, receipt } = installPaths(machine.home);
  const found = [
    readReceipt(receipt(CONNECTION), 'connection'),
    ...installedClients(receipts).map((id) => readReceipt(receipt(id), 'client')),
  ].flatMap((known) => (known?.foundInRoot === undefined ? [] : [known.foundInRoot]));
  const [first, ...others] = found;
  return first?.filter((name) => others.every((names) => names.includes(name)));
}

function foldersOfReceipts(machine: Machine): readonly string[] {
  const { receipts, receipt } = installPaths(machine.home);
  return [
    ...installedClients(receipts).flatMap((id) => readReceipt(receipt(id), 'client')?.folders ?? []),
    ...(readReceipt(receipt(CONNECTION), 'connection')?.folders ?? []),
    ...(readReceipt(receipt(LOCAL_SERVER), 'local-server')?.folders ?? []),
  ].filter((folder) => folder.startsWith(installPaths(machine.home).root));
}

function storedConnection(machine: Machine) {
  const path = ovcliPath(machine);
  return readConnection(confText(path), path);
}

function confText(path: string): string | undefined {
  const image = readImage(path);
  return image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8');
}

/**
 * Whether the server refuses the key that another one is about to take the place of: then the one that was put aside before
 * is the one worth keeping. Asked only where there are both.
 */
async function isKeyRefused(
  machine: Machine,
  wish: ConnectionWish,
  owner: HarnessDeclaration | undefined,
): Promise<boolean> {
  const path = ovcliPath(machine);
  const { apiKey } = storedConnection(machine);
  if (wish.apiKey === undefined || wish.apiKey === apiKey || apiKey === undefined) return false;
  if (readAside(confText(path), path) === undefined) return false;
  const state = await checkServer(machine, settingsFor(machine, owner ?? { id: '' }), CHECK_MS);
  return state.kind === 'rejected';
}

async function confirmPlan(context: CommandContext, { invocation, confirm }: Guidance, plan: Plan): Promise<void> {
  const { terminal, machine } = context;
  const changes = showSteps(plan.steps);
  if (invocation.yes || !terminal.isInteractive || changes.length === 0) return;
  const title = terminal.texts.planTitle(plan.clients.map(({ client }) => client.name));
  if (confirm !== undefined) {
    if (!(await confirm(title, changes))) throw declined();
    return;
  }
  terminal.say(title);
  for (const change of changes) terminal.say(`  ${terminal.texts.change(change.action, pathOf(change))}`);
  if (!(await terminal.confirm(terminal.texts.confirmPlan, true, machine.signal))) throw declined();
}

/** Applies everything as one; returns what the server said. The check is part of it: Ctrl+C while waiting goes back. */
async function apply(context: CommandContext, plan: Plan, state: RunState): Promise<ServerReport> {
  const { machine } = context;
  const { local } = plan;
  let server: ServerReport | undefined;
  let started = false;
  const { local: data } = installPaths(machine.home);
  const hadData = isThere(data);
  const afterSteps = async (): Promise<void> => {
    if (local !== undefined) {
      const outdated = plan.changesConnection || local.steps.length > 0;
      if (outdated) await stopServer(machine.home);
      if (runningServer(machine.home) === undefined) {
        startServer(machine, local.launcher);
        started = true;
      }
      await waitForOwnServer(machine, local, START_MS);
    }
    server = await askServer(context, plan, local === undefined ? 0 : CHECK_MS);
  };
  const changes = plan.steps.filter((step) => step.kind !== 'probe');
  try {
    if (changes.length === 0) {
      for (const step of plan.steps) if (step.kind === 'probe') await step.run();
      await afterSteps();
    } else {
      await applySteps({
        installFolder: installPaths(machine.home).install,
        steps: plan.steps,
        madeFolders: state.madeFolders,
        leaving: plan.clients.flatMap(({ leaving }) => leaving),
        signal: machine.signal,
        machine,
        afterLastStep: afterSteps,
        ...(machine.atPoint === undefined ? {} : { atPoint: machine.atPoint }),
      });
    }
  } catch (error) {
    if (started) {
      await stopServer(machine.home);
      // It has made its database already; nothing of this run has ever been stored there.
      if (!hadData) rmSync(data, { recursive: true, force: true });
    }
    throw error;
  }
  if (server === undefined)
    throw new OpenVikingError({
      code: 'install/no-check',
      message: 'The server was not asked.',
      next: 'Everything is installed. Run openviking-install doctor, which asks it.',
    });
  return server;
}

interface ServerReport extends AskedServer {
  readonly key: string | undefined;
}

/** Asks until the server answers or `patienceMs` is over. */
async function askServer({ machine }: CommandContext, plan: Plan, patienceMs: number): Promise<ServerReport> {
  const resolved = settingsFor(machine, plan.clients[0]?.client ?? { id: '' });
  const { connection } = resolved;
  const until = performance.now() + patienceMs;
  for (;;) {
    const state = await checkServer(machine, resolved, CHECK_MS);
    if (state.kind !== 'unreachable' || performance.now() > until || machine.signal.aborted) {
      const launcher = plan.local?.launcher;
      const url = displayUrl(connection.baseUrl);
      return { url, key: connection.apiKey, state, ovcli: ovcliPath(machine), ...(launcher && { launcher }) };
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

function reportDryRun({ machine, terminal }: CommandContext, plan: Plan): Outcome {
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
function notesOnRefused({ refused }: Plan): readonly Note[] {
  return refused.map(({ client, error }) => ({
    code: error.code,
    isWarning: true,
    say: (t) => t.clientRefused(client.name, error.say(t)),
  }));
}

export function showChange(change: ShownChange, terminal: CommandContext['terminal']): void {
  terminal.say(terminal.texts.change(change.action, pathOf(change), change.files));
  if (change.mode !== undefined) terminal.say(terminal.texts.modeChange(change.mode.from, change.mode.to));
  if (change.diff !== undefined) terminal.diff(change.diff);
  terminal.say();
}

/**
 * What waits goes now: the server has just taken the key with which it may have been refused before. `asked` is the client
 * with whose connection that was found out. Returns how many conversations go.
 */
function deliverWaiting({ machine, clients }: CommandContext, asked: string): number {
  const waiting = reportConversations(spoolFolders(machine, clients), machine.env).filter(({ depth }) => depth > 0);
  if (waiting.length === 0) return 0;
  for (const { conversation } of waiting) conversation.mark();
  for (const { path, clients: of } of reportDelivery(machine, clients)) if (of.includes(asked)) allowAttempt(path);
  return startDelivery(machine, clients).length === 0 ? 0 : waiting.length;
}

interface Installed {
  readonly invocation: Invocation;
  readonly plan: Plan;
  readonly server: ServerReport;
  readonly takenOver: readonly Note[];
  /** How many conversations are on their way to the server now. */
  readonly delivering: number;
}

/** Whether the run has changed anything of the client's. */
function isChanged({ payloadSteps, wiringSteps }: ClientPlan): boolean {
  return payloadSteps.length + wiringSteps.length > 0;
}

function report(context: CommandContext, { invocation, plan, server, takenOver, delivering }: Installed): Outcome {
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
