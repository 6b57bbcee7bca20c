/** The changes that a plan consists of. Each knows what was there before: that is its way back. */
import type { FileImage } from '../files/image.ts';
import type { Payload } from '../payload/payload.ts';
import type { PluginChange } from '../registration/plugin-change.ts';

export type Step =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly before: FileImage | undefined;
      readonly after: FileImage;
      /** Holds a key: its bytes go into no other file. There is one at most in a plan, and it comes last. */
      readonly isSecret?: boolean;
      /** Our own bookkeeping: it holds the originals of other files, encoded, and its content is not shown. */
      readonly isReceipt?: boolean;
    }
  | {
      readonly kind: 'remove';
      readonly path: string;
      readonly before: FileImage;
      readonly isSecret?: boolean;
      readonly isReceipt?: boolean;
    }
  /** Copies a payload to a folder; what was there is set aside until the end. */
  | { readonly kind: 'place-tree'; readonly path: string; readonly payload: Payload }
  | { readonly kind: 'remove-tree'; readonly path: string }
  /**
   * From here on the client's own commands put our plugin in or take it out, in the `client-command` steps that follow.
   * `seen` is what the plan saw of the files that they rewrite; `standIns` are read by the commands in their place, where
   * a comment would make the client refuse its file.
   */
  | {
      readonly kind: 'plugin';
      /** Folder of the marketplace. */
      readonly path: string;
      readonly action: 'add' | 'remove';
      readonly change: PluginChange;
      readonly seen: ReadonlyMap<string, FileImage | undefined>;
      readonly standIns: ReadonlyMap<string, FileImage>;
    }
  | {
      readonly kind: 'client-command';
      /** The program. */
      readonly path: string;
      readonly args: readonly string[];
      readonly variables: Readonly<Record<string, string>>;
      /** False: it may fail, because there may be nothing to take out. */
      readonly isRequired: boolean;
      /** A plan names it although it may fail. */
      readonly isShown?: boolean;
    }
  /** A file whose content is known only when its turn comes; `after` says undefined for a file that goes. */
  | {
      readonly kind: 'late';
      readonly path: string;
      readonly isReceipt?: boolean;
      readonly after: (now: FileImage | undefined) => FileImage | undefined;
    }
  /** Something that must succeed before the steps after it: the self-test of a launcher. Changes nothing. */
  | { readonly kind: 'probe'; readonly run: () => Promise<void> };

/** A step whose content is settled. */
export type SettledStep = Exclude<Step, { kind: 'late' }>;

/** A write that would change nothing is no step. */
export function writeStep(
  path: string,
  before: FileImage | undefined,
  after: FileImage,
  kind?: 'secret' | 'receipt',
): readonly Step[] {
  const same = before !== undefined && before.mode === after.mode && Buffer.compare(before.bytes, after.bytes) === 0;
  return same
    ? []
    : [
        {
          kind: 'write',
          path,
          before,
          after,
          ...(kind === 'secret' ? { isSecret: true } : {}),
          ...(kind === 'receipt' ? { isReceipt: true } : {}),
        },
      ];
}
