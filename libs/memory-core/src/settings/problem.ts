/**
 * What went wrong while loading, as data. A hook carries no sentences for people; `explain.ts` turns a problem into a
 * finding where somebody reads it.
 */
import type { Finding } from '../contract/finding.ts';
import type { SettingName } from '../contract/settings.ts';
import type { Explained } from './explain.ts';

export interface Problem {
  readonly code: Explained;
  readonly file?: string;
  /** The spelling in question: a key, a variable, a header name. Never a value. */
  readonly key?: string;
  readonly setting?: SettingName;
  /** Two numbers for the message: what was found, what is used or allowed. */
  readonly given?: number;
  readonly used?: number;
  /** Content of a file that does not parse, to find the place. */
  readonly text?: string;
}

export type Report = (problem: Problem) => void;

/** A finding with no more than code and place: enough for a hook's log. */
export function terseFinding({ code, file, key }: Problem): Finding {
  return { code, severity: 'warn', ...(file === undefined ? {} : { file }), message: key ?? code };
}
