/**
 * The way back, used by a run that fails and by the next run after one that was killed. It goes by what it finds, not by
 * what it remembers: a step that was not reached is left alone, and so is a file that somebody else has changed since.
 */
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveLinks } from '@openviking/memory-core/full';
import { isThere, namesIn, removeEmptyFolders } from '../files/folders.ts';
import { readImage, sha256 } from '../files/image.ts';
import { registerAgain, undoRegistration } from '../registration/undo-registration.ts';
import { imageOf } from './journal.ts';
import { mend } from './shared-file.ts';
import { sweepAbandonedTemporaries } from './temporaries.ts';
import { placeFile, removeFile } from './write-file.ts';
import type { FileImage } from '../files/image.ts';
import type { RunClient } from '../registration/plugin-change.ts';
import type { Journal, RecordedImage, RecordedStep } from './journal.ts';

/**
 * Undoes every step that was begun, last first. `images` supplies what the journal must not hold. Returns the paths and
 * programs that could not be put back. Never throws: what made the run fail must not get lost, and the next run must start.
 */
export async function undo(
  journal: Journal,
  images: ReadonlyMap<string, FileImage | undefined>,
  run: RunClient,
): Promise<readonly string[]> {
  const stuck: string[] = [];
  const begun = journal.steps.filter(({ index }) => index <= journal.begun);
  const copies = new Map(mendAll(journal));
  for (const step of [...begun].reverse()) {
    try {
      if (step.kind === 'tree') undoTree(step);
      else if (step.kind === 'plugin') {
        const files = step.files.map(({ path, before }) => ({ path, before: imageOf(before) }));
        stuck.push(...(await undoRegistration(step.change, files, run)));
      } else if (!undoFile(step, images)) stuck.push(step.path);
    } catch {
      stuck.push(step.path);
    }
  }
  // The client reads the plugin's folder: it has to be back first.
  for (const step of begun) {
    if (step.kind !== 'plugin') continue;
    try {
      stuck.push(...(await registerAgain(step.change, run)));
    } catch {
      stuck.push(step.path);
    }
  }
  try {
    sweepTemporaries(journal);
    removeEmptyFolders(journal.folders);
  } catch {
    // A temporary file that stays is no reason to hide what failed.
  }
  return [...new Set(stuck)].map((path) => {
    const copy = copies.get(path);
    return copy === undefined ? path : `${path} (${copy})`;
  });
}

/** Files that were being written in place when the run was killed: whole again. Those that were edited since, with their copies. */
export function mendAll({ steps }: Journal): readonly (readonly [string, string])[] {
  const paths = steps.flatMap((step) => {
    if (step.kind === 'file') return [step.path];
    return step.kind === 'plugin' ? step.change.rewrites : [];
  });
  return [...new Set(paths)].flatMap((path) => {
    try {
      const copy = mend(path);
      return copy === undefined ? [] : [[path, copy] as const];
    } catch {
      // What cannot be written is told when it is to be put back.
      return [];
    }
  });
}

/** Removes what a finished run had set aside, and the folders that it leaves behind. */
export function tidy(journal: Journal): void {
  for (const step of journal.steps) {
    if (step.kind === 'tree') rmSync(step.aside, { recursive: true, force: true });
  }
  sweepTemporaries(journal);
  removeEmptyFolders(journal.leaving);
}

/** True when the one secret file, which is written last, has been written: everything before it is done too. */
export function isComplete(journal: Journal): boolean {
  const secret = journal.steps.find((step) => step.kind === 'file' && step.isSecret);
  return secret?.kind === 'file' && matches(readImage(secret.path), secret.after);
}

function undoFile(
  step: Extract<RecordedStep, { kind: 'file' }>,
  images: ReadonlyMap<string, FileImage | undefined>,
): boolean {
  const now = readImage(step.path);
  if (matches(now, step.before)) return true;
  // By content alone: a file system that does not keep the permissions we set has not changed the file.
  if (now === undefined ? step.after !== undefined : sha256(now.bytes) !== step.after?.hash) return false;
  if (step.before === undefined) {
    removeFile(step.path);
    return true;
  }
  const bytes = imageOf(step.before)?.bytes ?? images.get(step.path)?.bytes;
  if (bytes === undefined) return false;
  placeFile(step.path, { bytes, mode: step.before.mode });
  return true;
}

function undoTree({ path, aside, existed }: Extract<RecordedStep, { kind: 'tree' }>): void {
  if (isThere(aside)) {
    rmSync(path, { recursive: true, force: true });
    renameSync(aside, path);
  } else if (!existed) {
    rmSync(path, { recursive: true, force: true });
  }
}

function matches(now: FileImage | undefined, recorded: RecordedImage | undefined): boolean {
  if (now === undefined || recorded === undefined) return now === undefined && recorded === undefined;
  return now.mode === recorded.mode && sha256(now.bytes) === recorded.hash;
}

/** A kill between writing and renaming leaves a temporary file; half a tree likewise, named by the process that was killed. */
function sweepTemporaries({ steps, pid }: Journal): void {
  for (const step of steps) {
    for (const folder of foldersOf(step)) sweepAbandonedTemporaries(folder, (writer) => writer === pid);
    if (step.kind !== 'tree') continue;
    const folder = dirname(step.path);
    for (const name of namesIn(folder)) {
      if (name.startsWith(`.ov-tree-${pid}-`)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function foldersOf(step: RecordedStep): readonly string[] {
  if (step.kind === 'plugin') return [...new Set(step.change.rewrites.map((path) => dirname(resolveLinks(path))))];
  return [dirname(step.kind === 'file' ? resolveLinks(step.path) : step.path)];
}
