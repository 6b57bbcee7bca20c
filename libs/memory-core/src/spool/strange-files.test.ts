/** Things in place of our files: pipes, sockets, folders and links. Nothing waits for them, nothing follows them. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { capturedTurn, messageOf } from '../../testing/captured-turn.ts';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import { Conversation } from './conversation.ts';
import { allSessions, markedSessions } from './conversation-folder.ts';
import { deadLetterNames, readDeadLetter } from './dead-letters.ts';
import { dropAppend, readAppend } from './delivery-state.ts';
import { notePrompt, pendingPrompts, replacePrompt, turnKey } from './journal.ts';
import { parseRecord } from './record.ts';

let temporary: TemporaryConversation;
let folder: string;
let conversation: Conversation;
let foreign: string;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ folder, conversation } = temporary);
  foreign = join(folder, 'foreign');
  mkdirSync(foreign, { mode: 0o755 });
});
afterEach(() => temporary.remove());

const capture = async (name: string) =>
  conversation.append((cursor) => capturedTurn(cursor, name, [messageOf('user', name)]));
const PROMPT = {
  turnId: 't1',
  harness: 'one',
  nativeId: 'one',
  text: 'What now?',
  typed: 'x',
  at: '2026-01-01T00:00:00.000Z',
  cwd: '/',
};

/** Puts something in the place of a file of ours, and returns how to take it away. */
const STRANGE: readonly (readonly [string, (path: string) => void | Promise<() => void>])[] = [
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  [
    'a socket',
    async (path) => {
      const server = createServer().listen(path);
      await once(server, 'listening');
      return () => server.close();
    },
  ],
  ['a folder', (path) => void mkdirSync(path)],
  [
    'a link to a file of somebody else',
    (path) => {
      const theirs = join(dirname(dirname(dirname(path))), 'theirs.json');
      writeFileSync(theirs, FOREIGN_TEXT);
      symlinkSync(theirs, path);
    },
  ],
  ['a link to nowhere', (path) => symlinkSync(join(path, 'nowhere'), path)],
];
const FOREIGN_TEXT = JSON.stringify({
  seq: 77,
  cursor: { turns: ['000000000000u'] },
  firstSeq: 1,
  lastSeq: 5,
  ...PROMPT,
});

(process.platform === 'win32' ? describe.skip : describe)('in place of a file', () => {
  it.each(STRANGE)('%s is no cursor', async (_what, place) => {
    const undo = await place(join(conversation.folder, 'cursor.json'));
    expect(conversation.deliveredCursor().seq).toBe(0);
    expect((await capture('t1'))?.seq).toBe(1);
    undo?.();
  });

  it.each(STRANGE)('%s is no append under way, and is taken away', async (_what, place) => {
    const path = join(conversation.folder, 'append.json');
    const undo = await place(path);
    expect(readAppend(path)).toBeUndefined();
    dropAppend(path);
    undo?.();
  });

  it.each(STRANGE)('%s is no record, and the next one gets another number', async (_what, place) => {
    const undo = await place(conversation.recordPath(1));
    expect(conversation.read(1)).toBeUndefined();
    expect((await capture('t1'))?.seq).toBe(2);
    expect(conversation.read(2)?.messages).toHaveLength(1);
    undo?.();
  });

  it.each(STRANGE)('%s is no prompt', async (_what, place) => {
    const path = join(conversation.pending, `${turnKey('t1')}.json`);
    const undo = await place(path);
    expect(pendingPrompts(conversation)).toEqual([]);
    expect(notePrompt(conversation, PROMPT)).toBe(false);
    if (lstatSync(path).isDirectory()) expect(() => replacePrompt(conversation, PROMPT)).toThrow();
    else {
      replacePrompt(conversation, PROMPT);
      expect(lstatSync(path).isFile()).toBe(true);
      expect(pendingPrompts(conversation)).toHaveLength(1);
    }
    undo?.();
  });

  it.each(STRANGE)('%s is no dead letter', async (_what, place) => {
    mkdirSync(conversation.dead);
    const undo = await place(join(conversation.dead, '000000000001-0.json'));
    expect(deadLetterNames(conversation)).toEqual(['000000000001-0']);
    expect(readDeadLetter(conversation, '000000000001-0')).toBeUndefined();
    undo?.();
  });

  it('a link’s target is never written to', () => {
    const theirs = join(foreign, 'file');
    writeFileSync(theirs, 'theirs');
    for (const path of [join(conversation.folder, 'cursor.json'), join(conversation.pending, `${turnKey('t1')}.json`)])
      symlinkSync(theirs, path);
    conversation.writeDeliveredCursor(3, { turns: [] });
    replacePrompt(conversation, PROMPT);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
    expect(conversation.deliveredCursor().seq).toBe(3);
  });
});

(process.platform === 'win32' ? describe.skip : describe)('in place of a folder', () => {
  it.each(['records', 'pending'])(
    'a link named %s is not followed: nothing is read, written or closed there',
    async (name) => {
      writeFileSync(
        join(foreign, '000000000009.json'),
        JSON.stringify({ version: 1, seq: 9, session: 'x', messages: [], cursor: { turns: [] } }),
      );
      expect(parseRecord(readFileSync(join(foreign, '000000000009.json'), 'utf8'))).toBeDefined();
      rmSync(join(conversation.folder, name), { recursive: true });
      symlinkSync(foreign, join(conversation.folder, name));
      expect(conversation.sequence()).toEqual([]);
      expect(pendingPrompts(conversation)).toEqual([]);
      conversation.prepare();
      expect((await capture('t1'))?.seq).toBe(1);
      expect(notePrompt(conversation, PROMPT)).toBe(true);
      expect(readdirSync(foreign)).toEqual(['000000000009.json']);
      expect(statSync(foreign).mode & 0o777).toBe(0o755);
    },
  );

  it('a conversation that is a link is none', async () => {
    await capture('t1');
    expect(markedSessions(conversation.spool)).toEqual(['aa-one']);
    rmSync(conversation.folder, { recursive: true });
    mkdirSync(join(foreign, 'records'));
    symlinkSync(foreign, conversation.folder);
    expect(markedSessions(conversation.spool)).toEqual([]);
    expect(allSessions(conversation.spool)).toEqual([]);
    conversation.prepare();
    expect((await capture('t2'))?.seq).toBe(1);
    expect(existsSync(join(foreign, 'records', '000000000001.json'))).toBe(false);
  });

  it('a spool that the user has put elsewhere is followed', async () => {
    await capture('t1');
    const link = join(folder, 'link');
    symlinkSync(conversation.spool, link);
    expect(allSessions(link)).toEqual(['aa-one']);
    expect(new Conversation(link, 'aa-one').sequence()).toEqual([1]);
  });
});
