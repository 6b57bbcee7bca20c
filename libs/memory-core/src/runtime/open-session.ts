/** What prompt, session start and turn end need to know before they start: settings, identity, the conversation's folder. */
import { readFileSync } from 'node:fs';
import type { HookEvent } from '../contract/event.ts';
import type { ResolvedSettings, Settings } from '../contract/settings.ts';
import { createApiClient, type ApiClient } from '../http/api.ts';
import { selectTransport } from '../http/transport.ts';
import { homePaths, type HomePaths } from '../fs/home-paths.ts';
import { createLog, type Log } from '../log/log.ts';
import { isBypassed } from '../privacy/bypass.ts';
import { createSanitiser, type Sanitiser } from '../privacy/pipeline.ts';
import { loadFilters } from '../privacy/filters-load.ts';
import { serverSessionId } from '../session/session-id.ts';
import { loadSettings } from '../settings/load.ts';
import { Conversation } from '../spool/conversation.ts';
import { resolvePeer } from '../workspace/peer.ts';
import type { HookEnvironment } from './run-hook.ts';

export interface OpenSession {
  readonly resolved: ResolvedSettings;
  readonly settings: Settings;
  readonly paths: HomePaths;
  /** Id of the conversation on the server. */
  readonly session: string;
  readonly conversation: Conversation;
  readonly peer?: string;
  readonly legacyPeer?: string;
  readonly client: ApiClient;
  readonly log: Log;
  /** Captured text: clean, without private parts and secrets, filtered. */
  readonly captured: Sanitiser;
  /** Text of a recall query. */
  readonly asked: Sanitiser;
}

/** Undefined when memory is switched off or bypassed here. */
export function openSession(event: HookEvent, environment: HookEnvironment): OpenSession | undefined {
  const { harness, home, env } = environment;
  const { id } = harness.declaration;
  const resolved = loadSettings({ harness: id, home, cwd: event.cwd, env });
  const { settings } = resolved;
  if (!settings.enabled || settings.bypassSession) return undefined;
  const session = serverSessionId(harness.declaration, event.session);
  const patterns = settings.bypassSessionPatterns;
  if (
    patterns.length > 0 &&
    (isBypassed({ patterns, sessionId: session, cwd: event.cwd }) ||
      isBypassed({ patterns, sessionId: event.session.nativeId, cwd: event.cwd }))
  ) {
    return undefined;
  }
  const paths = homePaths(home, settings.spoolDir);
  const { peer, legacyPeer } = resolvePeer({ cwd: event.cwd, home, harness: id, settings });
  const noise = harness.dialect.hostNoise ?? [];
  const sanitiser = (rules: readonly string[]): Sanitiser =>
    createSanitiser({
      hostNoise: noise,
      redact: settings.redactSecrets,
      filters: loadFilters(rules, environment.bundles.loadFilters),
    });
  return {
    resolved,
    settings,
    paths,
    session,
    conversation: new Conversation(paths.spool, session),
    ...(peer === undefined ? {} : { peer }),
    ...(legacyPeer === undefined ? {} : { legacyPeer }),
    client: connect(resolved, environment),
    log: createLog(paths, id, settings),
    captured: sanitiser(settings.captureFilters),
    asked: sanitiser(settings.recallQueryFilters),
  };
}

/** The server as this harness sees it. */
export function connect(
  resolved: ResolvedSettings,
  environment: Pick<HookEnvironment, 'harness' | 'env' | 'bundles'>,
): ApiClient {
  const { connection } = resolved;
  const ca = connection.caFile === undefined ? undefined : readText(connection.caFile);
  return createApiClient({
    connection,
    userAgent: `openviking-memory-${environment.harness.declaration.id}/${environment.harness.version}`,
    transport: selectTransport(connection.baseUrl, environment.env, environment.bundles.loadProxy),
    ...(ca === undefined ? {} : { ca }),
  });
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The connection then fails with a certificate error, which doctor explains together with the path.
    return undefined;
  }
}
