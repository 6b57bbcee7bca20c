/**
 * Cursor's own record of a conversation as turns. It has no ids, no times and no results of tools, and builds rewrite it:
 * which of its turns is which, memory-core tells by their content. Here a turn is named after the place where it begins.
 *
 * Shapes: cursor-agent 2026.09.10 (github.com/receptron/mulmoterminal), github.com/vshulcz/deja-vu docs/registry/cursor.md.
 * Calls of tools are left out: the record has their arguments, whole files among them, and never a result.
 */
import { typedText } from './host-block.ts';
import { PlainRecord } from './plain-record.ts';
import { readRecordLine } from './record-line.ts';
import type { RecordedMessage } from './record-line.ts';
import { locateTranscript } from './transcript-place.ts';
import { identifyByContent } from '../vendor/memory-core/hot.ts';
import type { TextPart, TranscriptLine, TranscriptReader, TranscriptTurn } from '../vendor/memory-core/hot.ts';

interface Turn extends TranscriptTurn {
  assistant: TextPart[];
  closed: boolean;
}

/** Messages in file order → turns. */
class TurnAssembly {
  readonly turns: Turn[] = [];

  add({ role, text, offset }: RecordedMessage): void {
    if (role === 'assistant') {
      // Before the first prompt: the rest of a turn that cannot be told from the one already read.
      if (text !== '') this.turns.at(-1)?.assistant.push({ type: 'text', text });
      return;
    }
    const typed = typedText(text);
    // Only the host's own words: files that were opened, a reminder.
    if (typed === '') return;
    this.end();
    this.turns.push({ turnId: String(offset), userText: typed, assistant: [], closed: false, offset });
  }

  end(): void {
    const turn = this.turns.at(-1);
    if (turn !== undefined) turn.closed = true;
  }
}

function parse(lines: Iterable<TranscriptLine>): readonly TranscriptTurn[] {
  const assembly = new TurnAssembly();
  let plain: PlainRecord | undefined;
  for (const { offset, text } of lines) {
    if (plain !== undefined) {
      plain.addLine(text, offset);
      continue;
    }
    const line = readRecordLine(text, offset);
    if (line === 'turn-ended') assembly.end();
    else if (line !== undefined) assembly.add(line);
    // Nothing of the newer form so far: whether the file is of the older one shows at its first mark.
    else if (assembly.turns.length === 0 && PlainRecord.isMark(text)) {
      plain = new PlainRecord((message) => assembly.add(message));
      plain.addLine(text, offset);
    }
  }
  plain?.finish();
  return assembly.turns;
}

/** Reads `~/.cursor/projects/<folder>/agent-transcripts/`; of a subagent, its own file there. */
export const cursorTranscript: Required<Pick<TranscriptReader, 'identity' | 'identify' | 'locate' | 'parse'>> = {
  identity: 'content',
  identify: identifyByContent,
  locate: locateTranscript,
  parse,
};
