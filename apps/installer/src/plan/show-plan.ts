/** A plan as people and programs read it: one entry per file, with a unified diff. Keys are masked before the diff is made. */
import { maskedConnection } from '../connection/ovcli-conf.ts';
import { isThere } from '../files/folders.ts';
import { shownDiff } from './shown-diff.ts';
import type { Step } from '../apply/step.ts';
import type { FileImage } from '../files/image.ts';

export interface ShownChange {
  readonly path: string;
  readonly action: 'create' | 'change' | 'remove' | 'place-payload' | 'remove-payload' | 'run' | 'rewrite';
  /** Of a command line. */
  readonly args?: readonly string[];
  /** Number of files of a payload. */
  readonly files?: number;
  /** Unified; absent for payloads and for our own bookkeeping. */
  readonly diff?: string;
  /** Set when the permissions change: octal. */
  readonly mode?: { readonly from: string; readonly to: string };
}

export function showSteps(steps: readonly Step[]): readonly ShownChange[] {
  return steps.flatMap((step): readonly ShownChange[] => {
    switch (step.kind) {
      case 'probe':
      case 'plugin':
        return [];
      case 'client-command':
        // What may have nothing to do is no news.
        return step.isRequired || step.isShown === true ? [{ path: step.path, action: 'run', args: step.args }] : [];
      case 'late':
        return step.isReceipt === true ? [] : [{ path: step.path, action: 'rewrite' }];
      case 'place-tree':
        return [{ path: step.path, action: 'place-payload', files: Object.keys(step.payload.manifest.files).length }];
      case 'remove-tree':
        return isThere(step.path) ? [{ path: step.path, action: 'remove-payload' }] : [];
      case 'remove':
        return [{ path: step.path, action: 'remove', ...diffOf(step, undefined) }];
      case 'write':
        return [
          {
            path: step.path,
            action: step.before === undefined ? 'create' : 'change',
            ...diffOf(step, step.after),
            ...(step.before === undefined || step.before.mode === step.after.mode
              ? {}
              : { mode: { from: step.before.mode.toString(8), to: step.after.mode.toString(8) } }),
          },
        ];
    }
  });
}

/** A change's file, folder or command line. */
export function pathOf({ path, args }: ShownChange): string {
  return args === undefined ? path : [path, ...args].join(' ');
}

function diffOf(
  { path, before, isSecret, isReceipt }: Extract<Step, { kind: 'write' | 'remove' }>,
  after: FileImage | undefined,
): { readonly diff?: string } {
  if (isReceipt === true) return {};
  const [old, fresh] = [before, after].map((image) => {
    const text = image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8');
    return isSecret === true && text !== undefined ? maskedConnection(text, path) : text;
  });
  return { diff: shownDiff(path, old, fresh) };
}
