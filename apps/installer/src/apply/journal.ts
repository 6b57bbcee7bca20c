/**
 * What a run is about to do, on disk before it does it. A run that was killed leaves this file; the next one compares each
 * step with what it finds and goes back, or finishes where only tidying was left. It never holds the bytes of a key.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '@openviking/memory-core/full';
import { sha256 } from '../files/image.ts';
import { either, exactly, flag, listOf, mapOf, number, optional, record, text } from '../receipts/shape.ts';
import type { FileImage } from '../files/image.ts';
import type { PluginChange } from '../registration/plugin-change.ts';
import type { Step } from './step.ts';

/** A file as the journal knows it; without `content` it is a secret one. */
export interface RecordedImage {
  readonly hash: string;
  readonly mode: number;
  /** base64 */
  readonly content?: string;
}

export type RecordedStep =
  | {
      readonly kind: 'file';
      /** Place in the plan. */
      readonly index: number;
      readonly path: string;
      readonly before?: RecordedImage;
      readonly after?: RecordedImage;
      readonly isSecret: boolean;
    }
  | {
      readonly kind: 'tree';
      readonly index: number;
      readonly path: string;
      readonly aside: string;
      readonly existed: boolean;
    }
  | {
      readonly kind: 'plugin';
      readonly index: number;
      /** Folder of the marketplace. */
      readonly path: string;
      readonly change: PluginChange;
      /** The files that the commands rewrite, as they were when the step began. */
      readonly files: readonly { readonly path: string; readonly before?: RecordedImage }[];
    };

/** A client's command that was started; one that outlives us goes on writing. */
export interface RunningCommand {
  readonly pid: number;
  /** See `startToken`; absent where the system does not tell. */
  readonly token?: string;
}

export interface Journal {
  readonly version: 1;
  readonly pid: number;
  /** `apply`: go back. `tidy`: everything is done, only what was set aside is left to remove. */
  readonly phase: 'apply' | 'tidy';
  readonly steps: readonly RecordedStep[];
  /** Index of the step that was begun last; later ones have not touched anything. */
  readonly begun: number;
  readonly running?: RunningCommand;
  /** Folders that this run makes: removed again, where empty, when it goes back. */
  readonly folders: readonly string[];
  /** Folders that are removed at the end, where empty. */
  readonly leaving: readonly string[];
}

export function journalPath(installFolder: string): string {
  return join(installFolder, 'journal.json');
}

/** `durable`: must survive a power failure, not only a kill. */
export function writeJournal(path: string, journal: Journal, durable: boolean): void {
  writeFileAtomic(path, JSON.stringify(journal), { mode: 0o600, durable });
}

/** The journal of an interrupted run; undefined when there is none. One that cannot be read was never finished: nothing was done. */
export function readJournal(path: string): Journal | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isJournal(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const image = record({ hash: text, mode: number, content: optional(text) });
const texts = listOf(text);
const change = record({
  id: text,
  marketplace: text,
  earlier: texts,
  places: texts,
  folder: text,
  programs: texts,
  registered: texts,
  add: listOf(texts),
  again: optional(listOf(texts)),
  remove: listOf(texts),
  variables: mapOf(text),
  rewrites: texts,
  fresh: texts,
});
const step = { index: number, path: text };
const SHAPE = record({
  version: exactly(1),
  pid: number,
  phase: either(exactly('apply'), exactly('tidy')),
  steps: listOf(
    either(
      record({ ...step, kind: exactly('file'), before: optional(image), after: optional(image), isSecret: flag }),
      record({ ...step, kind: exactly('tree'), aside: text, existed: flag }),
      record({
        ...step,
        kind: exactly('plugin'),
        change,
        files: listOf(record({ path: text, before: optional(image) })),
      }),
    ),
  ),
  begun: number,
  running: optional(record({ pid: number, token: optional(text) })),
  folders: texts,
  leaving: texts,
});

function isJournal(value: unknown): value is Journal {
  return SHAPE(value);
}

/** A step as the journal keeps it; what is known only when its turn comes is recorded then. `aside` names where an old tree waits; `existed` tells whether there is one. */
export function recordStep(
  step: Step,
  index: number,
  aside: (path: string) => string,
  existed: (path: string) => boolean,
): RecordedStep[] {
  switch (step.kind) {
    case 'write':
    case 'remove': {
      const isSecret = step.isSecret === true;
      return [
        {
          kind: 'file',
          index,
          path: step.path,
          isSecret,
          ...(step.before === undefined ? {} : { before: recordImage(step.before, !isSecret) }),
          ...(step.kind === 'remove' ? {} : { after: recordImage(step.after, false) }),
        },
      ];
    }
    case 'place-tree':
    case 'remove-tree':
      return [{ kind: 'tree', index, path: step.path, aside: aside(step.path), existed: existed(step.path) }];
    case 'plugin':
      return [
        {
          kind: 'plugin',
          index,
          path: step.path,
          change: step.change,
          files: [...step.seen].map(([path, before]) => ({
            path,
            ...(before === undefined ? {} : { before: recordImage(before, true) }),
          })),
        },
      ];
    case 'late':
    case 'client-command':
    case 'probe':
      return [];
  }
}

/** A recorded image as it can be written again; undefined for no file, and for a secret one. */
export function imageOf(recorded: RecordedImage | undefined): FileImage | undefined {
  return recorded?.content === undefined
    ? undefined
    : { bytes: Buffer.from(recorded.content, 'base64'), mode: recorded.mode };
}

function recordImage({ bytes, mode }: FileImage, withContent: boolean): RecordedImage {
  return {
    hash: sha256(bytes),
    mode,
    ...(withContent ? { content: Buffer.from(bytes).toString('base64') } : {}),
  };
}
