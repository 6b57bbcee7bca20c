/**
 * ZCode's rollout file as a conversation. The file is a bounded diagnostics log of model requests, with several lines per
 * turn, most of them showing only what is new since the line before; read naively it yields doubled answers, titles as
 * answers, recalled memory as user text, and turns that end at their first step.
 *
 * Writer's rules this relies on (client 0.16.9, executed): the message list of a line is `full`, `delta` (continues the
 * list of the *file's* previous line, title lines included) or `tail` (the last 64 messages, after a restart or when the
 * file started over at 64 MB); the same `turnId` is on all lines of a turn.
 */
import { withoutReminders } from './host-block.ts';
import { RecordedTurn } from './recorded-turn.ts';
import { readRolloutLine } from './rollout-line.ts';
import type { RecordedRequest, RolloutLine } from './rollout-line.ts';
import { locateRollout } from './rollout-place.ts';
import { recordedMessage } from './rollout-message.ts';
import type { RecordedMessage } from './rollout-message.ts';
import { firstString, GENERATED_TURN_ID, isObject, shortHash } from '../vendor/memory-core/hot.ts';
import type { TranscriptLine, TranscriptReader, TranscriptTurn } from '../vendor/memory-core/hot.ts';

/** The message that opened a turn: its place in the line's list and in the whole conversation's. */
interface Opener {
  readonly position: number;
  readonly index: number;
  readonly text: string;
}

const NO_REQUEST: RecordedRequest = { kind: 'delta', offset: 0, messages: [] };

/** How many messages must be the same for one list to count as the continuation of another. */
const COMPARED_MESSAGES = 3;

/**
 * Identity of a turn that the host gave none, from its original text: `h-` and 16 hex digits. Equal for the prompt as a
 * hook sees it and as the rollout repeats it; turns of equal text are told apart by what {@link zcodeTranscript} appends.
 */
export function textTurnId(prompt: string): string {
  return `${GENERATED_TURN_ID}${shortHash(withoutReminders(prompt).trim(), 16)}`;
}

/**
 * The second half of such an identity must be the same wherever reading starts, so it cannot be a count: it is taken from
 * the turn's first request.
 */
function turnIdFromText(opener: Opener, line: RolloutLine, offset: number): string {
  const mark = line.requestId ?? line.startedAt ?? `@${offset}`;
  return `${textTurnId(opener.text)}-${shortHash(mark, 8)}`;
}

/** Enough of a message to recognise it in another line's list, at a cost that does not grow with its length. */
function fingerprint(message: unknown): string {
  if (!isObject(message)) return typeof message;
  const content = message['content'];
  const first: unknown = Array.isArray(content) ? content[0] : content;
  const text = typeof first === 'string' ? first : isObject(first) ? (firstString(first, ['text']) ?? '') : '';
  const id = firstString(message, ['toolCallId', 'call_id', 'tool_call_id']) ?? '';
  return `${String(message['role'] ?? message['type'])}:${id}:${text.length}:${text.slice(0, 256)}`;
}

/**
 * The last message in `messages[from, to)` that can have opened a turn. A task notification that arrived together with a
 * prompt yields to it; one on its own has opened a turn that the user did not.
 */
function findOpener(request: RecordedRequest, from: number, to = request.messages.length): Opener | undefined {
  let notification: Opener | undefined;
  for (let position = to - 1; position >= from; position -= 1) {
    const message = recordedMessage(request.messages[position]);
    if (notification !== undefined && (message.role === 'assistant' || message.role === 'tool')) break;
    if (message.opens === 'no') continue;
    const opener = { position, index: request.offset + position, text: message.text };
    if (message.opens === 'prompt') return opener;
    notification ??= opener;
  }
  return notification;
}

function read(request: RecordedRequest, from: number, to = request.messages.length): RecordedMessage[] {
  return request.messages.slice(from, to).map(recordedMessage);
}

/** True when the last thing the model said asked for tools: it was called again in the middle of a turn. */
function isUnderWay(history: readonly RecordedMessage[]): boolean {
  const last = history.findLast(({ role, outputs }) => role === 'assistant' || outputs.length > 0);
  return last !== undefined && (last.calls.length > 0 || last.outputs.length > 0);
}

/** Puts turns together, line by line. */
class TurnAssembly {
  readonly #turns = new Map<string, RecordedTurn>();
  #current: RecordedTurn | undefined;
  /** Length of the message list after the file's last line, whatever it was for: a delta beyond it has a gap before it. */
  #fileEnd: number | undefined;
  /** The same after the last line of the conversation, with that list's last messages, newest first. */
  #conversation: { readonly end: number; readonly newest: readonly string[] } | undefined;
  /** A line since the conversation's last one could not be read: what it said may be told by the next. */
  #lineLost = false;

  get turns(): readonly TranscriptTurn[] {
    const turns = [...this.#turns.values()];
    return turns.map((turn, index) => turn.toTurn(index < turns.length - 1));
  }

  loseLine(): void {
    this.#lineLost = true;
  }

  add(line: RolloutLine, offset: number): void {
    const request = line.request ?? NO_REQUEST;
    if (!line.isMainTurn) {
      // A compaction request in mid-turn may be the only line that shows the last tool outputs.
      const turn = line.turnId === undefined ? undefined : this.#turns.get(line.turnId);
      if (turn !== undefined && request.kind === 'delta') {
        for (const message of read(request, 0)) turn.takeOutputs(message.outputs);
      }
    } else {
      const gap = request.kind === 'delta' && this.#fileEnd !== undefined && request.offset > this.#fileEnd;
      if (gap) this.#lineLost = true;
      const turn = this.#turnOf(line, request, offset);
      if (turn !== undefined) {
        turn.addAttempt(line);
        this.#current = turn;
      }
      this.#lineLost = false;
      if (line.request !== undefined) this.#rememberConversation(request);
    }
    if (line.request !== undefined) this.#fileEnd = request.offset + request.messages.length;
  }

  #rememberConversation(request: RecordedRequest): void {
    const shown = request.messages.slice(-COMPARED_MESSAGES).map(fingerprint).reverse();
    const before = request.kind === 'delta' ? (this.#conversation?.newest ?? []) : [];
    this.#conversation = {
      end: request.offset + request.messages.length,
      newest: [...shown, ...before].slice(0, COMPARED_MESSAGES),
    };
  }

  /**
   * Position of the first message that the conversation's previous line did not have; undefined when the list does not
   * continue that line's (compaction, restart) or there is none.
   */
  #firstNew(request: RecordedRequest): number | undefined {
    if (request.kind === 'delta') return 0;
    if (this.#conversation === undefined) return undefined;
    const { end, newest } = this.#conversation;
    const position = end - request.offset;
    if (position < 1 || position > request.messages.length) return undefined;
    const same = newest.every((known, back) => {
      const message = request.messages[position - 1 - back];
      return message === undefined || fingerprint(message) === known;
    });
    return same ? position : undefined;
  }

  /** The turn a line belongs to, brought up to date with what the line's message list tells of earlier steps. */
  #turnOf(line: RolloutLine, request: RecordedRequest, offset: number): RecordedTurn | undefined {
    const firstNew = this.#firstNew(request);
    const known = line.turnId === undefined ? this.#continuedTurn(request, firstNew) : this.#turns.get(line.turnId);
    if (known !== undefined) {
      this.#revisit(known, request, firstNew);
      return known;
    }
    return this.#open(line, request, firstNew, offset);
  }

  /** For a line without a turn id: the current turn, unless the list shows that the user has spoken since. */
  #continuedTurn(request: RecordedRequest, firstNew: number | undefined): RecordedTurn | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    const opener = findOpener(request, firstNew ?? 0);
    if (opener === undefined) return current;
    const samePlace = opener.index === current.openedAt && opener.text === (current.userText ?? '');
    // After a compaction, a finished turn's prompt can come back in the same place as a new turn.
    const answered = read(request, opener.position + 1).some(({ role }) => role === 'assistant');
    if (samePlace && (answered || !current.isFinished)) return current;
    if (firstNew !== undefined || current.isFinished || opener.text !== (current.userText ?? '')) return undefined;
    // Same text nearer to the list's start, in a turn that is under way: the list was compacted around it.
    return opener.index < (current.openedAt ?? 0) ? current : undefined;
  }

  #revisit(turn: RecordedTurn, request: RecordedRequest, firstNew: number | undefined): void {
    if (firstNew !== undefined) {
      turn.reconcile(read(request, firstNew), this.#lineLost);
      return;
    }
    const opener = findOpener(request, 0);
    if (opener !== undefined && opener.text === (turn.userText ?? '')) {
      turn.reconcile(read(request, opener.position + 1), this.#lineLost);
    } else {
      // A compacted list: it still shows the latest outputs, but no longer where the turn began.
      turn.reconcile(read(request, 0), false);
    }
  }

  #open(
    line: RolloutLine,
    request: RecordedRequest,
    firstNew: number | undefined,
    offset: number,
  ): RecordedTurn | undefined {
    const previous = this.#current;
    let opener = findOpener(request, firstNew ?? 0);
    let history = read(request, opener === undefined ? (firstNew ?? 0) : opener.position + 1);
    if (history.some(({ role }) => role === 'assistant') && !isUnderWay(history)) {
      // The last prompt in sight is answered already: this turn was opened by the host, and the list is not about it.
      opener = undefined;
      history = [];
    } else if (opener === undefined && previous !== undefined && !this.#lineLost) {
      // No line is missing, so the new messages end the turn before.
      previous.reconcile(history, false);
      history = [];
    }
    if (previous !== undefined && opener !== undefined) this.#completePrevious(previous, request, firstNew, opener);
    const id = line.turnId ?? (opener === undefined ? undefined : turnIdFromText(opener, line, offset));
    // Neither an id nor a prompt: the rest of a turn that cannot be told from the one already sent.
    if (id === undefined) return undefined;
    const turn = new RecordedTurn(id, offset, opener);
    turn.reconcile(history, true);
    this.#turns.set(id, turn);
    return turn;
  }

  /**
   * Outputs between the last two prompts belong to the turn before: its last call was abandoned, or its last line is lost.
   * An answer there is not taken over: with a line lost, it may as well be that of a turn in between.
   */
  #completePrevious(
    previous: RecordedTurn,
    request: RecordedRequest,
    firstNew: number | undefined,
    opener: Opener,
  ): void {
    let from = firstNew;
    if (from === undefined) {
      const before = findOpener(request, 0, opener.position);
      if (before === undefined || before.text !== (previous.userText ?? '')) return;
      from = before.position + 1;
    }
    previous.reconcile(read(request, from, opener.position), false);
  }
}

function parse(lines: Iterable<TranscriptLine>, nativeId: string): readonly TranscriptTurn[] {
  const assembly = new TurnAssembly();
  for (const { offset, text } of lines) {
    try {
      const line = readRolloutLine(text);
      if (line === undefined) assembly.loseLine();
      else if (line.sessionId === undefined || line.sessionId === nativeId) assembly.add(line, offset);
    } catch {
      // A value nested deeper than the stack: one such line must not cost the whole conversation.
      assembly.loseLine();
    }
  }
  return assembly.turns;
}

/**
 * Reads `~/.zcode/cli/rollout/model-io-<session>.jsonl`. `parse` may start at any line: what the first line's message list
 * shows of a turn already under way is rebuilt, turns that start later come out the same as from the file's start.
 */
export const zcodeTranscript = { locate: locateRollout, parse } satisfies TranscriptReader;
