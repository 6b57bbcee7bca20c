/** What prompt, session start and turn end need to know before they start: settings, identity, the conversation's folder. */
import type { Harness } from '../contract/harness.ts';
import type { HookEvent } from '../contract/event.ts';
import type { ResolvedSettings, Settings } from '../contract/settings.ts';
import { homePaths, type HomePaths } from '../fs/home-paths.ts';
import { createLog, type Log } from '../log/log.ts';
import { isBypassed } from '../privacy/bypass.ts';
import type { SanitiseRules } from '../privacy/pipeline.ts';
import { loadFilters, type Filters } from '../privacy/filters-load.ts';
import { serverSessionId } from '../session/session-id.ts';
import { loadSettings } from '../settings/load.ts';
import { Conversation } from '../spool/conversation.ts';
import { resolvePeer } from '../workspace/peer.ts';
import type { Bundles, HookEnvironment } from './run-hook.ts';

export interface OpenSession {
  readonly resolved: ResolvedSettings;
  readonly settings: Settings;
  readonly paths: HomePaths;
  /** Id of the conversation on the server. */
  readonly session: string;
  readonly conversation: Conversation;
  readonly peer?: string;
  readonly legacyPeer?: string;
  readonly log: Log;
  /** Captured text: clean, without private parts and secrets, filtered. */
  readonly captured: SanitiseRules;
  /** What a recall query passes after that. */
  readonly queryFilters: Filters | undefined;
}

/** Undefined when memory is switched off or bypassed here. */
export function openSession(event: HookEvent, environment: HookEnvironment): OpenSession | undefined {
  const { harness, home, env } = environment;
  const { id } = harness.declaration;
  const resolved = loadSettings({
    harness: id,
    defaults: harness.declaration.settingDefaults,
    home,
    cwd: event.cwd,
    env,
  });
  const { settings } = resolved;
  const session = serverSessionId(harness.declaration, event.session);
  if (isSwitchedOff(settings, { session, nativeId: event.session.nativeId, cwd: event.cwd, home })) return undefined;
  const paths = homePaths(home, settings.spoolDir);
  const { peer, legacyPeer } = resolvePeer({ cwd: event.cwd, home, harness: id, settings });
  return {
    resolved,
    settings,
    paths,
    session,
    conversation: new Conversation(paths.spool, session),
    ...(peer === undefined ? {} : { peer }),
    ...(legacyPeer === undefined ? {} : { legacyPeer }),
    log: createLog(paths, settings),
    captured: sanitiseRules(harness, settings, environment.bundles),
    queryFilters: loadFilters(settings.recallQueryFilters, environment.bundles.loadFilters),
  };
}

/** True where nothing is to be recalled or captured: by the switch, for this process, or by a pattern. */
export function isSwitchedOff(
  settings: Pick<Settings, 'enabled' | 'bypassSession' | 'bypassSessionPatterns'>,
  place: { readonly session: string; readonly nativeId: string; readonly cwd: string; readonly home: string },
): boolean {
  if (!settings.enabled || settings.bypassSession) return true;
  const patterns = settings.bypassSessionPatterns;
  if (patterns.length === 0) return false;
  const { cwd, home } = place;
  return [place.session, place.nativeId].some((sessionId) => isBypassed({ patterns, sessionId, cwd, home }));
}

/** How a harness's captured texts are made fit to be kept; the filters' bundle is loaded only when there are filters. */
export function sanitiseRules(
  harness: Harness,
  settings: Pick<Settings, 'redactSecrets' | 'captureFilters'>,
  bundles: Pick<Bundles, 'loadFilters'>,
): SanitiseRules {
  return {
    hostTags: harness.dialect.hostTags,
    hostNoise: harness.dialect.hostNoise,
    redact: settings.redactSecrets,
    filters: loadFilters(settings.captureFilters, bundles.loadFilters),
  };
}
