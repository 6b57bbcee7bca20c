/** For whom and where a turn was said whose prompt nobody noted: as its end finds it. */
import type { HookEvent } from '../contract/event.ts';
import type { Settings } from '../contract/settings.ts';
import { environmentMark } from '../spool/environment-mark.ts';
import type { Origin } from '../spool/record.ts';
import { resolvePeer } from '../workspace/peer.ts';
import type { HookEnvironment } from './run-hook.ts';

export function originOf(
  { cwd }: HookEvent,
  settings: Settings,
  { harness, home, env }: Pick<HookEnvironment, 'harness' | 'home' | 'env'>,
): Origin {
  const { peer } = resolvePeer({ cwd, home, harness: harness.declaration.id, settings });
  return { peer, environment: environmentMark(env) };
}
