/**
 * The journal: a prompt is noted when it is submitted, because most hosts do not repeat it when the turn ends, and
 * because a turn whose end never comes would be lost otherwise. One file per prompt and per part of an answer, none of
 * which is ever read to be written again: two hooks at once cannot lose each other's note, nor bring a dropped one back.
 */
import { existsSync } from 'node:fs';
import { inside } from '../fs/path.ts';
import { claimedAgo } from '../fs/claim.ts';
import { createExclusive } from '../fs/exclusive.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { utimesSync } from '../fs/operations.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { readOwn } from '../fs/read-own.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';
import { shortHash } from '../session/short-hash.ts';
import { listNames, type ConversationFolder } from './conversation-folder.ts';
import type { Origin, TranscriptPosition } from './record.ts';

export interface PendingPrompt extends Origin {
  readonly turnId: string;
  readonly harness: string;
  /** The host's own id of the conversation. */
  readonly nativeId: string;
  /** Of a subagent's conversation. */
  readonly subagentId?: string;
  /** The client's own record, as the event named it. */
  readonly transcriptPath?: string;
  /** Cleaned, without private parts and secrets; empty when nothing of it may be kept. */
  readonly text: string;
  /** Secrets are still in it: it was not to be searched for them then. */
  readonly unsearched?: true;
  /** Hash of the text as it was typed: recognises the same event seen twice. */
  readonly typed: string;
  /** Key of the content, where the client's record numbers no turns, see `content-identity.ts`. */
  readonly content?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly cwd: string;
  /** Where the client's transcript ended when the prompt came: the turn's lines lie after it. */
  readonly transcript?: TranscriptPosition;
  /** What was answered so far, where the host tells it before the turn ends: in files of their own. */
  readonly answers?: readonly NotedAnswer[];
  /** What the user added while the turn ran, oldest first: in files of their own. */
  readonly remarks?: readonly PendingPrompt[];
}

/** Part of an answer: sanitised, and recognisable in the client's record, which has it as it was. */
export interface NotedAnswer {
  readonly text: string;
  /** Length in UTF-16 units and hash of the text as the host told it. */
  readonly length: number;
  readonly hash: string;
  /** Private blocks that it leaves open for the next part. */
  readonly open?: number;
}

/** The key under which a turn is known in journal and cursor: 12 hex digits. */
export function turnKey(turnId: string): string {
  return shortHash(turnId, 12);
}

/**
 * Notes a prompt, after those that are noted: its time is moved behind theirs where the clock was set back in between, for
 * the order of the notes is the order of the conversation. False when this turn was noted before: the same event came twice.
 */
export function notePrompt(conversation: ConversationFolder, prompt: PendingPrompt): boolean {
  const newest = pendingPrompts(conversation).at(-1);
  const at =
    newest === undefined || newest.at < prompt.at ? prompt.at : new Date(Date.parse(newest.at) + 1).toISOString();
  return createExclusive(promptPath(conversation, prompt.turnId), JSON.stringify({ ...prompt, at }));
}

/**
 * The same words of the same turn again within this time are the same event, in ms: two registrations of our hooks are told of
 * it. Whoever really says it again needs longer. It runs from the last hook that had to do with it, see `promptSeen`.
 */
export const SAME_WORDS_MS = 2_000;

/**
 * Notes what the user adds to a turn that is noted: beside its prompt, so that a hook that captures this moment takes away
 * what it has read and nothing else. Undefined when this very event was noted before, else the path of the note.
 */
export function noteRemark(conversation: ConversationFolder, remark: PendingPrompt): string | undefined {
  const { turnId, typed } = remark;
  const beside = remarkPrefix(turnId, typed);
  const main = promptPath(conversation, turnId);
  const alike = listNames(conversation.pending)
    .filter((name) => name.startsWith(beside))
    .map((name) => inside(conversation.pending, name));
  if (readPrompt(main)?.typed === typed) alike.push(main);
  if (alike.some(wasSeen)) return undefined;
  for (let number = 1; ; number += 1) {
    const path = inside(conversation.pending, `${beside}${number}.json`);
    if (createExclusive(path, JSON.stringify(remark))) return path;
    // Another hook was faster, and is told of the same event.
    if (wasSeen(path)) return undefined;
  }
}

function wasSeen(path: string): boolean {
  const ago = claimedAgo(path);
  // A time in the future comes from a clock that was set back.
  return ago > -1_000 && ago < SAME_WORDS_MS;
}

/** A hook is done with the prompt that it noted at `path`: from now on counts how long ago it was said. */
export function promptSeen(path: string): void {
  const now = new Date();
  // Captured and dropped meanwhile.
  keepIfPossible(() => utimesSync(path, now, now));
}

/** True where a captured note, as the cursor remembers it, is this one, or one of the same event. */
export function isHeard({ typed, at }: Pick<PendingPrompt, 'typed' | 'at'>, heard: readonly string[]): boolean {
  return heard.some((entry) => {
    const [words, time] = entry.split(' ');
    // An older program noted no time, and where nothing was typed, it says nothing.
    const isAnyTime = time === undefined || typed === '';
    return words === typed && (isAnyTime || Math.abs(Date.parse(time) - Date.parse(at)) < SAME_WORDS_MS);
  });
}

/** True where these words have been captured, whenever they were said. */
export function areWordsHeard(typed: string, heard: readonly string[]): boolean {
  return heard.some((entry) => entry.split(' ')[0] === typed);
}

/** What the cursor remembers of a captured note. */
export function heardEntry({ typed, at }: PendingPrompt): string {
  return `${typed} ${at}`;
}

/** Replaces a note that cannot be read. */
export function replacePrompt(conversation: ConversationFolder, prompt: PendingPrompt): void {
  writeFileAtomic(promptPath(conversation, prompt.turnId), JSON.stringify(prompt));
}

/** All noted turns, oldest first. */
export function pendingPrompts(conversation: ConversationFolder): PendingPrompt[] {
  const prompts: PendingPrompt[] = [];
  const names = listNames(conversation.pending);
  for (const name of names) {
    const prompt = name.includes('-') ? undefined : readPrompt(inside(conversation.pending, name));
    if (prompt !== undefined) prompts.push(prompt);
  }
  const turns = new Map<string, PendingPrompt>();
  for (const prompt of prompts.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) {
    const { turnId } = prompt;
    const turn = turns.get(turnId);
    if (turn !== undefined) {
      turns.set(turnId, { ...turn, remarks: [...(turn.remarks ?? []), prompt] });
      continue;
    }
    const answers = answerNames(names, turnKey(turnId)).flatMap((answer) => readAnswer(conversation, answer) ?? []);
    turns.set(turnId, answers.length === 0 ? prompt : { ...prompt, answers });
  }
  return [...turns.values()];
}

/** One note, without its answers. */
export function pendingPrompt(conversation: ConversationFolder, turnId: string): PendingPrompt | undefined {
  return readPrompt(promptPath(conversation, turnId));
}

/** Forgets a noted turn and its answers: it is in the spool. What was noted of it after it was read stays. */
export function dropPrompt(conversation: ConversationFolder, turn: PendingPrompt): void {
  const { turnId } = turn;
  const read = [turn, ...(turn.remarks ?? [])];
  const drop = (path: string): void => {
    const note = readPrompt(path);
    if (read.some(({ typed, at }) => typed === note?.typed && at === note.at)) removeQuietly(path);
  };
  // In this order: whoever notes an answer looks for the prompt afterwards.
  drop(promptPath(conversation, turnId));
  const names = listNames(conversation.pending);
  const key = turnKey(turnId);
  for (const name of names) if (name.startsWith(`${key}~`)) drop(inside(conversation.pending, name));
  for (const name of answerNames(names, key)) removeQuietly(inside(conversation.pending, name));
}

/** Takes away answers without a prompt: the process that dropped it was killed before it came to them. */
export function dropStrayAnswers(conversation: ConversationFolder): void {
  for (const name of listNames(conversation.pending)) {
    const [key = '', number] = name.split('-');
    if (number !== undefined && !existsSync(inside(conversation.pending, `${key}.json`)))
      removeQuietly(inside(conversation.pending, name));
  }
}

/** No turn has more: a note must not grow without end. */
const MOST_ANSWERS = 200;

/**
 * Notes part of a turn's answer; `raw` is the text as the host told it, `open` the number of private blocks that it leaves
 * open. Does nothing for a turn that is not noted.
 */
export function noteAnswer(
  conversation: ConversationFolder,
  turnId: string,
  raw: string,
  text: string,
  open = 0,
): void {
  const { length } = raw.trim();
  const answer: NotedAnswer = { text, length, hash: answerHash(raw.trim()), ...(open === 0 ? {} : { open }) };
  const key = turnKey(turnId);
  for (;;) {
    const last = answerNames(listNames(conversation.pending), key).at(-1);
    const number = last === undefined ? 0 : Number.parseInt(last.slice(key.length + 1), 10) + 1;
    if (!(number < MOST_ANSWERS) || pendingPrompt(conversation, turnId) === undefined) return;
    if (last !== undefined && readAnswer(conversation, last)?.hash === answer.hash) return;
    const path = inside(conversation.pending, `${key}-${String(number).padStart(3, '0')}.json`);
    // Another hook had the number: its answer comes first.
    if (!createExclusive(path, JSON.stringify(answer))) continue;
    if (pendingPrompt(conversation, turnId) === undefined) removeQuietly(path);
    return;
  }
}

/** Recognises an answer in the client's record. */
export function answerHash(text: string): string {
  return shortHash(text, 16);
}

/** Where the prompt of a turn is noted. */
export function promptPath(conversation: ConversationFolder, turnId: string): string {
  return inside(conversation.pending, `${turnKey(turnId)}.json`);
}

/** What the names begin with of remarks with the same words; a number follows. */
function remarkPrefix(turnId: string, typed: string): string {
  return `${turnKey(turnId)}~${typed}~`;
}

/** In the order in which they were noted. */
function answerNames(names: readonly string[], key: string): string[] {
  return names.filter((name) => name.startsWith(`${key}-`));
}

function readAnswer({ pending }: ConversationFolder, name: string): NotedAnswer | undefined {
  const answer = readJsonObject(inside(pending, name));
  return typeof answer?.['text'] === 'string' ? (answer as unknown as NotedAnswer) : undefined;
}

function readPrompt(path: string): PendingPrompt | undefined {
  try {
    const value = JSON.parse(readOwn(path)) as Partial<PendingPrompt> | null;
    if (
      typeof value?.turnId !== 'string' ||
      typeof value.nativeId !== 'string' ||
      typeof value.text !== 'string' ||
      typeof value.at !== 'string'
    )
      return undefined;
    return value as PendingPrompt;
  } catch {
    return undefined;
  }
}
