/**
 * Which turns there are and which of them have ended: our journal and the client's transcript laid over each other. The
 * journal knows every prompt but little of the answers; the transcript knows the tool calls and may have lost anything.
 */
import type { MessagePart } from '../contract/message.ts';
import type { TranscriptTurn } from '../contract/transcript.ts';
import { answerHash, type NotedAnswer, type PendingPrompt } from '../spool/journal.ts';

export interface AssembledTurn {
  readonly turnId: string;
  readonly prompt?: PendingPrompt;
  readonly transcript?: TranscriptTurn;
  /** The answer that the host reported when the turn ended. */
  readonly answer?: string;
  readonly closed: boolean;
}

export interface AssembleInput {
  /** Oldest first. */
  readonly prompts: readonly PendingPrompt[];
  /** In file order. */
  readonly turns: readonly TranscriptTurn[];
  /** The turn that the host has just ended; `goesOn`: it is captured, and ends once more. */
  readonly ended?: { readonly turnId: string; readonly answer?: string; readonly goesOn?: boolean };
  /** Prompts older than this (ISO 8601) count as ended although nothing says so. */
  readonly abandonedBefore?: string;
  /** The conversation is over: every turn has ended. */
  readonly over?: boolean;
}

/** All turns in conversation order. A turn is closed by its end, by its own record, or by any turn after it. */
export function assembleTurns(input: AssembleInput): AssembledTurn[] {
  const prompts = new Map(input.prompts.map((prompt) => [prompt.turnId, prompt]));
  const order: string[] = [];
  const transcripts = new Map<string, TranscriptTurn>();
  for (const turn of input.turns) {
    if (!transcripts.has(turn.turnId)) order.push(turn.turnId);
    transcripts.set(turn.turnId, turn);
  }
  for (const prompt of input.prompts) {
    if (transcripts.has(prompt.turnId)) continue;
    const later = order.findIndex((id) => {
      const start = prompts.get(id)?.at ?? transcripts.get(id)?.startedAt;
      return start !== undefined && start > prompt.at;
    });
    order.splice(later === -1 ? order.length : later, 0, prompt.turnId);
  }
  if (input.ended !== undefined && !order.includes(input.ended.turnId)) {
    // One that goes on is older than all that is not captured, and says nothing about whether that has ended.
    if (input.ended.goesOn === true) order.unshift(input.ended.turnId);
    else order.push(input.ended.turnId);
  }
  return order.map((turnId, index) => {
    const prompt = prompts.get(turnId);
    const transcript = transcripts.get(turnId);
    const ended = input.ended?.turnId === turnId ? input.ended : undefined;
    const abandoned = prompt !== undefined && input.abandonedBefore !== undefined && prompt.at < input.abandonedBefore;
    return {
      turnId,
      ...(prompt === undefined ? {} : { prompt }),
      ...(transcript === undefined ? {} : { transcript }),
      ...(ended?.answer === undefined ? {} : { answer: ended.answer }),
      closed:
        ended !== undefined ||
        transcript?.closed === true ||
        index < order.length - 1 ||
        abandoned ||
        input.over === true,
    };
  });
}

/**
 * The assistant's side. `whole` is false when the client's record of an ended turn has no end yet: the answer from the
 * host stands in for the last step, and a later look may find more.
 */
export function assistantParts(turn: AssembledTurn): { parts: readonly MessagePart[]; whole: boolean } {
  const recorded = turn.transcript?.assistant ?? [];
  const whole = turn.transcript?.closed === true;
  if (turn.answer === undefined) return { parts: [...recorded, ...notedParts(turn.prompt, recorded)], whole };
  const answer = turn.answer.trim();
  const last = recorded.findLast((part) => part.type === 'text');
  // The host may report a preview: the beginning of the text that the record has in full. Any other answer is news, also
  // when the record counts as closed: a later turn closes it as well, with its last line lost.
  const known = answer === '' || (last?.type === 'text' && last.text.trim().startsWith(answer));
  if (known) return { parts: recorded, whole };
  return { parts: [...recorded, { type: 'text', text: answer }], whole };
}

/** What the host told of the answer before the turn ended and its record does not have. */
function notedParts(prompt: PendingPrompt | undefined, recorded: readonly MessagePart[]): readonly MessagePart[] {
  const isRecorded = ({ length, hash }: NotedAnswer): boolean =>
    recorded.some((part) => part.type === 'text' && answerHash(part.text.trim().slice(0, length)) === hash);
  return (prompt?.answers ?? [])
    .filter((answer) => answer.text !== '' && !isRecorded(answer))
    .map(({ text }) => ({ type: 'text', text }));
}
