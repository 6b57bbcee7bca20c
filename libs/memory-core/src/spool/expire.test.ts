/** Turns that wait too long: to the dead letters, with a reason, and never because a clock was wrong. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { capturedTurn, messageOf } from '../../testing/captured-turn.ts';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import { tryLock } from '../fs/lock.ts';
import { SILENT } from '../log/log.ts';
import { Conversation } from './conversation.ts';
import { deadLetterNames, readDeadLetter, requeueDead } from './dead-letters.ts';
import { writeAppend } from './delivery-state.ts';
import { expireOld } from './expire.ts';
import { turnKey } from './journal.ts';
import { capturedSides } from './record.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-06-01T00:00:00.000Z');
let temporary: TemporaryConversation;
let spool: string;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ spool, conversation } = temporary);
});
afterEach(() => temporary.remove());

async function capture(name: string, daysAgo: number): Promise<void> {
  const messages = (['user', 'assistant'] as const).map((role) => messageOf(role, name, `${role} ${name}`));
  const createdAt = new Date(NOW - daysAgo * DAY).toISOString();
  const more = { peer: 'p', createdAt, commit: { keep_recent_count: 0 } };
  await conversation.append((cursor) => capturedTurn(cursor, name, messages, more));
}
const look = (now: number, maxAgeDays = 30): number => expireOld({ spool, maxAgeDays, log: SILENT, now });
/** Every `stepMs` from `from` on, until `to`; returns how many turns went. */
function looks(from: number, to: number, stepMs = 6 * HOUR): number {
  let expired = 0;
  for (let now = from; now <= to; now += stepMs) expired += look(now);
  return expired;
}

describe('expireOld', () => {
  it('keeps everything with 0, however old it is', async () => {
    await capture('a', 4_000);
    for (let day = 0; day < 10; day += 1) expect(look(NOW + day * DAY, 0)).toBe(0);
    expect(conversation.sequence()).toEqual([1]);
  });

  it('makes dead letters of what is too old, with the reason, and leaves what is not', async () => {
    await capture('a', 40);
    await capture('b', 31);
    await capture('c', 5);
    expect(look(NOW)).toBe(0);
    expect(looks(NOW, NOW + 2 * DAY)).toBe(2);
    expect(conversation.sequence()).toEqual([3]);
    expect(deadLetterNames(conversation)).toHaveLength(4);
    expect(readDeadLetter(conversation, '000000000001-1')).toMatchObject({
      reason: { status: 0, code: 'EXPIRED', message: 'not delivered within 30 days (spoolMaxAgeDays)' },
      message: { role: 'assistant', turn_id: 'a' },
      origin: { harness: 'one', nativeId: 'one', peer: 'p', commit: { keep_recent_count: 0 } },
    });
    // They count as captured: a later look at the client's record brings none of them back.
    expect(capturedSides(conversation.captureState().cursor, turnKey('a'))).toEqual({ user: true, assistant: true });
    expect(existsSync(join(spool, '.age.json'))).toBe(false);
  });

  it('brings them back with retry, young again', async () => {
    await capture('a', 40);
    expect(looks(NOW, NOW + 2 * DAY)).toBe(1);
    for (const name of deadLetterNames(conversation)) expect(await requeueDead(conversation, name)).toBe('requeued');
    expect(conversation.sequence().map((seq) => conversation.read(seq)?.messages[0]?.turn_id)).toEqual(['a', 'a']);
    expect(looks(Date.now(), Date.now() + 3 * DAY)).toBe(0);
  });

  it('is not taken in by a clock that is set ahead for a while', async () => {
    await capture('a', 1);
    expect(look(NOW)).toBe(0);
    // Years ahead, and used like that for most of a day.
    expect(looks(NOW + 3_650 * DAY, NOW + 3_650 * DAY + 20 * HOUR)).toBe(0);
    // Set right again: what was seen in the future proves nothing.
    expect(looks(NOW + DAY, NOW + 10 * DAY)).toBe(0);
    expect(conversation.sequence()).toEqual([1]);
  });

  it('is not taken in by a clock that jumps, however far and often in a day', async () => {
    await capture('a', 1);
    expect(look(NOW)).toBe(0);
    expect(look(NOW + 1_000 * DAY)).toBe(0);
    expect(look(NOW + 2_000 * DAY)).toBe(0);
    expect(conversation.sequence()).toEqual([1]);
  });

  it('takes nothing along that only looks old since a clock jumped, while what is old waits for its end', async () => {
    await capture('a', 40);
    const other = new Conversation(spool, 'zc-two');
    other.prepare();
    const young = conversation;
    conversation = other;
    await capture('b', 2);
    conversation = young;
    expect(looks(NOW, NOW + 12 * HOUR)).toBe(0);
    expect(look(NOW + 1_000 * DAY)).toBe(1);
    expect(other.sequence()).toEqual([1]);
  });

  it('leaves alone what is being delivered, and what the server may have a part of', async () => {
    await capture('a', 40);
    const lock = tryLock(conversation.lockFile);
    expect(looks(NOW, NOW + 2 * DAY)).toBe(0);
    lock?.release();
    const append = { baseUrl: 'http://h', firstSeq: 1, lastSeq: 1, settled: 0, count: 2, baseline: 0 };
    writeAppend(join(conversation.folder, 'append.json'), { ...append, mayArriveUntil: 0, stored: false });
    expect(looks(NOW + 3 * DAY, NOW + 6 * DAY)).toBe(0);
    expect(conversation.sequence()).toEqual([1]);
  });
});
