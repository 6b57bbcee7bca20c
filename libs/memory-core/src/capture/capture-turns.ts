/**
 * Moves ended turns from journal and transcript into the spool, oldest first, each with the cursor that says so. Used by
 * the turn-end hook and by the worker, so that a turn whose end was missed is captured by the very same rules.
 */
import type { Harness } from '../contract/harness.ts';
import { GENERATED_TURN_ID, type TranscriptTurn } from '../contract/transcript.ts';
import type { SanitiseRules } from '../privacy/pipeline.ts';
import type { Settings } from '../contract/settings.ts';
import type { Conversation, Meanwhile } from '../spool/conversation.ts';
import { dropPrompt, pendingPrompts, turnKey, type PendingPrompt } from '../spool/journal.ts';
import { paced } from '../spool/pace.ts';
import {
  capturedSides,
  withCaptured,
  type CaptureCursor,
  type SpoolRecord,
  type TranscriptPosition,
} from '../spool/record.ts';
import { assembleTurns, assistantParts, type AssembledTurn } from './assemble.ts';
import { buildMessages } from './messages.ts';
import { openTranscript, type OpenTranscript } from './read-transcript.ts';

/** How long a turn waits for its transcript to be finished, in ms. */
export const HOLD_MS = 300;

export interface CaptureInput {
  readonly harness: Harness;
  readonly conversation: Conversation;
  readonly nativeId: string;
  readonly settings: Settings;
  readonly rules: SanitiseRules;
  readonly home: string;
  /** Working directory of the conversation. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly peer?: string;
  /** The turn that the host has just ended. */
  readonly ended?: { readonly turnId: string; readonly answer?: string };
  /** Prompts older than this (ISO 8601) count as ended. */
  readonly abandonedBefore?: string;
  /** ms since 1970. */
  readonly now: number;
  /** What the caller gets done while the disk works. */
  readonly meanwhile?: Meanwhile;
}

/** Appends a record per ended turn that was not captured before; returns the records. */
export async function captureTurns(input: CaptureInput): Promise<SpoolRecord[]> {
  const { conversation, harness } = input;
  const prompts = pendingPrompts(conversation);
  const { cursor } = conversation.captureState();
  if (prompts.length === 0 && input.ended === undefined) return [];
  const transcript =
    harness.transcript === undefined
      ? undefined
      : openTranscript(harness.transcript.locate({ nativeId: input.nativeId, home: input.home, env: input.env }));
  try {
    const known = prompts.length > 0 || cursor.turns.length > 0;
    const start = known ? earliest(prompts, cursor) : undefined;
    let turns =
      transcript === undefined ? [] : (harness.transcript?.parse?.(transcript.lines(start), input.nativeId) ?? []);
    // A turn to which the host gave no id cannot be recognised in the journal for certain: the journal alone counts then.
    turns = turns.filter((turn) => !turn.turnId.startsWith(GENERATED_TURN_ID));
    // A conversation that the journal does not know yet: what lies before this turn is history, which only `import` reads.
    if (!known) turns = turns.filter((turn) => turn.turnId === input.ended?.turnId);
    const assembled = assembleTurns({
      prompts,
      turns,
      ...(input.ended === undefined ? {} : { ended: input.ended }),
      ...(input.abandonedBefore === undefined ? {} : { abandonedBefore: input.abandonedBefore }),
    });
    const records: SpoolRecord[] = [];
    for (const turn of assembled) {
      if (!turn.closed) break;
      const record = await captureTurn(input, turn, transcript, turns);
      if (record !== undefined) records.push(record);
      if (turn.prompt !== undefined) dropPrompt(conversation, turn.turnId);
    }
    return records;
  } finally {
    transcript?.close();
  }
}

async function captureTurn(
  input: CaptureInput,
  turn: AssembledTurn,
  transcript: OpenTranscript | undefined,
  turns: readonly TranscriptTurn[],
): Promise<SpoolRecord | undefined> {
  const { harness, conversation, settings } = input;
  const key = turnKey(turn.turnId);
  const now = new Date(input.now).toISOString();
  const { parts, whole } = assistantParts(turn);
  // Without any answer there is nothing to hold: a later event adds the assistant's side when it turns up.
  const held = input.ended?.turnId === turn.turnId && harness.transcript !== undefined && !whole && parts.length > 0;
  return conversation.append((cursor) => {
    const before = capturedSides(cursor, key);
    const side = userSide(turn, now);
    const user = before.user ? undefined : side;
    const assistant =
      before.assistant || parts.length === 0 ? undefined : { parts, at: turn.transcript?.completedAt ?? now };
    if (user === undefined && assistant === undefined) return undefined;
    const peer = turn.prompt?.peer ?? input.peer;
    const messages = buildMessages(
      {
        turnId: turn.turnId,
        ...(peer === undefined ? {} : { peer }),
        ...(user === undefined ? {} : { user }),
        ...(assistant === undefined ? {} : { assistant }),
      },
      settings,
      input.rules,
    );
    const sides = withCaptured(cursor, key, { user: user !== undefined, assistant: assistant !== undefined });
    const position = positionAfter(turn, transcript, turns, held) ?? cursor.transcript;
    return {
      harness: harness.declaration.id,
      nativeId: input.nativeId,
      ...(peer === undefined ? {} : { peer }),
      createdAt: now,
      messages,
      cursor: { turns: sides.turns, ...(position === undefined ? {} : { transcript: position }) },
      ...(harness.declaration.commitAt === 'turn-end' && messages.length > 0
        ? { commit: { keep_recent_count: settings.commitKeepRecentCount } }
        : {}),
      ...(held ? { heldUntil: input.now + paced(HOLD_MS), held: { turnId: turn.turnId, cwd: input.cwd } } : {}),
    };
  }, input.meanwhile);
}

function userSide(turn: AssembledTurn, now: string): { text: string; sanitised: boolean; at: string } | undefined {
  if (turn.prompt !== undefined) return { text: turn.prompt.text, sanitised: true, at: turn.prompt.at };
  const text = turn.transcript?.userText;
  return text === undefined ? undefined : { text, sanitised: false, at: turn.transcript?.startedAt ?? now };
}

/** Where reading goes on after this turn: at the next turn's first line, and for a held turn at its own. */
function positionAfter(
  turn: AssembledTurn,
  transcript: OpenTranscript | undefined,
  turns: readonly TranscriptTurn[],
  held: boolean,
): TranscriptPosition | undefined {
  if (transcript === undefined) return undefined;
  const index = turns.findIndex((candidate) => candidate.turnId === turn.turnId);
  if (held)
    return index === -1 ? (turn.prompt?.transcript ?? transcript.end) : transcript.at(turns[index]?.offset ?? 0);
  // A turn that the transcript does not show moves nothing.
  if (index === -1) return undefined;
  const next = turns[index + 1];
  return next === undefined ? transcript.end : transcript.at(next.offset);
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
  input: Omit<CaptureInput, 'ended' | 'abandonedBefore' | 'cwd'>,
  record: SpoolRecord,
): SpoolRecord | undefined {
  const reader = input.harness.transcript;
  if (reader?.parse === undefined || record.held === undefined) return undefined;
  const transcript = openTranscript(reader.locate({ nativeId: input.nativeId, home: input.home, env: input.env }));
  if (transcript === undefined) return undefined;
  try {
    const turns = reader.parse(transcript.lines(record.cursor.transcript), input.nativeId);
    const index = turns.findIndex((turn) => turn.turnId === record.held?.turnId);
    const turn = turns[index];
    if (turn === undefined || !turn.closed || turn.assistant.length === 0) return undefined;
    const messages = buildMessages(
      {
        turnId: turn.turnId,
        ...(record.peer === undefined ? {} : { peer: record.peer }),
        assistant: { parts: turn.assistant, at: turn.completedAt ?? record.createdAt },
      },
      input.settings,
      input.rules,
    );
    const next = turns[index + 1];
    const { held: _held, heldUntil: _until, ...rest } = record;
    return {
      ...rest,
      messages: [...record.messages.filter((message) => message.role === 'user'), ...messages],
      cursor: {
        turns: withCaptured(record.cursor, turnKey(turn.turnId), { user: false, assistant: true }).turns,
        transcript: next === undefined ? transcript.end : transcript.at(next.offset),
      },
    };
  } finally {
    transcript.close();
  }
}
