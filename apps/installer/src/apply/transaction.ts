/**
 * Applies a plan so that it is done whole or not at all: journal first, each file compared with what the plan saw before
 * it is written and read again after, and everything undone in reverse when anything fails.
 */
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { removeQuietly, startToken } from '@openviking/memory-core/full';
import { interrupted } from '../cli/interruption.ts';
import { Refusal } from '../cli/refusal.ts';
import { clientRunner } from '../clients/client-runner.ts';
import { requireFoldersOnTheWay } from '../clients/file-in-the-way.ts';
import { isThere, missingFolders } from '../files/folders.ts';
import { readImage, sameImage } from '../files/image.ts';
import { damagedFiles, MANIFEST_NAME } from '../payload/payload.ts';
import { requireDistinctFiles } from './distinct-files.ts';
import { journalPath, readJournal, recordStep, writeJournal } from './journal.ts';
import { isComplete, mendAll, tidy, undo } from './undo.ts';
import { attempt, placeFile, removeFile } from './write-file.ts';
import type { Messages } from '../cli/messages-en.ts';
import type { FileImage } from '../files/image.ts';
import type { Machine } from '../machine/machine.ts';
import type { RunClient } from '../registration/plugin-change.ts';
import type { Journal, RunningCommand } from './journal.ts';
import type { SettledStep, Step } from './step.ts';

/** Thrown when a file is no longer what the plan saw: read again, plan again. */
export class ChangedMeanwhile extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} changed while the installer was working`);
    this.path = path;
  }
}

export interface TransactionOptions {
  readonly installFolder: string;
  readonly steps: readonly Step[];
  /** Folders that the run has made so far, and that go when it goes back. */
  readonly madeFolders: readonly string[];
  /** Folders to remove at the end, where empty. */
  readonly leaving: readonly string[];
  readonly signal: AbortSignal;
  /** Where clients' own commands run. */
  readonly machine: Pick<Machine, 'home' | 'env' | 'platform'>;
  /** Runs when every step is applied; a failure still undoes them all. */
  readonly afterLastStep?: () => Promise<void>;
  /** Called before every step, and once more before the end. For tests that stop a run at each point. */
  readonly atPoint?: (point: number) => void;
}

/** Applies the steps. Throws what failed, after undoing everything; a file that could not be put back is named in a refusal. */
export async function applySteps(options: TransactionOptions): Promise<void> {
  const { steps, installFolder } = options;
  requireDistinctFiles(steps);
  requireFoldersOnTheWay(steps.flatMap((step) => (step.kind === 'write' ? [step.path] : [])));
  const path = journalPath(installFolder);
  const runClient = clientRunner(options.machine, options.signal);
  const aside = (tree: string): string => join(dirname(tree), `.ov-aside-${process.pid}-${basename(tree)}`);
  const folders = [
    ...options.madeFolders,
    ...steps.flatMap((step) => (step.kind === 'probe' ? [] : missingFolders(step.path))),
  ];
  let journal: Journal = {
    version: 1,
    pid: process.pid,
    phase: 'apply',
    steps: steps.flatMap((step, index) => recordStep(step, index, aside, isThere)),
    begun: -1,
    folders: [...new Set(folders)],
    leaving: options.leaving,
  };
  attempt(path, () => writeJournal(path, journal, true));
  try {
    for (const [index, step] of steps.entries()) {
      await breathe(options.signal);
      options.atPoint?.(index);
      const settled = settle(step);
      if (settled === undefined) continue;
      if (isFileStep(settled)) requireUnchanged(settled.path, settled.before);
      if (settled.kind === 'plugin') for (const [file, seen] of settled.seen) requireUnchanged(file, seen);
      const late = step.kind === 'late' ? recordStep(settled, index, aside, isThere) : [];
      journal = { ...journal, begun: index, steps: [...journal.steps, ...late].sort((a, b) => a.index - b.index) };
      writeJournal(path, journal, false);
      await applyStep(settled, aside, async (program, args, variables) => {
        const result = await runClient(program, args, variables, (pid) => {
          writeJournal(path, { ...journal, running: runningCommand(pid) }, false);
        });
        writeJournal(path, journal, false);
        return result;
      });
    }
    await options.afterLastStep?.();
    await breathe(options.signal);
    options.atPoint?.(steps.length);
  } catch (cause) {
    const images = new Map(steps.flatMap((step) => (isFileStep(step) ? [[step.path, step.before] as const] : [])));
    const stuck = await undo(journal, images, clientRunner(options.machine));
    // A kill from here on finds a journal whose steps are all undone, which is harmless.
    removeQuietly(path);
    // Ctrl+C makes whatever was waiting fail in its own way.
    if (stuck.length === 0) throw options.signal.aborted ? interrupted() : cause;
    throw new Refusal({
      code: 'apply/stuck',
      say: (t) => t.notUndone(stuck, reasonOf(cause, t)),
      next: (t) => t.notUndoneNext,
      cause,
    });
  }
  // From here on the run counts as done: a kill is followed by tidying, not by going back.
  writeJournal(path, { ...journal, phase: 'tidy' }, true);
  options.atPoint?.(steps.length + 1);
  tidy(journal);
  removeQuietly(path);
}

/** Why the run failed: what could not be put back is only half of what a user has to know. */
function reasonOf(cause: unknown, texts: Messages): string {
  if (cause instanceof Refusal) return cause.say(texts);
  return cause instanceof Error ? cause.message : String(cause);
}

/** What became of an interrupted run. `folders` are those that it had made and that still stand. */
export interface Recovery {
  readonly kind: 'nothing' | 'undone' | 'finished';
  readonly folders: readonly string[];
}

/** How long a client's command that an interrupted run had started may go on before it is no longer waited for, in ms. */
const COMMAND_MS = 20_000;

/** Ends what an interrupted run has begun. The caller holds the lock. */
export async function recoverInterrupted(installFolder: string, runClient: RunClient): Promise<Recovery> {
  const path = journalPath(installFolder);
  const journal = readJournal(path);
  if (journal === undefined) {
    removeQuietly(path);
    return { kind: 'nothing', folders: [] };
  }
  if (journal.running === undefined) mendAll(journal);
  const finished = journal.phase === 'tidy' || isComplete(journal);
  if (finished) tidy(journal);
  else {
    await commandToEnd(journal.running);
    const stuck = await undo(journal, new Map(), runClient);
    if (stuck.length > 0) {
      removeQuietly(path);
      throw new Refusal({
        code: 'apply/stuck',
        say: (t) => t.notUndone(stuck, undefined),
        next: (t) => t.notUndoneNext,
      });
    }
  }
  removeQuietly(path);
  const folders = (finished ? journal.leaving : journal.folders).filter(isThere);
  return { kind: finished ? 'finished' : 'undone', folders };
}

/** A step whose content depends on what came before it, as an ordinary one; undefined where there is nothing to change. */
function settle(step: Step): SettledStep | undefined {
  if (step.kind !== 'late') return step;
  const { path } = step;
  const before = readImage(path);
  const after = step.after(before);
  if (after === undefined) return before === undefined ? undefined : { kind: 'remove', path, before };
  return sameImage(before, after) ? undefined : { kind: 'write', path, before, after };
}

function runningCommand(pid: number): RunningCommand {
  const token = startToken(pid);
  return { pid, ...(token === undefined ? {} : { token }) };
}

/** What a killed run had started may still be writing the very files that are about to be put back. */
async function commandToEnd(running: RunningCommand | undefined): Promise<void> {
  if (running?.token === undefined) return;
  const until = performance.now() + COMMAND_MS;
  while (startToken(running.pid) === running.token && performance.now() < until) {
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function applyStep(step: SettledStep, aside: (tree: string) => string, runClient: RunClient): Promise<void> {
  switch (step.kind) {
    case 'write':
      placeFile(step.path, step.after);
      requireWritten(step.path, step.after);
      return;
    case 'remove':
      removeFile(step.path);
      return;
    case 'place-tree':
      return attempt(step.path, () => placeTree(step, aside(step.path)));
    case 'remove-tree':
      return attempt(step.path, () => (isThere(step.path) ? renameSync(step.path, aside(step.path)) : undefined));
    case 'plugin':
      for (const [path, image] of step.standIns) placeFile(path, image);
      return;
    case 'client-command':
      return runRequired(step, runClient);
    case 'probe':
      return step.run();
  }
}

async function runRequired(
  { path, args, variables, isRequired }: Extract<Step, { kind: 'client-command' }>,
  runClient: RunClient,
): Promise<void> {
  const { status, output } = await runClient(path, args, variables);
  if (status === 0 || !isRequired) return;
  throw new Refusal({
    code: 'client/command-failed',
    say: (t) => t.commandFailed([path, ...args].join(' '), String(status), lastLines(output)),
    next: (t) => t.commandFailedNext,
  });
}

/** The end of what a command has said: the reason stands there. */
function lastLines(output: string): string {
  return output
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(-4)
    .join('\n')
    .slice(-600);
}

/** Copies beside the target and moves it in whole: a hook that starts meanwhile sees the old payload or the new one. */
function placeTree({ path, payload }: Extract<Step, { kind: 'place-tree' }>, aside: string): void {
  const fresh = join(dirname(path), `.ov-tree-${process.pid}-${basename(path)}`);
  rmSync(fresh, { recursive: true, force: true });
  for (const file of [...Object.keys(payload.manifest.files), MANIFEST_NAME]) {
    const target = join(fresh, file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    copyFileSync(join(payload.folder, file), target);
    chmodSync(target, 0o600);
  }
  const damaged = damagedFiles(fresh, payload.manifest);
  if (damaged.length > 0) {
    throw new Refusal({
      code: 'payload/damaged',
      say: (t) => t.payloadDamaged(payload.folder, damaged),
      next: (t) => t.payloadDamagedNext,
    });
  }
  if (isThere(path)) renameSync(path, aside);
  renameSync(fresh, path);
}

function requireUnchanged(path: string, seen: FileImage | undefined): void {
  if (!sameImage(readImage(path), seen)) throw new ChangedMeanwhile(path);
}

function requireWritten(path: string, wanted: FileImage): void {
  if (sameImage(readImage(path), wanted)) return;
  throw new Refusal({ code: 'file/not-kept', say: (t) => t.notKept(path), next: (t) => t.permissionsNext });
}

function isFileStep(step: SettledStep | Step): step is Extract<Step, { kind: 'write' | 'remove' }> {
  return step.kind === 'write' || step.kind === 'remove';
}

/** Gives a pending signal its turn, then stops when it was an interruption. */
async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise((done) => setImmediate(done));
  if (signal.aborted) throw interrupted();
}
