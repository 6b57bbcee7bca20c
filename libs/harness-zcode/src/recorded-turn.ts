/**
 * A turn while it is put together from rollout lines: its steps, its tool calls, and how what later requests repeat of it
 * is matched to what is already there. Without the matching, an answer that two lines show would be stored twice and an
 * answer whose own line is lost not at all.
 */
import type { RecordedMessage, RecordedToolCall, RecordedToolOutput } from './rollout-message.ts';
import type { RolloutLine } from './rollout-line.ts';
import type { MessagePart, TranscriptTurn } from '../vendor/memory-core/hot.ts';

interface ToolCall extends RecordedToolCall {
  output?: RecordedToolOutput;
}

/** One successful model step, from its own line or from the message list of a later one. */
interface Step {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly final: boolean;
  readonly requestId?: string;
}

/** What a request's message list says of a turn after the message that opened it. */
export type TurnHistory = readonly RecordedMessage[];

/** Assistant messages of a history as steps; Responses items that belong together become one. */
function historySteps(history: TurnHistory): { readonly step: Step; readonly at: number }[] {
  const steps: { step: Step; at: number }[] = [];
  history.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    const previous = steps.at(-1);
    const calls: ToolCall[] = message.calls.map((call) => ({ ...call }));
    if (message.continues && previous !== undefined && history[index - 1]?.role === 'assistant') {
      previous.step = { ...previous.step, calls: [...previous.step.calls, ...calls] };
      previous.at = index;
    } else if (message.text !== '' || calls.length > 0) {
      steps.push({ step: { text: message.text, calls, final: false }, at: index });
    }
  });
  return steps;
}

function isSameStep(left: Step, right: Step): boolean {
  if (left.calls.length === 0 && right.calls.length === 0) return left.text.trim() === right.text.trim();
  return left.calls.some((call) => right.calls.some((other) => isSameCall(call, other)));
}

/** Ids alone do not do: some providers count them from 0 in every step. */
function isSameCall(left: ToolCall, right: ToolCall): boolean {
  return left.id === right.id && JSON.stringify(left.input) === JSON.stringify(right.input);
}

export class RecordedTurn {
  readonly id: string;
  /** Byte offset of the turn's first line. */
  readonly offset: number;
  /** Text of the message that opened the turn, as recorded. */
  readonly userText: string | undefined;
  /** Where that message stands in the conversation's message list. */
  readonly openedAt: number | undefined;
  #steps: Step[] = [];
  readonly #latestAttempt = new Map<string, number>();
  #startedAt: string | undefined;
  #completedAt: string | undefined;

  constructor(id: string, offset: number, opener: { readonly text: string; readonly index: number } | undefined) {
    this.id = id;
    this.offset = offset;
    this.userText = opener === undefined || opener.text === '' ? undefined : opener.text;
    this.openedAt = opener?.index;
  }

  /** The last successful step asked for nothing more. */
  get isFinished(): boolean {
    return this.#steps.at(-1)?.final === true;
  }

  /** Takes in one attempt: a failed one leaves no text, a later attempt of the same request replaces the earlier one. */
  addAttempt(line: RolloutLine): void {
    this.#startedAt ??= line.startedAt ?? line.completedAt;
    this.#completedAt = line.completedAt ?? line.startedAt ?? this.#completedAt;
    if (line.requestId !== undefined) {
      const latest = this.#latestAttempt.get(line.requestId);
      if (latest !== undefined && line.attempt < latest) return;
      // Only a higher number supersedes: a build that numbers neither must not lose its steps.
      if (latest !== undefined && line.attempt > latest) {
        this.#steps = this.#steps.filter((step) => step.requestId !== line.requestId);
      }
      this.#latestAttempt.set(line.requestId, line.attempt);
    }
    if (line.response === undefined) return;
    const { text, calls, outputs, final } = line.response;
    this.#steps.push({
      text,
      calls: calls.map((call) => ({ ...call })),
      final,
      ...(line.requestId === undefined ? {} : { requestId: line.requestId }),
    });
    this.takeOutputs(outputs);
  }

  /** Gives outputs to the newest calls of those ids that have none yet: some providers count ids from 0 in every step. */
  takeOutputs(outputs: readonly RecordedToolOutput[], steps: readonly Step[] = this.#steps): void {
    for (const output of outputs) {
      for (let index = steps.length - 1; index >= 0; index -= 1) {
        const call = steps[index]?.calls.find(({ id }) => id === output.callId);
        if (call === undefined) continue;
        // The first output stands: later lists may hold a shortened one.
        call.output ??= output;
        break;
      }
    }
  }

  /**
   * Compares the turn with what a request's message list says of it: outputs go to their calls, and with `fill` the
   * steps that the list has and the turn has not are put in where they belong. Compared from the end, because a list may
   * lack its beginning.
   */
  reconcile(history: TurnHistory, fill: boolean): void {
    const told = historySteps(history);
    const counterpart = new Map<number, Step>();
    let before = this.#steps.length;
    for (let index = told.length - 1; index >= 0; index -= 1) {
      const candidate = told[index];
      if (candidate === undefined) continue;
      for (let known = before - 1; known >= 0; known -= 1) {
        const step = this.#steps[known];
        if (step === undefined || !isSameStep(step, candidate.step)) continue;
        counterpart.set(index, step);
        before = known;
        break;
      }
    }
    if (fill) {
      let place = told.length > 0 && counterpart.size === 0 ? this.#steps.length : before;
      told.forEach((candidate, index) => {
        const known = counterpart.get(index);
        if (known !== undefined) {
          place = this.#steps.indexOf(known) + 1;
        } else {
          this.#steps.splice(place, 0, candidate.step);
          counterpart.set(index, candidate.step);
          place += 1;
        }
      });
    }
    told.forEach((candidate, index) => {
      const step = counterpart.get(index);
      if (step === undefined) return;
      const nextAt = told[index + 1]?.at ?? history.length;
      for (const message of history.slice(candidate.at + 1, nextAt)) this.takeOutputs(message.outputs, [step]);
    });
    // Outputs in front of the first assistant message belong to a step that the list no longer shows.
    const leading = history.slice(0, told[0]?.at ?? history.length).filter(({ role }) => role !== 'assistant');
    for (const message of leading) this.takeOutputs(message.outputs);
  }

  /** The turn in the core's shape. */
  toTurn(hasSuccessor: boolean): TranscriptTurn {
    const closed = hasSuccessor || this.isFinished;
    const assistant = this.#steps.flatMap((step): MessagePart[] => [
      ...(step.text.trim() === '' ? [] : [{ type: 'text' as const, text: step.text }]),
      ...step.calls.map((call): MessagePart => ({
        type: 'tool',
        tool_id: call.id,
        tool_name: call.name,
        tool_input: call.input,
        tool_output: call.output?.text ?? '',
        // Without an output: still at work while the turn is open, never answered once it is closed.
        tool_status:
          call.output === undefined ? (closed ? 'pending' : 'running') : call.output.isError ? 'error' : 'completed',
      })),
    ]);
    return {
      turnId: this.id,
      ...(this.userText === undefined ? {} : { userText: this.userText }),
      assistant,
      ...(this.#startedAt === undefined ? {} : { startedAt: this.#startedAt }),
      ...(this.#completedAt === undefined ? {} : { completedAt: this.#completedAt }),
      closed,
      offset: this.offset,
    };
  }
}
