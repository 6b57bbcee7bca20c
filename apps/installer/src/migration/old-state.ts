/**
 * Takes over which turns the earlier installer's hooks have captured: one of them may have ended a moment ago, and the client
 * tells its end once more, to hooks that are ours by now. Only conversations that may still be under way are looked at; in
 * all others what lies before our first prompt is history anyhow.
 */
import { join } from 'node:path';
import { Conversation, expandHome, readJsonObject, tryLock, turnKey } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { namesIn } from '../files/folders.ts';
import { settingsFor } from '../machine/machine.ts';
import { usualSpool } from '../spool/folders.ts';
import { oldSessionOf } from './old-session.ts';
import { fileStatus } from '../files/file-status.ts';
import type { Machine } from '../machine/machine.ts';

/** No turn of an agent lasts longer, in ms. */
const UNDER_WAY_MS = 12 * 60 * 60_000;
/** How many turns of a conversation are taken over: every record of the spool carries them. */
const MOST_TURNS = 20;

/** Only for the holder of the installer's lock, and before anything else of these conversations is imported. */
export function takeOverTurns(
  machine: Pick<Machine, 'home' | 'env' | 'now'>,
  clients: readonly HarnessDeclaration[],
): void {
  const set = machine.env['OPENVIKING_HOOK_STATE_DIR']?.trim() ?? '';
  const root = set === '' ? join(machine.home, '.openviking', 'hook-state') : expandHome(set, machine.home);
  if (root === undefined) return;
  const since = machine.now().getTime() - UNDER_WAY_MS;
  for (const client of clients) {
    const folder = join(root, client.id);
    for (const name of namesIn(folder).filter((file) => file.endsWith('.json'))) {
      const session = client.sessionPrefix + name.slice(0, -'.json'.length);
      const path = join(folder, name);
      if (oldSessionOf(session, clients, client.id) === undefined || writtenAt(path) < since) continue;
      const turns = capturedTurns(readJsonObject(path));
      const spool = settingsFor(machine, client).settings.spoolDir ?? usualSpool(machine.home);
      if (turns.length > 0) note(new Conversation(spool, session), turns);
    }
  }
}

/** Keys of the turns that the state names, newest last. */
function capturedTurns(state: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const list = state?.['capturedTurnIds'];
  const ids = [...(Array.isArray(list) ? (list as readonly unknown[]) : []), state?.['lastTurnId']];
  const texts = ids.filter((id) => typeof id === 'string' && id !== '');
  return [...new Set(texts)].slice(-MOST_TURNS).map((id) => turnKey(id as string));
}

/** A conversation that our hooks have captured something of knows for itself. */
function note(conversation: Conversation, turns: readonly string[]): void {
  conversation.prepare();
  const lock = tryLock(conversation.lockFile);
  if (lock === undefined) return;
  try {
    const { seq, cursor } = conversation.deliveredCursor();
    const isKnown = turns.every((turn) => cursor.foreign?.includes(turn) === true);
    if (seq > 0 || isKnown || conversation.hasRecords()) return;
    conversation.writeDeliveredCursor(0, { ...cursor, foreign: turns });
  } finally {
    lock.release();
  }
}

function writtenAt(path: string): number {
  return fileStatus(path)?.mtimeMs ?? 0;
}
