import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import type { Conversation } from './conversation.ts';
import { allSessions, markedSessions } from './conversation-folder.ts';
import { dropPrompt, notePrompt, pendingPrompts, turnKey } from './journal.ts';
import {
  capturedSides,
  EMPTY_CURSOR,
  REMEMBERED_TURNS,
  withCaptured,
  type CaptureCursor,
  type SpoolRecord,
} from './record.ts';

let temporary: TemporaryConversation;
let spool: string;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ spool, conversation } = temporary);
});
afterEach(() => temporary.remove());

function draft(cursor: CaptureCursor, turn: string): Omit<SpoolRecord, 'version' | 'seq' | 'session'> {
  return {
    harness: 'one',
    nativeId: 'one',
    createdAt: '2026-01-01T00:00:00.000Z',
    messages: [],
    cursor: withCaptured(cursor, turnKey(turn), { user: true, assistant: true }),
  };
}

const append = (turn: string): Promise<SpoolRecord | undefined> =>
  conversation.append((cursor) => (capturedSides(cursor, turnKey(turn)).user ? undefined : draft(cursor, turn)));

/** What another hook leaves behind in the middle of ours. */
function appendTheirs(): SpoolRecord {
  const { cursor, nextSeq } = conversation.captureState();
  const record: SpoolRecord = { version: 1, seq: nextSeq, session: 'aa-one', ...draft(cursor, 'theirs') };
  writeFileSync(conversation.recordPath(nextSeq), JSON.stringify(record));
  return record;
}

describe('a conversation in the spool', () => {
  it('numbers its records and carries the cursor in the newest', async () => {
    expect((await append('a'))?.seq).toBe(1);
    expect((await append('b'))?.seq).toBe(2);
    expect(await append('a')).toBeUndefined();
    expect(conversation.sequence()).toEqual([1, 2]);
    expect(conversation.captureState().cursor.turns).toHaveLength(2);
    expect(markedSessions(spool)).toEqual(['aa-one']);
    expect(allSessions(spool)).toEqual(['aa-one']);
  });

  it('goes on from the delivered cursor when the records are gone', async () => {
    await append('a');
    const record = (await append('b')) as SpoolRecord;
    conversation.writeDeliveredCursor(2, record.cursor);
    for (const seq of conversation.sequence()) rmSync(conversation.recordPath(seq));
    expect(await append('b')).toBeUndefined();
    expect((await append('c'))?.seq).toBe(3);
  });

  it('captures again with the newer cursor when another hook was faster', async () => {
    let calls = 0;
    const record = await conversation.append((cursor) => {
      calls += 1;
      // The other hook comes in between reading the cursor and writing the record, once.
      if (calls === 1) appendTheirs();
      return draft(cursor, 'ours');
    });
    expect(calls).toBe(2);
    expect(record?.seq).toBe(2);
    expect(record?.cursor.turns).toHaveLength(2);
  });

  it('sees that another hook was faster although its record has been delivered and removed meanwhile', async () => {
    let calls = 0;
    const record = await conversation.append((cursor) => {
      calls += 1;
      if (calls === 1) {
        const theirs = appendTheirs();
        conversation.writeDeliveredCursor(theirs.seq, theirs.cursor);
        rmSync(conversation.recordPath(theirs.seq));
      }
      return draft(cursor, 'ours');
    });
    expect(calls).toBe(2);
    expect(record?.seq).toBe(2);
    expect(record?.cursor.turns).toHaveLength(2);
    expect(conversation.sequence()).toEqual([2]);
  });

  it('passes over a record that a damaged disk has made unreadable', async () => {
    await append('a');
    writeFileSync(conversation.recordPath(2), '\0\0\0');
    expect((await append('b'))?.seq).toBe(3);
    expect(await append('a')).toBeUndefined();
  });

  it('keeps files and folders private and leaves no temporary ones', async () => {
    await append('a');
    expect(statSync(conversation.recordPath(1)).mode & 0o777).toBe(0o600);
    for (const folder of [conversation.folder, conversation.records, conversation.pending]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(readdirSync(conversation.records)).toEqual(['000000000001.json']);
  });
});

describe('the cursor', () => {
  it('remembers the sides of the last thousand turns', () => {
    let cursor: CaptureCursor = EMPTY_CURSOR;
    for (let turn = 0; turn < REMEMBERED_TURNS + 5; turn += 1) {
      cursor = withCaptured(cursor, turnKey(String(turn)), { user: true, assistant: false });
    }
    expect(cursor.turns).toHaveLength(REMEMBERED_TURNS);
    expect(capturedSides(cursor, turnKey('0'))).toEqual({ user: false, assistant: false });
    cursor = withCaptured(cursor, turnKey('900'), { user: false, assistant: true });
    expect(capturedSides(cursor, turnKey('900'))).toEqual({ user: true, assistant: true });
    expect(cursor.turns).toHaveLength(REMEMBERED_TURNS);
  });
});

describe('the journal', () => {
  it('notes a turn once, in the order of the prompts, also when the clock was set back between them', () => {
    const prompt = {
      harness: 'one',
      nativeId: 'one',
      text: 'hello',
      typed: 'x',
      cwd: '/',
      at: '2026-01-01T00:00:01.000Z',
    };
    expect(notePrompt(conversation, { ...prompt, turnId: 'b' })).toBe(true);
    expect(notePrompt(conversation, { ...prompt, turnId: 'b' })).toBe(false);
    expect(notePrompt(conversation, { ...prompt, turnId: 'a', at: '2026-01-01T00:00:00.000Z' })).toBe(true);
    expect(pendingPrompts(conversation).map((pending) => pending.turnId)).toEqual(['b', 'a']);
    dropPrompt(conversation, { ...prompt, turnId: 'b' });
    expect(pendingPrompts(conversation).map((pending) => pending.turnId)).toEqual(['a']);
  });
});

describe('a record that cannot be flushed', () => {
  /** A folder where the newest record was: its flush fails for real, and at once. */
  const spoilNewest = (): void => {
    rmSync(conversation.recordPath(1));
    mkdirSync(conversation.recordPath(1));
  };
  const appendSpoiled = (meanwhile?: () => void): Promise<SpoolRecord | undefined> =>
    conversation.append((cursor) => {
      spoilNewest();
      return draft(cursor, 'b');
    }, meanwhile);

  it('says so, and what else went wrong leaves no failure that nobody hears', async () => {
    await append('a');
    rmSync(join(spool, '.queue'), { recursive: true });
    writeFileSync(join(spool, '.queue'), 'No folder: no mark can be set.');
    await expect(appendSpoiled()).rejects.toMatchObject({ code: 'EISDIR' });
    // A failure that nobody hears would end this very process by now.
    await new Promise(setImmediate);
  });

  it('is told even if what was to be done meanwhile fails, and that is told where the disk did its work', async () => {
    await append('a');
    const fail = (): void => {
      throw new Error('no process can be started');
    };
    await expect(appendSpoiled(fail)).rejects.toMatchObject({ code: 'EISDIR' });
    rmSync(conversation.recordPath(1), { recursive: true });
    await expect(conversation.append((cursor) => draft(cursor, 'c'), fail)).rejects.toThrow('no process');
    // The record itself is there, and nothing is lost.
    expect(conversation.sequence()).toEqual([2, 3]);
  });
});
