/** What waits on this machine for a server, and how delivery goes: read from the spool, nothing is asked and nothing written. */
import { join } from 'node:path';
import {
  allSessions,
  backOffOf,
  Conversation,
  credentialMark,
  deadLetters,
  environmentMark,
  homePaths,
  isElsewhere,
  livingOwner,
  readServerDelivery,
  serverStatePath,
  waitLeft,
} from '@openviking/memory-core/full';
import type { HarnessDeclaration, SpoolRecord } from '@openviking/memory-core/full';
import { displayUrl } from '../connection/server-url.ts';
import { settingsFor } from '../machine/machine.ts';
import { fileStatus } from '../files/file-status.ts';
import type { Machine } from '../machine/machine.ts';

export interface ConversationReport {
  readonly conversation: Conversation;
  /** Records that wait. */
  readonly depth: number;
  /** ISO 8601, when the oldest of them was captured. */
  readonly oldest?: string;
  readonly deadLetters: number;
  /** ISO 8601, when something of this conversation was last delivered. */
  readonly lastSuccess?: string;
  /** A worker has it right now. */
  readonly isUnderWay: boolean;
  readonly harness?: string;
  /** The oldest was said where variables name another server or key than here: a hook with that environment sends it. */
  readonly isElsewhere?: boolean;
  /** What the server said when it refused to make memories of what was delivered: status and code. */
  readonly refusedCommit?: string;
  /** The server answers and fails at this conversation: status and code. */
  readonly lastError?: string;
  /** ms until it is tried again; absent when nothing is waited for. */
  readonly waitMs?: number;
}

/** How delivery to one server goes. */
export interface DeliveryReport {
  readonly url: string;
  /** Clients whose conversations go there with these credentials. */
  readonly clients: readonly string[];
  /** The server has refused exactly these credentials: nothing is sent until they change. */
  readonly isBlocked: boolean;
  /** Failures in a row. */
  readonly failures: number;
  /** ms until the next attempt; absent when nothing is waited for. */
  readonly waitMs?: number;
  readonly lastError?: string;
  /** ISO 8601 */
  readonly lastSuccess?: string;
  /** Where this is noted. */
  readonly path: string;
}

/** Every conversation in the folders, in the order of its folder and name; `env` is this process's, `now` in ms since 1970. */
export function reportConversations(
  folders: readonly string[],
  env: Machine['env'],
  now = Date.now(),
): readonly ConversationReport[] {
  const here = environmentMark(env);
  return folders.flatMap((folder) =>
    allSessions(folder).map((session) => reportOn(new Conversation(folder, session), here, now)),
  );
}

function reportOn(conversation: Conversation, here: string, now: number): ConversationReport {
  const sequence = conversation.sequence();
  const first = firstReadable(conversation, sequence);
  const lastSuccess = modified(join(conversation.folder, 'cursor.json'));
  const refusedCommit = conversation.deliveredCursor().cursor.open?.refused;
  const backOff = sequence.length === 0 ? undefined : backOffOf(conversation);
  const waitMs = backOff === undefined ? 0 : waitLeft(backOff, now);
  return {
    conversation,
    depth: sequence.length,
    ...(first === undefined ? {} : { oldest: first.createdAt, harness: first.harness }),
    deadLetters: deadLetters(conversation),
    ...(lastSuccess === undefined ? {} : { lastSuccess }),
    isUnderWay: livingOwner(conversation.lockFile) !== undefined,
    isElsewhere: first !== undefined && isElsewhere(first, here),
    ...(refusedCommit === undefined ? {} : { refusedCommit }),
    ...(backOff?.lastError === undefined ? {} : { lastError: withoutNoStatus(backOff.lastError) }),
    ...(waitMs > 0 ? { waitMs } : {}),
  };
}

function firstReadable(conversation: Conversation, sequence: readonly number[]): SpoolRecord | undefined {
  for (const seq of sequence) {
    const record = conversation.read(seq);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** The cursor is written with every delivery and by nothing else. */
function modified(path: string): string | undefined {
  return fileStatus(path)?.mtime.toISOString();
}

/** One report for each place that conversations of these clients go to. */
export function reportDelivery(machine: Machine, clients: readonly HarnessDeclaration[]): readonly DeliveryReport[] {
  const reports = new Map<string, DeliveryReport>();
  for (const client of clients) {
    const { id } = client;
    const { connection, settings } = settingsFor(machine, client);
    const mark = credentialMark(connection);
    const known = reports.get(mark);
    if (known !== undefined) {
      reports.set(mark, { ...known, clients: [...known.clients, id] });
      continue;
    }
    const path = serverStatePath(homePaths(machine.home, settings.spoolDir), 'delivery', connection.baseUrl);
    const state = readServerDelivery(path);
    const waitMs = waitLeft(state, machine.now().getTime());
    reports.set(mark, {
      url: displayUrl(connection.baseUrl),
      clients: [id],
      isBlocked: state.blockedFor === mark,
      failures: state.failures,
      ...(waitMs > 0 ? { waitMs } : {}),
      ...(state.lastError === undefined ? {} : { lastError: withoutNoStatus(state.lastError) }),
      ...(state.lastSuccess === undefined ? {} : { lastSuccess: state.lastSuccess }),
      path,
    });
  }
  return [...reports.values()];
}

/** `0 ECONNREFUSED` of a server that gave no answer, without the status that it never had. */
function withoutNoStatus(error: string): string {
  return error.replace(/^0 /, '');
}

/** What a purge would lose. */
export function undelivered(folders: readonly string[]): { readonly turns: number; readonly deadLetters: number } {
  const reports = reportConversations(folders, {});
  return {
    turns: reports.reduce((sum, { depth }) => sum + depth, 0),
    deadLetters: reports.reduce((sum, report) => sum + report.deadLetters, 0),
  };
}
