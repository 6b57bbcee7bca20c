/**
 * Conversations that wait in a spool, as a server that is away leaves them: written at once, for to have a thousand captured
 * by hooks would take a test minutes.
 */
import type { TemporaryHome } from './temporary-home.ts';

export interface LeftWaiting {
  /** Their number, in all of the home: those that are there already are written anew. */
  readonly conversations: number;
  /** Of the client that captured them. */
  readonly harness: string;
  /** What its sessions' names begin with on the server. */
  readonly sessionPrefix: string;
  /** Records of each; 2 by default. */
  readonly recordsEach?: number;
  /** Mark of the environment they were said in; by default the one that has no settings of its own. */
  readonly environment?: string;
}

/** Length of each message, in characters. */
const MESSAGE_LENGTH = 400;

/** Returns the names of their sessions. */
export function leaveWaiting(home: TemporaryHome, left: LeftWaiting): string[] {
  const { harness, sessionPrefix, recordsEach = 2, environment = '' } = left;
  const createdAt = '2026-01-01T00:00:00.000Z';
  return Array.from({ length: left.conversations }, (_, number) => {
    const nativeId = `waiting-${String(number).padStart(5, '0')}`;
    const session = `${sessionPrefix}${nativeId}`;
    home.makeFolder(`.openviking/spool/${session}/pending`);
    for (let seq = 1; seq <= recordsEach; seq += 1) {
      const parts = [{ type: 'text', text: 'x'.repeat(MESSAGE_LENGTH) }];
      const messages = [{ role: 'user', parts, turn_id: `t${seq}`, created_at: createdAt }];
      const origin = { session, harness, nativeId, environment, createdAt };
      const record = { version: 1, seq, ...origin, messages, cursor: { turns: [] } };
      const name = `${String(seq).padStart(12, '0')}.json`;
      home.write(`.openviking/spool/${session}/records/${name}`, JSON.stringify(record), 0o600);
    }
    home.write(`.openviking/spool/.queue/${session}`, '', 0o600);
    return session;
  });
}
