/** When each hook of a client last ran, from the note that every hook leaves. */
import { heartbeatPath, homePaths, readJsonObject } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';

export interface Heartbeat {
  readonly entry: string;
  /** ISO 8601; absent when the hook has never run. */
  readonly at?: string;
  readonly durationMs?: number;
  readonly outcome?: string;
}

export function readHeartbeats(client: HarnessDeclaration, home: string): readonly Heartbeat[] {
  return client.events.map(({ entry }) => {
    const note = readJsonObject(heartbeatPath(homePaths(home), client.id, entry)) ?? {};
    const { at, durationMs, outcome } = note;
    return {
      entry,
      ...(typeof at === 'string' ? { at } : {}),
      ...(typeof durationMs === 'number' ? { durationMs } : {}),
      ...(typeof outcome === 'string' ? { outcome } : {}),
    };
  });
}
