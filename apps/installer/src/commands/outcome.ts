/** How a command ended: the exit code, and what `--json` prints. */
import type { HarnessDeclaration, JsonObject, JsonValue } from '@openviking/memory-core/full';
import type { Terminal } from '../cli/terminal.ts';
import type { Machine } from '../machine/machine.ts';
import type { Note } from '../plan/client-plan.ts';

/** 0 done; 3 done, with warnings that need the user (1 with `--strict`). */
export interface Outcome {
  readonly exitCode: 0 | 1 | 3;
  readonly document: Readonly<Record<string, unknown>>;
}

/** What a command works with. */
export interface CommandContext {
  readonly machine: Machine;
  readonly terminal: Terminal;
  readonly clients: readonly HarnessDeclaration[];
}

export function exitCodeFor(notes: readonly Note[], strict: boolean): 0 | 1 | 3 {
  if (!notes.some(({ isWarning }) => isWarning)) return 0;
  return strict ? 1 : 3;
}

export function showNotes(notes: readonly Note[], terminal: Terminal): void {
  for (const note of notes) {
    const text = note.say(terminal.texts);
    if (note.isWarning) terminal.warn(terminal.texts.warning(text));
    else terminal.tell(terminal.texts.note(text));
  }
}

export function notesAsData(notes: readonly Note[], terminal: Terminal): readonly JsonValue[] {
  return notes.map(({ code, isWarning, say, file, line }): JsonObject => ({
    code,
    severity: isWarning ? 'warn' : 'info',
    message: say(terminal.texts),
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
  }));
}
