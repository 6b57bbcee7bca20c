/**
 * Moves ended turns from journal and transcript into the spool, oldest first, each with the cursor that says so. Used by
 * the turn-end hook and by the worker, so that a turn whose end was missed is captured by the very same rules.
 */
import type { Harness } from '../contract/harness.ts';
import type { TranscriptTurn } from '../contract/transcript.ts';
import type { MessagePart } from '../contract/message.ts';
import { isoTime } from '../log/iso-time.ts';
import type { SanitiseRules } from '../privacy/pipeline.ts';
import { shortHash } from '../session/short-hash.ts';
import type { Settings } from '../contract/settings.ts';
import type { Conversation, Meanwhile } from '../spool/conversation.ts';
import { firstSeen, type FirstSeen } from '../spool/first-seen.ts';
import { notePassedOver, passedOver, type PassedOver } from '../spool/passed-over.ts';
import { dropPrompt, heardEntry, isHeard, pendingPrompts, turnKey, type PendingPrompt } from '../spool/journal.ts';
import { paced } from '../spool/pace.ts';
import {
  capturedSides,
  contentOf,
  withCaptured,
  type AwaitedTurn,
  type CaptureCursor,
  type Origin,
  type SpoolRecord,
  type TranscriptPosition,
} from '../spool/record.ts';
import { assembleTurns, assistantParts, type AssembledTurn } from './assemble.ts';
import { answered } from './content-key.ts';
import { GENERATED_TURN_ID } from './generated-turn-id.ts';
import { buildMessages } from './messages.ts';
import { planCommit, withProgress } from './commit-plan.ts';
import type { OpenTranscript } from './open-transcript.ts';
import { linesFrom } from './read-transcript.ts';
import { openSource, type TranscriptSource } from './transcript-source.ts';

/** How long a turn waits for its transcript to be finished, in ms. */
export const HOLD_MS = 300;

export interface CaptureInput {
  readonly harness: Harness;
  readonly conversation: Conversation;
  readonly source: TranscriptSource;
  readonly settings: Settings;
  readonly rules: SanitiseRules;
  readonly home: string;
  /** Working directory of the conversation. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of turns whose prompt was not noted. */
  readonly origin: () => Origin;
  /** The turn that the host has just ended; without an id, the last one of the record. */
  readonly ended?: { readonly turnId?: string; readonly answer?: string; readonly prompt?: string };
  /** A hook captures, to which memory is switched on in this conversation. */
  readonly isOn?: boolean;
  /** The conversation is over: its running turn has ended, too. */
  readonly over?: boolean;
  /** Prompts older than this (ISO 8601) count as ended. */
  readonly abandonedBefore?: string;
  /** ms since 1970. */
  readonly now: number;
  /** What the caller gets done while the disk works. */
  readonly meanwhile?: Meanwhile;
}

/** Journal, cursor and record of a conversation, as one look at them found them. */
interface Look {
  readonly prompts: readonly PendingPrompt[];
  readonly transcript: OpenTranscript | undefined;
  /** In file order; without those that are none of ours. */
  readonly turns: readonly TranscriptTurn[];
  /** The record has no ids: its turns are known by their content. */
  readonly byContent: boolean;
  /** Keys of the new turns' contents by turn, there. */
  readonly contents: ReadonlyMap<string, string>;
}

/**
 * True where the record has grown since it was read last and nothing else tells what it shows: a client whose turns no
 * hook sees in some of its modes. Cheap: no line is read.
 */
export function hasUnseen(
  harness: Harness,
  source: TranscriptSource,
  conversation: Conversation,
  place: Pick<CaptureInput, 'home' | 'env'>,
): boolean {
  if (harness.transcript?.identity !== 'content') return false;
  const from = firstSeen(conversation)?.from;
  const transcript = from === undefined ? undefined : openSource(harness, source, place);
  if (transcript === undefined) return false;
  try {
    const { cursor } = conversation.captureState();
    const position = cursor.transcript ?? (typeof from === 'object' ? from : undefined);
    return position === undefined || !transcript.covers(position) || transcript.end.offset > position.offset;
  } finally {
    transcript.close();
  }
}

/** Appends a record per ended turn that was not captured before; returns the records. */
export async function captureTurns(input: CaptureInput): Promise<SpoolRecord[]> {
  const { conversation, harness, source } = input;
  const prompts = pendingPrompts(conversation);
  const { cursor } = conversation.captureState();
  const beginning = source.subagentId === undefined ? firstSeen(conversation)?.from : 'start';
  const owed = prompts.length > 0 || cursor.awaited !== undefined;
  if (!owed && input.ended === undefined && beginning === undefined) return [];
  const transcript = openSource(harness, source, input);
  try {
    const passed = passedOver(conversation);
    const look = lookAt(input, prompts, cursor, transcript, beginning, passed);
    const ended = endedTurn(input, look, cursor, passed);
    const assembled = assembleTurns({
      prompts,
      turns: ended?.turn === undefined ? look.turns : [ended.turn],
      ...(ended === undefined ? {} : { ended }),
      ...(input.over === undefined ? {} : { over: input.over }),
      ...(input.abandonedBefore === undefined ? {} : { abandonedBefore: input.abandonedBefore }),
    });
    const records: SpoolRecord[] = [];
    for (const [index, turn] of assembled.entries()) {
      if (!turn.closed) break;
      const isFollowed = assembled.slice(index + 1).some((later) => later.transcript !== undefined);
      const isRefused =
        isFollowed &&
        ended?.turnId !== turn.turnId &&
        !capturedSides(cursor, turnKey(turn.turnId)).user &&
        wasRefused(harness, turn, transcript);
      if (!isRefused) {
        const record = await captureTurn(input, turn, look, ended?.turnId === turn.turnId ? ended : undefined);
        if (record !== undefined) records.push(record);
      }
      if (turn.prompt !== undefined) dropPrompt(conversation, turn.prompt);
    }
    return records;
  } finally {
    transcript?.close();
  }
}

/** A prompt of which the record shows nothing, where it shows every one that the model was given. */
function wasRefused(
  { transcript: reader }: Harness,
  turn: AssembledTurn,
  transcript: OpenTranscript | undefined,
): boolean {
  if (reader?.showsEveryPrompt !== true || turn.transcript !== undefined || turn.prompt === undefined) return false;
  const noted = turn.prompt.transcript;
  return transcript !== undefined && (noted === undefined || transcript.covers(noted));
}

/**
 * What the client's record shows of this conversation that may be new. What lies before the first turn that we know of is
 * history, from a time without us or copied from another conversation: only `import` reads that.
 */
function lookAt(
  input: CaptureInput,
  prompts: readonly PendingPrompt[],
  cursor: CaptureCursor,
  transcript: OpenTranscript | undefined,
  beginning: FirstSeen['from'] | undefined,
  passed: PassedOver | undefined,
): Look {
  const { harness, source, ended } = input;
  const reader = harness.transcript;
  const byContent = reader?.identify !== undefined;
  const nothing: Look = { prompts, transcript, turns: [], byContent, contents: new Map() };
  if (transcript === undefined || reader?.parse === undefined) return nothing;
  const known = prompts.length > 0 || cursor.turns.length > 0;
  const place = typeof beginning === 'object' ? beginning : undefined;
  const earliestOpen = known && !byContent ? earliest(prompts, cursor) : cursor.transcript;
  const start = earliestOpen ?? place;
  const parsed = reader.parse(linesFrom(transcript, start), source.nativeId, source.subagentId);
  const identified = reader.identify?.({ turns: parsed, prompts, cursor, ended, marks: harness.dialect, transcript }) ??
    // A turn to which the host gave no id cannot be recognised in the journal for certain.
    { turns: parsed.filter((turn) => !turn.turnId.startsWith(GENERATED_TURN_ID)), contents: nothing.contents };
  const own = identified.turns.slice(firstOwn());
  const unseen = unseenUntil(input, passed, transcript);
  return { ...nothing, ...identified, turns: own.filter((turn) => turn.offset >= unseen || isKnown(turn)) };

  function isKnown({ turnId }: TranscriptTurn): boolean {
    const { user, assistant } = capturedSides(cursor, turnKey(turnId));
    return user || assistant || prompts.some((prompt) => prompt.turnId === turnId);
  }

  /** Index of the first turn that is not history. */
  function firstOwn(): number {
    const { turns } = identified;
    if (cursor.turns.length > 0) {
      if (byContent || cursor.transcript === undefined || transcript?.covers(cursor.transcript) === true) return 0;
      // The file is another one, put back or copied: what it shows before the first turn that we know is history.
      const index = turns.findIndex((turn) => isKnown(turn) || turn.turnId === ended?.turnId);
      return index === -1 ? turns.length : index;
    }
    if (prompts.length > 0) {
      const from = prompts[0]?.transcript;
      const behind = from !== undefined && transcript?.covers(from) === true ? from.offset : Infinity;
      const index = turns.findIndex(
        ({ turnId, offset }) =>
          offset >= behind || turnId === ended?.turnId || prompts.some((prompt) => prompt.turnId === turnId),
      );
      return index === -1 ? turns.length : index;
    }
    if (beginning === 'start' || (place !== undefined && transcript?.covers(place) === true)) return 0;
    const index = turns.findIndex((turn) => turn.turnId === ended?.turnId);
    return index === -1 ? turns.length : index;
  }
}

/**
 * Offset before which only turns count that somebody has noted: what was said while memory was switched off begins before
 * it. A hook that captures shows that memory is on again: what it finds in the record is what was said until then. Only the
 * end of a turn without a name does not show where that began.
 */
function unseenUntil(
  { conversation, isOn, ended, now }: CaptureInput,
  passed: PassedOver | undefined,
  transcript: OpenTranscript,
): number {
  if (passed === undefined) return 0;
  const isOver = isOn === true && (ended === undefined || ended.turnId !== undefined);
  if (passed.off && isOver) notePassedOver(conversation, { off: false, at: now, until: transcript.end });
  const { off, until } = passed;
  if (off) return Infinity;
  return until === undefined ? 0 : transcript.covers(until) ? until.offset : Infinity;
}

interface EndedTurn {
  readonly turnId: string;
  readonly answer?: string;
  /** The host's id of a turn that has one of ours: its end may be told twice. */
  readonly alias?: string;
  readonly goesOn?: boolean;
  /** All that is known of the turn, where neither journal nor record has it. */
  readonly turn?: TranscriptTurn;
}

/** The turn that the host has ended, by its id. */
function endedTurn(
  { harness, ended, source, now }: CaptureInput,
  { turns, prompts, contents }: Look,
  cursor: CaptureCursor,
  passed: PassedOver | undefined,
): EndedTurn | undefined {
  if (ended === undefined) return undefined;
  const last = turns.at(-1)?.turnId;
  // A client may go on with a turn that has ended, and end it again. What it goes on with while memory is off is not known.
  const again = passed?.off === true ? undefined : cursor.last?.turnId;
  const { turnId = last ?? source.subagentId ?? again } = ended;
  if (turnId === undefined) {
    // The first turn of a conversation that began with memory on, and whose prompt hook has failed. Later such turns are
    // taken for the rest of the one before: what a host repeats then may be another program's reason to go on.
    if (harness.transcript !== undefined || passed !== undefined) return undefined;
    const { prompt: userText, ...rest } = ended;
    const id = `${GENERATED_TURN_ID}${now.toString(36)}`;
    const asked = userText === undefined ? {} : { userText };
    return { ...rest, turnId: id, turn: { turnId: id, ...asked, assistant: [], closed: true, offset: 0 } };
  }
  // A turn whose prompt was not noted: in a record without ids it is the last one, under an id of ours.
  const { user, assistant } = capturedSides(cursor, turnKey(turnId));
  const isNoted = user || assistant || prompts.some((prompt) => prompt.turnId === turnId);
  if (passed !== undefined && !isNoted && !turns.some((turn) => turn.turnId === turnId)) return undefined;
  return !isNoted && last !== undefined && contents.has(last)
    ? { ...ended, turnId: last, alias: turnId }
    : { ...ended, turnId, goesOn: user || assistant };
}

async function captureTurn(
  input: CaptureInput,
  turn: AssembledTurn,
  look: Look,
  ended: EndedTurn | undefined,
): Promise<SpoolRecord | undefined> {
  const { harness, conversation, settings } = input;
  const key = turnKey(turn.turnId);
  const now = isoTime(input.now);
  const { parts, whole } = assistantParts(turn);
  // Without any answer there is nothing to hold: a later event adds the assistant's side when it turns up.
  const held = ended !== undefined && harness.transcript !== undefined && !whole && parts.length > 0;
  return conversation.append((cursor) => {
    const before = capturedSides(cursor, key);
    const notes = unheard(turn, cursor, before.user);
    const user = userSide(turn, notes, before.user, now);
    const news = before.assistant ? continuation(cursor, turn.turnId, parts, ended !== undefined) : parts;
    const assistant = news.length === 0 ? undefined : { parts: news, at: turn.transcript?.completedAt ?? now };
    if (user === undefined && assistant === undefined) return undefined;
    const last = lastOf(turn.turnId, cursor.last, news, notes);
    const open = { depth: (cursor.last?.turnId === turn.turnId && cursor.last.open) || 0 };
    const { peer, environment } = turn.prompt ?? input.origin();
    const origin = { peer, environment };
    const messages = buildMessages(
      {
        turnId: turn.turnId,
        peer,
        ...(user === undefined ? {} : { user }),
        ...(assistant === undefined ? {} : { assistant: { ...assistant, open } }),
      },
      settings,
      input.rules,
    );
    const plan =
      messages.length === 0
        ? undefined
        : planCommit(cursor, !before.user && !before.assistant, origin, harness.declaration.commitAt, settings);
    const position = positionAfter(turn, look, held, cursor) ?? cursor.transcript;
    const owes = parts.length > (turn.transcript?.assistant.length ?? 0);
    const isShown = look.turns.some(({ turnId }) => turnId === turn.turnId);
    // An empty key is that of a turn which only its place in the record will tell.
    const content = look.byContent
      ? (turn.prompt?.content ?? look.contents.get(turn.turnId) ?? contentOf(cursor, key)?.content ?? '')
      : undefined;
    const captured = withCaptured(
      cursor,
      key,
      { user: user !== undefined, assistant: assistant !== undefined },
      content === undefined ? undefined : { content, ...answered(parts) },
    );
    const alias = ended?.alias;
    const next =
      alias === undefined ? captured : withCaptured(captured, turnKey(alias), { user: true, assistant: true });
    return {
      harness: harness.declaration.id,
      ...input.source,
      ...origin,
      createdAt: now,
      messages,
      cursor: {
        ...(plan === undefined ? next : withProgress(next, plan.progress)),
        ...(position === undefined ? {} : { transcript: position }),
        last: open.depth === 0 ? last : { ...last, open: open.depth },
        ...(content === undefined ? {} : awaiting(captured, { turnId: turn.turnId, content }, isShown, held, owes)),
      },
      ...plan?.intent,
      ...(held ? { heldUntil: input.now + paced(HOLD_MS), held: { turnId: turn.turnId, cwd: input.cwd } } : {}),
    };
  }, input.meanwhile);
}

/** What the cursor remembers of the turn that was captured last. */
function lastOf(
  turnId: string,
  before: CaptureCursor['last'],
  parts: readonly MessagePart[],
  notes: readonly PendingPrompt[],
): NonNullable<CaptureCursor['last']> {
  const same = before?.turnId === turnId ? before : undefined;
  const part = parts.findLast(({ type }) => type === 'text');
  const text = part?.type === 'text' ? textKey(part.text) : (same?.text ?? '');
  return { turnId, text, typed: [...(same?.typed ?? []), ...notes.map(heardEntry)] };
}

function textKey(text: string): string {
  return shortHash(text.trim(), 12);
}

/**
 * What came after the captured end of a turn: another program's hook may have sent the model on, and the same turn ends a
 * second time. Without that end in sight only the newest text counts, for all else may have been captured.
 */
function continuation(
  { last }: CaptureCursor,
  turnId: string,
  parts: readonly MessagePart[],
  hasEnded: boolean,
): readonly MessagePart[] {
  if (!hasEnded || last?.turnId !== turnId) return [];
  const isLast = (part: MessagePart): boolean => part.type === 'text' && textKey(part.text) === last.text;
  const end = parts.findLastIndex(isLast);
  if (end !== -1) return parts.slice(end + 1).some(({ type }) => type === 'text') ? parts.slice(end + 1) : [];
  const newest = parts.findLast(({ type }) => type === 'text');
  return newest === undefined ? [] : [newest];
}

/** How many captured turns the record may still owe us. */
const MOST_AWAITED = 20;

/**
 * What is awaited after a turn was captured. A record is in the order of the conversation: once it shows a turn, it owes
 * none before it; a held turn is itself behind the place where reading goes on. Which turn it shows is a guess where the
 * same is said again and again: one that has no answer yet, or whose answer was told and not shown (`owes`), is passed
 * and not forgotten.
 */
function awaiting(
  cursor: CaptureCursor,
  captured: AwaitedTurn,
  isShown: boolean,
  held: boolean,
  owes: boolean,
): Pick<CaptureCursor, 'awaited'> {
  let awaited = (cursor.awaited ?? []).filter(({ turnId }) => turnId !== captured.turnId);
  if (isShown)
    awaited = awaited
      .filter(({ turnId }) => !capturedSides(cursor, turnKey(turnId)).assistant)
      .map((turn) => ({ ...turn, passed: true }));
  if (!isShown || held) awaited.push(captured);
  else if (owes) awaited.push({ ...captured, passed: true });
  return { awaited: awaited.slice(-MOST_AWAITED) };
}

/**
 * Notes of a turn that are not captured. A turn may be noted again after it was captured: the user added something while it
 * went on. What was captured of it a moment ago, and not dropped any more, is told by what was typed, and when.
 */
function unheard({ turnId, prompt }: AssembledTurn, { last }: CaptureCursor, isCaptured: boolean): PendingPrompt[] {
  if (prompt === undefined) return [];
  const notes = [prompt, ...(prompt.remarks ?? [])];
  if (!isCaptured) return notes;
  const heard = last?.turnId === turnId ? last.typed : undefined;
  return heard === undefined ? [] : notes.filter((note) => !isHeard(note, heard));
}

function userSide(
  { prompt, transcript }: AssembledTurn,
  notes: readonly PendingPrompt[],
  isCaptured: boolean,
  now: string,
): { text: string; sanitised: boolean; at: string } | undefined {
  const [first] = notes;
  if (first !== undefined) {
    const text = notes
      .map((note) => note.text)
      .join('\n\n')
      .trim();
    return { text, sanitised: true, at: first.at };
  }
  if (isCaptured || prompt !== undefined) return undefined;
  const text = transcript?.userText;
  return text === undefined ? undefined : { text, sanitised: false, at: transcript?.startedAt ?? now };
}

/** Where reading goes on after this turn: at the next turn's first line, and for a held turn at its own. */
function positionAfter(
  turn: AssembledTurn,
  { transcript, turns, byContent }: Look,
  held: boolean,
  cursor: CaptureCursor,
): TranscriptPosition | undefined {
  if (transcript === undefined) return undefined;
  const index = turns.findIndex((candidate) => candidate.turnId === turn.turnId);
  if (index !== -1) {
    const next = turns[held ? index : index + 1];
    return next === undefined ? transcript.end : transcript.at(next.offset);
  }
  const noted = turn.prompt?.transcript;
  // The file was written anew since the last look: what comes from now on lies behind the prompt.
  if (byContent && cursor.transcript !== undefined && transcript.covers(cursor.transcript)) return undefined;
  if (byContent && noted !== undefined && transcript.covers(noted)) return noted;
  // Else a turn that the transcript does not show moves nothing.
  return held ? (noted ?? transcript.end) : undefined;
}

/** The earliest place that may hold something of a turn that is not captured; undefined = from the file's start. */
function earliest(prompts: readonly PendingPrompt[], cursor: CaptureCursor): TranscriptPosition | undefined {
  const positions: TranscriptPosition[] = [];
  for (const prompt of prompts) {
    // No transcript when the prompt came: all of the file is later.
    if (prompt.transcript === undefined) return cursor.transcript;
    positions.push(prompt.transcript);
  }
  if (cursor.transcript !== undefined) positions.push(cursor.transcript);
  const newest = positions.at(-1);
  // Places in different files cannot be compared: the file was replaced in between, read the present one whole.
  if (
    newest === undefined ||
    positions.some((position) => position.identity !== newest.identity || position.path !== newest.path)
  )
    return undefined;
  return positions.reduce((a, b) => (a.offset <= b.offset ? a : b));
}

/**
 * The record of a held turn, completed from the transcript if that shows the turn's end by now; else undefined. Only for
 * the holder of the delivery lock, and only before the record was sent.
 */
export function completeHeld(
  input: Pick<CaptureInput, 'harness' | 'settings' | 'rules' | 'home' | 'env'>,
  record: SpoolRecord,
): SpoolRecord | undefined {
  const { harness } = input;
  const reader = harness.transcript;
  if (reader?.parse === undefined || record.held === undefined) return undefined;
  const { cursor } = record;
  const transcript = openSource(harness, record, input);
  if (transcript === undefined) return undefined;
  try {
    const parsed = reader.parse(linesFrom(transcript, cursor.transcript), record.nativeId, record.subagentId);
    const turns =
      reader.identify?.({ turns: parsed, prompts: [], cursor, marks: harness.dialect, transcript }).turns ?? parsed;
    const index = turns.findIndex((turn) => turn.turnId === record.held?.turnId);
    const turn = turns[index];
    if (turn === undefined || !turn.closed || turn.assistant.length === 0) return undefined;
    const messages = buildMessages(
      {
        turnId: turn.turnId,
        peer: record.peer,
        assistant: { parts: turn.assistant, at: turn.completedAt ?? record.createdAt },
      },
      input.settings,
      input.rules,
    );
    const next = turns[index + 1];
    const { held: _held, heldUntil: _until, ...rest } = record;
    const position = next === undefined ? transcript.end : transcript.at(next.offset);
    const key = turnKey(turn.turnId);
    const content = cursor.awaited?.find(({ turnId }) => turnId === turn.turnId)?.content;
    const known = content === undefined ? undefined : { content, ...answered(turn.assistant) };
    const captured = withCaptured(cursor, key, { user: false, assistant: true }, known);
    const awaited = (cursor.awaited ?? []).filter(({ passed }) => passed === true);
    return {
      ...rest,
      messages: [...record.messages.filter((message) => message.role === 'user'), ...messages],
      cursor: { ...captured, ...(content === undefined ? {} : { awaited }), transcript: position },
    };
  } finally {
    transcript.close();
  }
}
