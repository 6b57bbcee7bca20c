/** What a hook that talks to the server needs to know: a turn end never does, and its bundle carries none of this. */
import { dirname } from 'node:path';
import type { HookEvent } from '../contract/event.ts';
import type { ResolvedSettings } from '../contract/settings.ts';
import type { ApiClient } from '../http/api.ts';
import { ensureOwnFolder } from '../fs/folder.ts';
import { sessionStateFolder } from '../fs/home-paths.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { requestOnSocket } from '../http/socket-request.ts';
import { loadFilters, type Filters } from '../privacy/filters-load.ts';
import { loadSettings } from '../settings/load.ts';
import { resolvePeer } from '../workspace/peer.ts';
import { connectThrough, userAgent } from './connect-through.ts';
import { openWith, placeOf, type OpenPlace } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

/** A hook's session together with the way to its server. */
export interface ConnectedSession extends OpenPlace {
  readonly resolved: ResolvedSettings;
  readonly client: ApiClient;
  readonly peer?: string;
  readonly legacyPeer?: string;
  /** What a recall query passes besides cleaning. */
  readonly queryFilters: Filters | undefined;
}

/** `openSession` for a hook that talks to the server. */
export function openConnected(event: HookEvent, environment: HookEnvironment): ConnectedSession | undefined {
  const { env, bundles, home } = environment;
  const { declaration, version } = environment.harness;
  const resolved = loadSettings(placeOf(event, environment));
  const { settings } = resolved;
  const open = openWith(event, environment, settings);
  if (open === undefined) return undefined;
  // What is recalled is kept there: a link that somebody has put in its place, or above it, would lead it elsewhere.
  const kept = sessionStateFolder(open.paths, open.session);
  keepIfPossible(() => [dirname(kept), kept].forEach(ensureOwnFolder));
  const { peer, legacyPeer } = resolvePeer({ cwd: event.cwd, home, harness: declaration.id, settings });
  const client = connectThrough(resolved, userAgent(declaration.id, version), env, bundles, requestOnSocket);
  return {
    ...open,
    resolved,
    client: open.log.debug === undefined ? client : bundles.loadSeldom().loggedClient(client, open.log),
    ...(peer === undefined ? {} : { peer }),
    ...(legacyPeer === undefined ? {} : { legacyPeer }),
    queryFilters: loadFilters(settings.recallQueryFilters, bundles.loadFilters),
  };
}
