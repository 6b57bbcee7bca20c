/** Something that the user should know or do. */
import type { Phrase } from '../cli/refusal.ts';

export interface Note {
  readonly code: string;
  /** The run ends with exit code 3. */
  readonly isWarning: boolean;
  readonly say: Phrase;
  readonly file?: string;
  readonly line?: number;
}
