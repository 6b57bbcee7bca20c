/** The list of what lies in a spool: an uninstallation takes what is in it and nothing else. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import { tryLock } from '../fs/lock.ts';
import { SILENT } from '../log/log.ts';
import { noteBackOff } from './back-off.ts';
import { Conversation } from './conversation.ts';
import { CONVERSATION_PARTS, markedSessions, someMarked, SPOOL_NOTES } from './conversation-folder.ts';
import { buryMessage } from './dead-letters.ts';
import { writeAppend } from './delivery-state.ts';
import { expireOld } from './expire.ts';
import { noteFirstSeen } from './first-seen.ts';
import { notePassedOver } from './passed-over.ts';
import { EMPTY_CURSOR } from './record.ts';
import { isSpoolFull } from './measure-spool.ts';

let temporary: TemporaryConversation;
let spool: string;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ spool, conversation } = temporary);
});
afterEach(() => temporary.remove());

describe('the layout of the spool', () => {
  it('lists every file and folder that is made there, and none besides', async () => {
    const message = { role: 'user' as const, parts: [], turn_id: 't', created_at: '' };
    for (let count = 0; count < 201; count += 1) {
      await conversation.append((cursor) => ({
        harness: 'one',
        nativeId: 'one',
        createdAt: '2020-01-01T00:00:00.000Z',
        messages: [message],
        cursor,
      }));
    }
    const from = { path: '/record', identity: '', head: '', offset: 0 };
    noteFirstSeen(conversation, () => ({ harness: 'one', nativeId: 'one', cwd: '/', from }));
    notePassedOver(conversation, { off: true, until: from });
    buryMessage(conversation, 1, 0, message, { status: 400, code: 'NO', message: 'no' });
    conversation.writeDeliveredCursor(0, EMPTY_CURSOR);
    const append = { firstSeq: 1, lastSeq: 1, settled: 0, count: 0, baseline: null, mayArriveUntil: 0, stored: false };
    writeAppend(join(conversation.folder, 'append.json'), { baseUrl: 'http://127.0.0.1:1', ...append });
    tryLock(conversation.lockFile);
    // Left by a process that was killed while it took a dead one's lock away.
    tryLock(`${conversation.lockFile}.break`);
    expireOld({ spool, maxAgeDays: 1, log: SILENT, now: Date.parse('2026-01-01T00:00:00.000Z') });
    isSpoolFull(spool, 1_000_000);
    const failure = { class: 'ambiguous', status: 500, code: 'INTERNAL', message: '', foreign: false } as const;
    noteBackOff(conversation, failure, { isProgress: false, now: Date.now() });

    expect(readdirSync(conversation.folder).sort()).toEqual([...CONVERSATION_PARTS].sort());
    expect(readdirSync(spool).sort()).toEqual([...SPOOL_NOTES, conversation.session].sort());
  });
});

describe('marked conversations', () => {
  it('are looked at one by one, up to the first that fits; a mark without a conversation is none', () => {
    expect(someMarked(spool, () => true)).toBe(false);
    for (const session of ['zc-two', 'zc-three', 'zc-gone']) {
      const marked = new Conversation(spool, session);
      marked.prepare();
      marked.mark();
    }
    rmSync(join(spool, 'zc-gone'), { recursive: true });
    expect(markedSessions(spool)).toEqual(['zc-three', 'zc-two']);
    const seen: string[] = [];
    expect(someMarked(spool, (session) => seen.push(session) > 0)).toBe(true);
    expect(seen).toHaveLength(1);
    expect(someMarked(spool, (session) => (seen.push(session), false))).toBe(false);
    expect(seen.slice(1).sort()).toEqual(['zc-three', 'zc-two']);
    expect(someMarked(spool, (session) => (seen.push(session), false), 1)).toBe(false);
    expect(seen).toHaveLength(4);
  });
});
