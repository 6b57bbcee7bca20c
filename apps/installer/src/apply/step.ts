/** The changes that a plan consists of. Each knows what was there before: that is its way back. */
import type { FileImage } from '../files/image.ts';
import type { Payload } from '../payload/payload.ts';

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
  /** Something that must succeed before the steps after it: the self-test of a launcher. Changes nothing. */
  | { readonly kind: 'probe'; readonly run: () => Promise<void> };

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
