/**
 * Claude Code's record of a conversation as turns. Every row that belongs to a prompt carries the prompt's id, which hooks
 * get as well: that is a turn's identity. Read naively the file yields copied history of a fork as new, a summary as the
 * user's words, and the answer to a command as the end of the turn before it.
 */
import { RecordedTurn } from './recorded-turn.ts';
import { locateTranscript } from './transcript-place.ts';
import { readRow } from './transcript-row.ts';
import type { AssistantRow, RemarkRow, RowReader, TranscriptRow, UserRow } from './transcript-row.ts';
import { GENERATED_TURN_ID } from '../vendor/memory-core/hot.ts';
import type { TranscriptLine, TranscriptReader, TranscriptTurn } from '../vendor/memory-core/hot.ts';

/** Puts turns together, row by row. */
class TurnAssembly {
  #turns: RecordedTurn[] = [];
  #current: RecordedTurn | undefined;
  readonly #seen = new Set<string>();

  get turns(): readonly TranscriptTurn[] {
    return this.#turns.flatMap((turn, index) => turn.toTurn(index < this.#turns.length - 1) ?? []);
  }

  add(row: TranscriptRow, offset: number): void {
    if (row.kind === 'copied') {
      // A copy stands in front of everything new, so all that was read so far is one.
      this.#turns = [];
      this.#current = undefined;
      return;
    }
    if (row.uuid !== undefined) {
      if (this.#seen.has(row.uuid)) return;
      this.#seen.add(row.uuid);
    }
    if (row.kind === 'user') this.#addUser(row, offset);
    // What comes before the first row that names its turn is the rest of one that was read earlier.
    else if (this.#current !== undefined) this.#addTo(this.#current, row);
  }

  #addTo(turn: RecordedTurn, row: AssistantRow | RemarkRow): void {
    if (row.kind === 'remark') turn.addUserText(row.text);
    else {
      turn.addAnswer(row);
      for (const output of row.outputs) turn.takeOutput(output);
    }
    turn.seen(row.at);
  }

  #addUser(row: UserRow, offset: number): void {
    for (const output of row.outputs) this.#turns.findLast((turn) => turn.takeOutput(output));
    const turn = this.#turnOf(row, offset);
    if (turn === undefined) return;
    this.#current = turn;
    turn.seen(row.at);
    if (row.interrupts) turn.interrupt();
    else turn.goesOn();
    if (row.text !== undefined) turn.addUserText(row.text);
  }

  /** The turn that a user row opens or goes on with; undefined where it does neither. */
  #turnOf(row: UserRow, offset: number): RecordedTurn | undefined {
    const current = this.#current;
    // Rows of builds of old name no prompt: the journal knows such a turn under another name.
    const id =
      row.promptId ?? (row.text === undefined ? current?.id : `${GENERATED_TURN_ID}${row.uuid ?? `@${offset}`}`);
    if (id === undefined) return undefined;
    if (id === current?.id) {
      // The copied prompts of a fork carry the id of its own first one, which is the last of them.
      const isCopy = row.text !== undefined && current.isUnanswered;
      if (!isCopy) return current;
      this.#turns.pop();
    } else if (this.#turns.some((turn) => turn.id === id)) {
      // A call that was left running when the turn ended has an output at last.
      return undefined;
    }
    const turn = new RecordedTurn(id, offset);
    this.#turns.push(turn);
    return turn;
  }
}

function parse(lines: Iterable<TranscriptLine>, nativeId: string, subagentId?: string): readonly TranscriptTurn[] {
  const assembly = new TurnAssembly();
  const reader: RowReader = { nativeId, ...(subagentId === undefined ? {} : { subagentId }) };
  for (const { offset, text } of lines) {
    try {
      const row = readRow(text, reader);
      if (row !== undefined) assembly.add(row, offset);
    } catch {
      // A value nested deeper than the stack: one such line must not cost the whole conversation.
    }
  }
  return assembly.turns;
}

/** Reads `~/.claude/projects/<project>/<session>.jsonl`, and a subagent's own file beside it. */
export const claudeTranscript: Required<Omit<TranscriptReader, 'identify'>> = {
  identity: 'turn-id',
  showsEveryPrompt: true,
  locate: locateTranscript,
  parse,
};
