/** Something that the user should know or do. */
import type { Phrase } from '../cli/refusal.ts';

export interface Note {
  readonly code: string;
  /** The run ends with exit code 3. */
  readonly isWarning: boolean;
  readonly say: Phrase;
  readonly file?: string;
  readonly line?: number;
  /** The same about the file as it is before the run, where lines move: said when nothing is written. */
  readonly unwritten?: Pick<Note, 'say' | 'line'>;
}
