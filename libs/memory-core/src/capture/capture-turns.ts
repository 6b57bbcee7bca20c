/**
 * Moves ended turns from journal and transcript into the spool, oldest first, each with the cursor that says so. Used by
 * the turn-end hook and by the worker, so that a turn whose end was missed is captured by the very same rules.
 */
import type { Harness } from '../contract/harness.ts';
import { isoTime } from '../log/iso-time.ts';
import { firstSeen } from '../spool/first-seen.ts';
import { dropPrompt, pendingPrompts, turnKey } from '../spool/journal.ts';
import { paced } from '../spool/pace.ts';
import { passedOver } from '../spool/passed-over.ts';
import { capturedSides, contentOf, withCaptured, type SpoolRecord } from '../spool/record.ts';
import { assembleTurns, assistantParts, type AssembledTurn } from './assemble.ts';
import { awaiting } from './awaited-turns.ts';
import type { CaptureInput } from './capture-input.ts';
import { planCommit, withProgress } from './commit-plan.ts';
import { answered } from './content-key.ts';
import { endedTurn, type EndedTurn } from './ended-turn.ts';
import { lookAt, positionAfter, type Look } from './look-at-record.ts';
import { buildMessages } from './messages.ts';
import { continuation, lastOf, unheard, userSide } from './news-of-turn.ts';
import type { OpenTranscript } from './open-transcript.ts';
import { openSource } from './transcript-source.ts';

/** How long a turn waits for its transcript to be finished, in ms. */
export const HOLD_MS = 300;

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
