import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import { tryLock } from '../fs/lock.ts';
import type { Conversation } from './conversation.ts';
import { firstSeen, noteFirstSeen } from './first-seen.ts';
import { noteAnswer, notePrompt, noteRemark, pendingPrompts } from './journal.ts';
import { readdress } from './readdress.ts';
import { withCaptured } from './record.ts';

const THERE = '0123abcd';
const HERE = 'fedc4567';

let temporary: TemporaryConversation;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ conversation } = temporary);
});
afterEach(() => temporary.remove());

const append = (turn: string, environment: string | undefined): Promise<unknown> =>
  conversation.append((cursor) => ({
    harness: 'one',
    nativeId: 'one',
    createdAt: '2026-01-01T00:00:00.000Z',
    environment,
    peer: 'project',
    messages: [
      {
        role: 'user',
        parts: [{ type: 'tool', tool_input: { environment: THERE } } as never],
        turn_id: turn,
        created_at: '2026-01-01T00:00:00.000Z',
      },
    ],
    cursor: {
      ...withCaptured(cursor, turn.padEnd(12, '0'), { user: true, assistant: true }),
      open: { peer: 'project', environment },
    },
  }));

const prompt = (turnId: string, text: string) => ({
  turnId,
  harness: 'one',
  nativeId: 'one',
  text,
  typed: 'typed',
  at: '2026-01-01T00:00:00.000Z',
  cwd: '/project',
  peer: 'project',
  environment: THERE,
});

describe('a conversation that is readdressed', () => {
  it('belongs to the environment in all that waits, and is else what it was', async () => {
    await append('a', THERE);
    await append('b', THERE);
    const before = [1, 2].map((seq) => conversation.read(seq));
    expect(readdress(conversation, HERE)).toBe('readdressed');
    expect([1, 2].map((seq) => conversation.read(seq))).toEqual(
      before.map((record) => ({
        ...record,
        environment: HERE,
        cursor: { ...record?.cursor, open: { peer: 'project', environment: HERE } },
      })),
    );
    expect(conversation.read(1)?.messages).toEqual(before[0]?.messages);
  });

  it('leaves alone what goes where the files say', async () => {
    await append('a', '');
    await append('b', undefined);
    await append('c', THERE);
    readdress(conversation, HERE);
    expect([1, 2, 3].map((seq) => conversation.read(seq)?.environment)).toEqual(['', undefined, HERE]);
  });

  it('takes along what is delivered and not committed, and keeps the time of the delivery', async () => {
    await append('a', THERE);
    const { cursor } = conversation.captureState();
    conversation.writeDeliveredCursor(1, cursor);
    const path = join(conversation.folder, 'cursor.json');
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    readdress(conversation, HERE);
    expect(conversation.deliveredCursor()).toEqual({
      seq: 1,
      cursor: { ...cursor, open: { peer: 'project', environment: HERE } },
    });
    expect(statSync(path).mtimeMs).toBe(1_700_000_000_000);
  });

  it.each([HERE, ''])('takes along where it began and prompts whose turn has not ended, to "%s"', (here) => {
    const text = `What does "environment":"${THERE}" mean? 什么意思?`;
    notePrompt(conversation, prompt('t1', text));
    noteRemark(conversation, { ...prompt('t1', 'More'), typed: 'more', at: '2026-01-01T00:00:01.000Z' });
    noteAnswer(conversation, 't1', 'So far', 'So far');
    noteFirstSeen(conversation, () => ({ ...prompt('t1', text), from: 'start' }));
    const [before] = pendingPrompts(conversation);
    readdress(conversation, here);
    expect(pendingPrompts(conversation)).toEqual([
      { ...before, environment: here, remarks: [{ ...before?.remarks?.[0], environment: here }] },
    ]);
    expect(firstSeen(conversation)?.environment).toBe(here);
    // And once more: the file is one note still.
    readdress(conversation, THERE);
    expect(pendingPrompts(conversation)[0]?.environment).toBe(here === '' ? '' : THERE);
  });

  it('is left alone while a worker has it', async () => {
    await append('a', THERE);
    const before = readFileSync(conversation.recordPath(1), 'utf8');
    const lock = tryLock(conversation.lockFile);
    expect(readdress(conversation, HERE)).toBe('busy');
    lock?.release();
    expect(readFileSync(conversation.recordPath(1), 'utf8')).toBe(before);
    expect(readdress(conversation, HERE)).toBe('readdressed');
  });
});
