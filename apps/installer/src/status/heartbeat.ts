/** When each hook of a client last ran, from the note that every hook leaves. */
import { heartbeatPath, homePaths, readJsonObject } from '@openviking/memory-core/full';
import type { EventBinding, HarnessDeclaration } from '@openviking/memory-core/full';

export interface Heartbeat {
  readonly entry: string;
  /** Where it is noted. */
  readonly file: string;
  readonly event: EventBinding['kind'];
  /** ISO 8601; absent when the hook has never run. */
  readonly at?: string;
  readonly durationMs?: number;
  readonly outcome?: string;
  readonly injectedTokens?: number;
}

export interface Heartbeats {
  readonly hooks: readonly Heartbeat[];
  /** When the client last started our MCP server: ISO 8601. */
  readonly serverStarted?: string;
}

/** The entry under which the MCP server leaves its note. */
const SERVER = 'mcp-proxy';

export function readHeartbeats(client: HarnessDeclaration, home: string): Heartbeats {
  const noteOf = (entry: string) => readJsonObject(heartbeatPath(homePaths(home), client.id, entry)) ?? {};
  const started = timeOf(noteOf(SERVER)['at']);
  return {
    hooks: client.events.map(({ entry, kind }) => {
      const { at, durationMs, outcome, injectedTokens } = noteOf(entry);
      const time = timeOf(at);
      return {
        entry,
        file: heartbeatPath(homePaths(home), client.id, entry),
        event: kind,
        ...(time === undefined ? {} : { at: time }),
        ...(typeof durationMs === 'number' ? { durationMs } : {}),
        // Written by us, and shown: of anything else in that place nothing is told.
        ...(typeof outcome === 'string' && /^[\w.-]{1,80}$/.test(outcome) ? { outcome } : {}),
        ...(typeof injectedTokens === 'number' ? { injectedTokens } : {}),
      };
    }),
    ...(started === undefined ? {} : { serverStarted: started }),
  };
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;
}
