/**
 * What doctor found, in both languages. Its code is stable: scripts and the documentation name it, so a check may change
 * its words and never its code.
 */
import type { Finding, Localized } from '@openviking/memory-core/full';

/** The area of its code is the client's id where it concerns one: `zcode/hooks-disabled`. */
export interface DoctorFinding extends Omit<Finding, 'message' | 'fix'> {
  /** What is the case, and why it matters. */
  readonly message: Localized;
  /** What to do next. */
  readonly fix?: Localized;
  /** Set when there is exactly one safe repair, which `--fix` makes. */
  readonly repair?: Repair;
}

/** A repair; each is made the way an installation writes, and can be undone the same way. */
export type Repair =
  /** The client's program files, as the installed version has them. */
  | { readonly kind: 'files'; readonly client: string }
  /** Its launcher, with the interpreter that runs this program. */
  | { readonly kind: 'launcher'; readonly client: string }
  /** Our entries and files in the client's own folder; `here`: in the one that this shell's variables name. */
  | { readonly kind: 'wiring'; readonly client: string; readonly here?: true }
  /** Takes a file's permissions away from everybody but its owner. */
  | { readonly kind: 'close'; readonly path: string }
  /** Takes the permission to write away from everybody but the owner; `root` is the folder that they are all in. */
  | { readonly kind: 'modes'; readonly root: string; readonly paths: readonly string[] }
  /** Ends what an interrupted run has begun. */
  | { readonly kind: 'recover' };

/** The same words in both languages: names, paths, texts that were chosen before. */
export function verbatim(text: string): Localized {
  return { en: text, zh: text };
}
