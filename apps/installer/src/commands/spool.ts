/** `spool`: look at what waits for the server, send it again, or throw it away. Nothing but `drop` loses anything. */
import {
  allowAttempt,
  deadLetterNames,
  dropConversation,
  dropDead,
  dropRecord,
  environmentMark,
  readdress,
  requeueDead,
} from '@openviking/memory-core/full';
import type { DropOutcome } from '@openviking/memory-core/full';
import { declined } from '../cli/interruption.ts';
import { Refusal } from '../cli/refusal.ts';
import { displayUrl } from '../connection/server-url.ts';
import { settingsFor } from '../machine/machine.ts';
import { entriesOf, findTarget, readEntry } from '../spool/entries.ts';
import { spoolFolders } from '../spool/folders.ts';
import { reportConversations, reportDelivery } from '../spool/report.ts';
import { startDelivery } from '../spool/start-delivery.ts';
import { exitCodeFor, notesAsData, showNotes } from './outcome.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { Note } from '../plan/client-plan.ts';
import type { SpoolEntry, SpoolTarget } from '../spool/entries.ts';
import type { ConversationReport, DeliveryReport } from '../spool/report.ts';
import type { CommandContext, Outcome } from './outcome.ts';

/** What keeps a conversation waiting. */
type WaitState = 'delivering' | 'elsewhere' | 'blocked' | 'backing-off' | 'waiting' | 'refused';

export async function spool(context: CommandContext, invocation: Invocation): Promise<Outcome> {
  const reports = reportsOf(context);
  const { action, id } = invocation.spool ?? { action: 'list', id: undefined };
  switch (action) {
    case 'list':
      return list(context, reports);
    case 'retry':
      return retry(context, invocation, reports);
    case 'show':
      return show(context, findTarget(id ?? '', reports));
    case 'drop':
      return drop(context, invocation, findTarget(id ?? '', reports));
  }
}

function reportsOf({ machine, clients }: CommandContext): readonly ConversationReport[] {
  return reportConversations(spoolFolders(machine, clients), machine.env, machine.now().getTime());
}

function list({ machine, terminal, clients }: CommandContext, reports: readonly ConversationReport[]): Outcome {
  const { texts } = terminal;
  const delivery = reportDelivery(machine, clients);
  const waiting = reports.filter(({ depth, deadLetters }) => depth > 0 || deadLetters > 0);
  const now = machine.now().getTime();
  const ago = (at: string | undefined): number | undefined => (at === undefined ? undefined : now - Date.parse(at));
  if (waiting.length === 0) terminal.say(texts.spoolEmpty);
  for (const report of waiting) {
    const { depth, deadLetters, oldest, lastSuccess, lastError, conversation } = report;
    const state = stateOf(report, delivery);
    terminal.say(conversation.session);
    terminal.say(`  ${texts.spoolConversation({ depth, deadLetters, oldestMs: ago(oldest), state, lastError })}`);
    terminal.say(`  ${texts.spoolLastSuccess(ago(lastSuccess))}`);
  }
  if (waiting.length > 0) terminal.say(texts.spoolListNext);
  return {
    exitCode: 0,
    document: {
      command: 'spool',
      action: 'list',
      conversations: waiting.map((report) => ({ ...asData(report), state: stateOf(report, delivery) })),
      delivery: delivery.map(deliveryAsData),
    },
  };
}

/** Why it waits, as far as it can be told without asking the server. */
export function stateOf(report: ConversationReport, delivery: readonly DeliveryReport[]): WaitState {
  if (report.isUnderWay) return 'delivering';
  if (report.depth === 0) return 'refused';
  if (report.isElsewhere === true) return 'elsewhere';
  const server = delivery.find(({ clients }) => clients.includes(report.harness ?? '')) ?? delivery[0];
  if (server?.isBlocked === true) return 'blocked';
  return report.lastError === undefined && server?.waitMs === undefined ? 'waiting' : 'backing-off';
}

/** Puts dead letters back, forgets back-off and refused credentials, and starts delivery. */
async function retry(
  context: CommandContext,
  invocation: Invocation,
  reports: readonly ConversationReport[],
): Promise<Outcome> {
  const { machine, terminal, clients } = context;
  const { texts } = terminal;
  const notes: Note[] = [];
  let requeued = 0;
  for (const { conversation } of reports) {
    for (const name of deadLetterNames(conversation)) {
      const outcome = await requeueDead(conversation, name);
      if (outcome === 'requeued') requeued += 1;
      else if (outcome === 'unreadable') {
        const id = `${conversation.session}/dead/${name}`;
        notes.push({ code: 'spool/unreadable', isWarning: true, say: (t) => t.spoolUnreadable(id) });
      }
    }
    if (conversation.hasRecords()) conversation.mark();
  }
  if (invocation.here) notes.push(...(await sendFromHere(context, invocation, reportsOf(context))));
  const left = reportsOf(context).filter(({ conversation }) => conversation.hasRecords());
  const elsewhere = left.filter(({ isElsewhere }) => isElsewhere === true).length;
  const waiting = left.length - elsewhere;
  for (const { path } of reportDelivery(machine, clients)) allowAttempt(path);
  const started = waiting > 0 ? startDelivery(machine, clients) : [];
  if (requeued > 0) terminal.say(texts.spoolRequeued(requeued));
  if (elsewhere > 0) terminal.say(texts.spoolElsewhere(elsewhere));
  if (left.length === 0) terminal.say(texts.spoolEmpty);
  else if (started.length > 0) terminal.say(texts.spoolStarted(waiting));
  else if (waiting > 0) notes.push({ code: 'spool/no-client', isWarning: true, say: (t) => t.spoolNoClient });
  showNotes(notes, terminal);
  return {
    exitCode: exitCodeFor(notes, invocation.strict),
    document: {
      command: 'spool',
      action: 'retry',
      requeued,
      conversations: waiting,
      elsewhere,
      started: started.length > 0,
      notes: notesAsData(notes, terminal),
    },
  };
}

/**
 * `--here`: what was said with a key or address that has been replaced is sent with the present ones. Nobody but a person knows
 * that they are the same one's, so it is asked for by name, and says where everything goes. Asks, unless `--yes`.
 */
async function sendFromHere(
  { machine, terminal, clients }: CommandContext,
  { spool, yes }: Invocation,
  reports: readonly ConversationReport[],
): Promise<readonly Note[]> {
  const { texts } = terminal;
  const moving =
    spool?.id === undefined ? reports.filter(({ isElsewhere }) => isElsewhere) : [whole(spool.id, reports)];
  if (moving.length === 0) return [];
  const turns = moving.reduce((sum, { depth }) => sum + depth, 0);
  const own = clients.filter(({ id }) => moving.some(({ harness }) => harness === id));
  const urls = (own.length > 0 ? own : clients).map((client) =>
    displayUrl(settingsFor(machine, client).connection.baseUrl),
  );
  const ids = moving.map(({ conversation }) => conversation.session);
  terminal.say(texts.spoolHere(turns, ids, [...new Set(urls)]));
  if (!yes) {
    if (!terminal.isInteractive) {
      throw new Refusal({ code: 'spool/confirm', say: (t) => t.spoolHereUnconfirmed, next: (t) => t.spoolHereNext });
    }
    if (!(await terminal.confirm(texts.spoolHereConfirm, false, machine.signal))) throw declined();
  }
  const here = environmentMark(machine.env);
  return moving.flatMap(({ conversation }): Note[] => {
    if (readdress(conversation, here) === 'readdressed') return [];
    const { session } = conversation;
    return [{ code: 'spool/busy', isWarning: true, say: (t) => t.spoolHereBusy(session) }];
  });
}

/** Only a whole conversation can go somewhere else: its turns are sent in order. */
function whole(id: string, reports: readonly ConversationReport[]): ConversationReport {
  const target = findTarget(id, reports);
  if (target.kind === 'conversation') return target.report;
  return whole(target.conversation.session, reports);
}

function show({ terminal }: CommandContext, target: SpoolTarget): Outcome {
  const { texts } = terminal;
  if (target.kind !== 'conversation') {
    const content = readEntry(target);
    if (content === undefined) throw gone();
    terminal.say(typeof content === 'string' ? JSON.stringify(content) : JSON.stringify(content, null, 2));
    return { exitCode: 0, document: { command: 'spool', action: 'show', id: target.id, content } };
  }
  const { conversation } = target.report;
  const entries = entriesOf(conversation).map((entry) => ({ entry, summary: summaryOf(entry) }));
  if (entries.length === 0) terminal.say(texts.spoolEmpty);
  for (const { entry, summary } of entries) terminal.say(`${entry.id}  ${texts.spoolEntry(summary)}`);
  return {
    exitCode: 0,
    document: {
      command: 'spool',
      action: 'show',
      id: conversation.session,
      ...asData(target.report),
      entries: entries.map(({ entry, summary }) => ({ id: entry.id, ...summary })),
    },
  };
}

/** Asks, unless `--yes`: what is dropped is nowhere else. */
async function drop({ machine, terminal }: CommandContext, { yes }: Invocation, target: SpoolTarget): Promise<Outcome> {
  const { texts } = terminal;
  const isWhole = target.kind === 'conversation';
  const id = isWhole ? target.report.conversation.session : target.id;
  terminal.say(
    isWhole
      ? texts.spoolDropWhole(id, target.report.depth, target.report.deadLetters)
      : texts.spoolDropOne(id, summaryOf(target)),
  );
  if (!yes) {
    if (!terminal.isInteractive) {
      throw new Refusal({ code: 'spool/confirm', say: (t) => t.spoolUnconfirmed, next: (t) => t.undeliveredNext });
    }
    if (!(await terminal.confirm(texts.spoolConfirm, false, machine.signal))) throw declined();
  }
  const outcome = dropTarget(target);
  if (outcome === 'missing') throw gone();
  if (outcome === 'busy') {
    throw new Refusal({ code: 'spool/busy', say: (t) => t.spoolBusy, next: (t) => t.spoolBusyNext });
  }
  if (outcome === 'under-way') {
    throw new Refusal({ code: 'spool/under-way', say: (t) => t.spoolUnderWay, next: (t) => t.spoolUnderWayNext });
  }
  terminal.say(texts.spoolDropped(id));
  return { exitCode: 0, document: { command: 'spool', action: 'drop', id, dropped: true } };
}

function dropTarget(target: SpoolTarget): DropOutcome {
  switch (target.kind) {
    case 'conversation':
      return dropConversation(target.report.conversation);
    case 'record':
      return dropRecord(target.conversation, target.seq);
    case 'dead':
      return dropDead(target.conversation, target.name);
  }
}

/** One line about an entry. */
export interface EntrySummary {
  /** ISO 8601; absent for a damaged one. */
  readonly at?: string;
  readonly messages: number;
  /** Why the server refused it. */
  readonly reason?: string;
}

function summaryOf(entry: SpoolEntry): EntrySummary {
  const content = readEntry(entry);
  if (content === undefined || typeof content === 'string') return { messages: 0 };
  if ('messages' in content) return { at: content.createdAt, messages: content.messages.length };
  const { status, code, message } = content.reason;
  return { at: content.at, messages: 1, reason: `${status} ${code}: ${message}` };
}

/** A conversation as `--json` shows it; `status` uses it too. */
export function asData(report: ConversationReport) {
  const { conversation, depth, oldest, deadLetters, lastSuccess, lastError, waitMs, isUnderWay } = report;
  return {
    session: conversation.session,
    depth,
    ...(oldest === undefined ? {} : { oldest }),
    deadLetters,
    ...(lastSuccess === undefined ? {} : { lastSuccess }),
    ...(lastError === undefined ? {} : { lastError }),
    ...(waitMs === undefined ? {} : { nextAttemptInMs: waitMs }),
    underWay: isUnderWay,
  };
}

export function deliveryAsData({ url, isBlocked, failures, waitMs, lastError, lastSuccess }: DeliveryReport) {
  return {
    url,
    blocked: isBlocked,
    failures,
    ...(waitMs === undefined ? {} : { nextAttemptInMs: waitMs }),
    ...(lastError === undefined ? {} : { lastError }),
    ...(lastSuccess === undefined ? {} : { lastSuccess }),
  };
}

function gone(): Refusal {
  return new Refusal({ code: 'spool/gone', say: (t) => t.spoolGone, next: (t) => t.spoolUnknownNext });
}
