/** What prompt, session start and turn end need to know before they start: settings, identity, the conversation's folder. */
import type { Harness } from '../contract/harness.ts';
import type { HookEvent } from '../contract/event.ts';
import type { Settings, SettingsContext } from '../contract/settings.ts';
import { homePaths, type HomePaths } from '../fs/home-paths.ts';
import { createLog, type Log } from '../log/log.ts';
import type { isBypassed } from '../privacy/bypass.ts';
import type { SanitiseRules } from '../privacy/pipeline.ts';
import { loadFilters } from '../privacy/filters-load.ts';
import { serverSessionId } from '../session/session-id.ts';
import { loadWithoutConnection } from '../settings/load.ts';
import { Conversation } from '../spool/conversation.ts';
import { ConversationFolder } from '../spool/conversation-folder.ts';
import type { Bundles, HookEnvironment } from './run-hook.ts';

export interface OpenPlace {
  readonly settings: Settings;
  readonly paths: HomePaths;
  /** Id of the conversation on the server. */
  readonly session: string;
  readonly conversation: ConversationFolder;
  readonly log: Log;
  /** Captured text: clean, without private parts and secrets, filtered. */
  readonly captured: SanitiseRules;
}

/** For hooks that capture. */
export interface OpenSession extends OpenPlace {
  readonly conversation: Conversation;
}

/** Undefined when memory is switched off or bypassed here, or not wanted for subagents. */
export function openSession(event: HookEvent, environment: HookEnvironment): OpenSession | undefined {
  const open = openWith(event, environment, loadWithoutConnection(placeOf(event, environment)));
  return open && { ...open, conversation: new Conversation(open.paths.spool, open.session) };
}

/** For whom and where settings are resolved. */
export function placeOf({ cwd }: HookEvent, { harness, home, env }: HookEnvironment): SettingsContext {
  const { id, settingDefaults: defaults } = harness.declaration;
  return { harness: id, defaults, home, cwd, env };
}

/** True for events at which something is said, or was. */
function isSpoken({ kind, session }: HookEvent): boolean {
  return kind !== 'tool-guard' && (kind !== 'session-start' || session.subagent !== undefined);
}

/** The same with settings that are resolved already. */
export function openWith(event: HookEvent, environment: HookEnvironment, settings: Settings): OpenPlace | undefined {
  const { harness, home, bundles, useLog } = environment;
  const session = serverSessionId(harness.declaration, event.session);
  const place = { session, nativeId: event.session.nativeId, cwd: event.cwd, home };
  const paths = homePaths(home, settings.spoolDir);
  const conversation = new ConversationFolder(paths.spool, session);
  const isOff = isSwitchedOff(settings, place, () => bundles.loadSeldom().isBypassed);
  if ((isOff || !settings.autoCapture) && isSpoken(event))
    bundles.loadSeldom().passOver(event, environment, paths.spool);
  if (isOff || isLeftOut(event.session.subagent, settings)) return undefined;
  const log = createLog(paths, harness.declaration.id, settings);
  useLog?.(log);
  return {
    settings,
    paths,
    session,
    conversation,
    log,
    captured: sanitiseRules(harness, settings, bundles),
  };
}

/**
 * True where nothing is to be recalled or captured: by the switch, for this process, or by a pattern. The code for patterns
 * is asked for where there are some; without it nothing goes on, because what a pattern hides must not leak.
 */
export function isSwitchedOff(
  settings: Pick<Settings, 'enabled' | 'bypassSession' | 'bypassSessionPatterns'>,
  place: { readonly session: string; readonly nativeId: string; readonly cwd: string; readonly home: string },
  matcher: () => typeof isBypassed,
): boolean {
  if (!settings.enabled || settings.bypassSession) return true;
  const patterns = settings.bypassSessionPatterns;
  if (patterns.length === 0) return false;
  const { cwd, home } = place;
  const matches = matcher();
  return [place.session, place.nativeId].some((sessionId) => matches({ patterns, sessionId, cwd, home }));
}

/** True for a subagent where only what the user says and hears is wanted. */
export function isLeftOut(subagent: unknown, settings: Pick<Settings, 'skipSubagentSessions'>): boolean {
  return subagent !== undefined && settings.skipSubagentSessions;
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
