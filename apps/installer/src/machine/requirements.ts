/** What a machine must be like before anything of it is touched: refused later, it would be in the middle of a run. */
import { statSync } from 'node:fs';
import { Refusal } from '../cli/refusal.ts';
import { MINIMUM_NODE, runsOn } from '../payload/launcher.ts';
import type { Machine } from './machine.ts';

/** The launcher is told to start this very interpreter: one that is too old would fail in every hook. */
export function requireNode({ nodeVersion, interpreter }: Machine): void {
  if (runsOn(nodeVersion)) return;
  throw new Refusal({
    code: 'node/too-old',
    say: (t) => t.nodeTooOld(interpreter, nodeVersion, MINIMUM_NODE),
    next: (t) => t.nodeTooOldNext(MINIMUM_NODE),
  });
}

/** Files of another user, or files of root in a user's home, would break that user's client. */
export function requireOwnHome({ home, platform }: Machine): void {
  if (platform === 'win32' || process.getuid === undefined) return;
  const { uid } = statSync(home);
  if (uid === process.getuid()) return;
  throw new Refusal({ code: 'home/other-owner', say: (t) => t.homeOfOther(home), next: (t) => t.homeOfOtherNext });
}
