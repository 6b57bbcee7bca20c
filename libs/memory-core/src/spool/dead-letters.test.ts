import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { capturedTurn, messageOf } from '../../testing/captured-turn.ts';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import type { Conversation } from './conversation.ts';
import { markedSessions } from './conversation-folder.ts';
import { deadLetterNames, deadLetterPath, readDeadLetter, requeueDead } from './dead-letters.ts';
import { dropConversation, dropDead, dropRecord } from './drop.ts';
import { readAppend, writeAppend } from './delivery-state.ts';
import { tryLock } from '../fs/lock.ts';
import { turnKey } from './journal.ts';
import { capturedSides } from './record.ts';

let temporary: TemporaryConversation;
let spool: string;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ spool, conversation } = temporary);
});
afterEach(() => temporary.remove());

const message = (text: string) => messageOf('user', text);

async function capture(turn: string): Promise<void> {
  await conversation.append((cursor) => capturedTurn(cursor, turn, [message(turn)], { commit: {}, heldUntil: 1 }));
}

function bury(name: string, text: string): void {
  mkdirSync(conversation.dead, { recursive: true });
  const reason = { status: 422, code: 'INVALID', message: 'no' };
  const origin = { harness: 'one', nativeId: 'one', peer: 'here', commit: { keep_recent_count: 0 } };
  const letter = { reason, at: '2026-01-01T00:00:00.000Z', message: message(text), origin };
  writeFileSync(deadLetterPath(conversation, name), JSON.stringify(letter));
}

const texts = (): string[] =>
  conversation
    .sequence()
    .flatMap((seq) => conversation.read(seq)?.messages ?? [])
    .map(({ turn_id }) => turn_id);
const knows = (turn: string): boolean => capturedSides(conversation.captureState().cursor, turnKey(turn)).user;

describe('dead letters', () => {
  it('go to the end of the queue, in order, with what delivery needs', async () => {
    await capture('a');
    for (const index of [10, 2, 0]) bury(`000000000007-${index}`, `letter ${index}`);
    const names = deadLetterNames(conversation);
    expect(names).toEqual(['000000000007-0', '000000000007-2', '000000000007-10']);
    for (const name of names) expect(await requeueDead(conversation, name)).toBe('requeued');
    expect(texts()).toEqual(['a', 'letter 0', 'letter 2', 'letter 10']);
    expect(conversation.read(2)).toMatchObject({
      harness: 'one',
      nativeId: 'one',
      peer: 'here',
      commit: { keep_recent_count: 0 },
    });
    expect(deadLetterNames(conversation)).toEqual([]);
    expect(markedSessions(spool)).toEqual(['aa-one']);
    expect(knows('a')).toBe(true);
  });

  it('are in the queue once, also when the process was killed before the letter was removed', async () => {
    bury('000000000001-0', 'letter');
    await requeueDead(conversation, '000000000001-0');
    bury('000000000001-0', 'letter');
    expect(await requeueDead(conversation, '000000000001-0')).toBe('requeued');
    expect(texts()).toEqual(['letter']);
    // The record has been delivered by then.
    bury('000000000001-0', 'letter');
    conversation.writeDeliveredCursor(1, conversation.captureState().cursor);
    rmSync(conversation.recordPath(1));
    expect(await requeueDead(conversation, '000000000001-0')).toBe('requeued');
    expect([texts(), deadLetterNames(conversation)]).toEqual([[], []]);
  });

  it('that are damaged records, or not there, are told apart', async () => {
    bury('000000000001-0', 'letter');
    writeFileSync(deadLetterPath(conversation, '000000000002-unreadable'), '{"version":1,"se');
    expect(await requeueDead(conversation, '000000000002-unreadable')).toBe('unreadable');
    expect(await requeueDead(conversation, '../../elsewhere')).toBe('missing');
    expect(readDeadLetter(conversation, '000000000001-0')?.reason.status).toBe(422);
    expect(deadLetterNames(conversation)).toHaveLength(2);
  });
});

describe('dropping', () => {
  it('a record leaves its turn known as captured and its number used', async () => {
    for (const turn of ['a', 'b', 'c']) await capture(turn);
    expect(dropRecord(conversation, 2)).toBe('dropped');
    expect(texts()).toEqual(['a', 'c']);
    expect(dropRecord(conversation, 3)).toBe('dropped');
    // Nothing of it is left but the cursor: no commit, and no wish to be completed from the transcript.
    expect(conversation.read(3)).toMatchObject({ messages: [], nativeId: 'one' });
    expect(conversation.read(3)).not.toHaveProperty('commit');
    expect(conversation.read(3)).not.toHaveProperty('heldUntil');
    expect([texts(), knows('b'), knows('c')]).toEqual([['a'], true, true]);
    await capture('d');
    expect(conversation.sequence()).toEqual([1, 3, 4]);
    expect(dropRecord(conversation, 2)).toBe('missing');
  });

  it('the only record leaves nothing behind but the cursor', async () => {
    await capture('a');
    expect(dropRecord(conversation, 1)).toBe('dropped');
    expect([conversation.sequence(), markedSessions(spool), knows('a')]).toEqual([[], [], true]);
    await capture('b');
    expect(conversation.sequence()).toEqual([2]);
  });

  it('waits for a worker, and does not touch what may have arrived', async () => {
    await capture('a');
    const lock = tryLock(conversation.lockFile);
    expect([dropRecord(conversation, 1), dropConversation(conversation)]).toEqual(['busy', 'busy']);
    lock?.release();
    const append = {
      baseUrl: 'http://h',
      firstSeq: 1,
      lastSeq: 1,
      settled: 0,
      count: 1,
      baseline: 0,
      mayArriveUntil: 0,
      stored: false,
    };
    writeAppend(join(conversation.folder, 'append.json'), append);
    expect(dropRecord(conversation, 1)).toBe('under-way');
    expect(texts()).toEqual(['a']);
    bury('000000000001-0', 'letter');
    expect(dropConversation(conversation)).toBe('dropped');
    expect([conversation.sequence(), deadLetterNames(conversation), markedSessions(spool)]).toEqual([[], [], []]);
    expect([readAppend(join(conversation.folder, 'append.json')), knows('a')]).toEqual([undefined, true]);
  });

  it('a dead letter removes that one', () => {
    bury('000000000001-0', 'x');
    bury('000000000001-1', 'y');
    expect(dropDead(conversation, '000000000001-0')).toBe('dropped');
    expect(dropDead(conversation, '000000000001-0')).toBe('missing');
    expect(deadLetterNames(conversation)).toEqual(['000000000001-1']);
  });
});
