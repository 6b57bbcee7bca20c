/** Summaries of archived messages by extraction: what was asked and how the answer began, one line per turn. */
import { boundedText, firstLine, firstSentence, storableText } from './bounded-text.ts';
import { messageText } from './stored-message.ts';
import type { Turn } from './turns.ts';

const MOST_TURNS = 100;

export interface ArchiveSummary {
  readonly abstract: string;
  /** Lines only, no heading: several archives are shown as one list. */
  readonly overview: string;
}

/** Summarises the turns of one archive. */
export function summariseArchive(turns: readonly Turn[]): ArchiveSummary {
  const lines = turns.flatMap((turn) => {
    const text = (role: 'user' | 'assistant'): string =>
      storableText(
        turn.messages
          .filter((message) => message.role === role)
          .map(messageText)
          .join('\n'),
      );
    const question = firstLine(text('user'), 200);
    const answer = firstSentence(text('assistant'), 300);
    if (question === '' && answer === '') return [];
    return [`- ${[question, answer].filter((part) => part !== '').join(' → ')}`];
  });
  const shown = lines.slice(-MOST_TURNS);
  const left = lines.length - shown.length;
  return {
    abstract: boundedText(lines[0]?.slice(2) ?? 'Nothing was said.', 200),
    overview: [...(left > 0 ? [`- (${left} earlier turns)`] : []), ...shown].join('\n'),
  };
}
