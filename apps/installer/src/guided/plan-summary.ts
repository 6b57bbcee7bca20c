/**
 * The plan in a few lines, for somebody who has just answered questions: what happens to the files of clients one by one, and
 * in one line what happens in our own folder.
 */
import { sep } from 'node:path';
import { shortHome } from '../cli/short-home.ts';
import { wrap } from '../cli/wrap.ts';
import { installPaths } from '../machine/machine.ts';
import { pathOf } from '../plan/show-plan.ts';
import type { Messages } from '../cli/messages-en.ts';
import type { Machine } from '../machine/machine.ts';
import type { ShownChange } from '../plan/show-plan.ts';

/** Lines of at most `width` columns where words allow it. */
export function planSummary(
  changes: readonly ShownChange[],
  texts: Messages,
  { home }: Pick<Machine, 'home'>,
  width: number,
): readonly string[] {
  const { root } = installPaths(home);
  const isOurs = (change: ShownChange): boolean =>
    change.args === undefined && (change.path === root || change.path.startsWith(root + sep));
  const theirs = changes.filter((change) => !isOurs(change));
  const own = changes.length - theirs.length;
  const lines = [
    ...theirs.map((change) => texts.change(change.action, shortHome(pathOf(change), home))),
    ...(own === 0 ? [] : [texts.guidedOwnFolder(own, shortHome(root, home))]),
  ];
  return lines.flatMap((line) => wrap(line, width - 4).map((part, index) => `${index === 0 ? '  ' : '    '}${part}`));
}
