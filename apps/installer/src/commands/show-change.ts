/** A planned change on the terminal, the same in every command that shows one. */
import { pathOf } from '../plan/show-plan.ts';
import type { ShownChange } from '../plan/show-plan.ts';
import type { CommandContext } from './outcome.ts';

/** One change of a plan, with its diff. */
export function showChange(change: ShownChange, terminal: CommandContext['terminal']): void {
  terminal.say(terminal.texts.change(change.action, pathOf(change), change.files));
  if (change.mode !== undefined) terminal.say(terminal.texts.modeChange(change.mode.from, change.mode.to));
  if (change.diff !== undefined) terminal.diff(change.diff);
  terminal.say();
}
