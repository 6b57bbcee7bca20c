/** A notice for the user, where the host can show one; its texts are loaded only when there is something to tell. */
import type { ApiFailure } from '../http/api.ts';
import { isTrouble } from '../recall/circuit.ts';
import type { OpenPlace } from './open-session.ts';
import type { Trouble } from './notice.ts';
import type { HookEnvironment } from './run-hook.ts';

/** Part of a reply: the first of these that this conversation was not told yet; empty where there is none. */
export function tell(
  troubles: readonly (Trouble | undefined)[],
  open: OpenPlace,
  { harness, bundles, env }: HookEnvironment,
): { readonly notice?: string } {
  if (harness.declaration.showsNotices !== true) return {};
  for (const trouble of troubles) {
    if (trouble === undefined) continue;
    const notice = bundles.loadSeldom().noticeOf(trouble, open, harness.declaration.id, env);
    if (notice !== undefined) return { notice };
  }
  return {};
}

/** What a failed request means for the user. */
export function troubleOf(failure: ApiFailure): Trouble | undefined {
  if (failure.class === 'blocked') return 'refused';
  return isTrouble(failure) ? 'unreachable' : undefined;
}
