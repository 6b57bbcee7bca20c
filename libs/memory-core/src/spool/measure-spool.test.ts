import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { capturedTurn, messageOf } from '../../testing/captured-turn.ts';
import { Conversation } from './conversation.ts';
import { dropConversation } from './drop.ts';
import { isSpoolFull, keepMeasured } from './measure-spool.ts';
import { mayBeFull } from './spool-size.ts';

let spool: string;
beforeEach(() => {
  spool = mkdtempSync(join(tmpdir(), 'ov-size-'));
});
afterEach(() => rmSync(spool, { recursive: true, force: true }));

const note = (): string => join(spool, '.size.json');

/** Records of 100 bytes that nobody has noted. */
function fill(session: string, records: number): Conversation {
  const conversation = new Conversation(spool, session);
  conversation.prepare();
  for (let seq = 1; seq <= records; seq += 1) writeFileSync(conversation.recordPath(seq), 'x'.repeat(100));
  conversation.mark();
  return conversation;
}

async function capture(conversation: Conversation, text: string): Promise<void> {
  await conversation.append((cursor) => capturedTurn(cursor, 't', [messageOf('user', 't', text)]));
}

const sizeOf = ({ records }: Conversation): number =>
  readdirSync(records).reduce((sum, name) => sum + statSync(join(records, name)).size, 0);

describe('isSpoolFull', () => {
  it('counts what waits in all conversations', () => {
    expect(isSpoolFull(spool, 1)).toBe(false);
    // As an older program would, which notes nothing.
    rmSync(note());
    fill('zc-a', 3);
    fill('cx-b', 3);
    expect(isSpoolFull(spool, 600)).toBe(true);
    expect(isSpoolFull(spool, 601)).toBe(false);
    expect(isSpoolFull(spool, 0)).toBe(false);
  });

  it('is exact with every record that is captured, in whatever script, and measures only near the limit', async () => {
    const conversations = ['zc-a', 'cx-b'].map((session) => new Conversation(spool, session));
    conversations.forEach((conversation) => conversation.prepare());
    const limit = 100_000;
    isSpoolFull(spool, limit);
    let measured = 0;
    let isFull = false;
    for (let turn = 0; !isFull; turn += 1) {
      const conversation = conversations[turn % 2] as Conversation;
      await capture(conversation, (turn % 3 === 0 ? '记' : 'x').repeat(500 + ((turn * 37) % 900)));
      const before = readFileSync(note(), 'utf8').slice(0, 80);
      isFull = isSpoolFull(spool, limit, Date.now() + turn);
      if (readFileSync(note(), 'utf8').slice(0, 80) !== before) measured += 1;
      expect(isFull).toBe(conversations.reduce((sum, one) => sum + sizeOf(one), 0) >= limit);
      if (turn > 500) throw new Error('never full');
    }
    expect(measured).toBeGreaterThan(0);
    expect(measured).toBeLessThan(12);
  });

  it('believes for a while that a large spool is full, and measures again when the clock was set back', () => {
    const conversation = fill('zc-a', 300);
    const now = Date.now();
    expect(isSpoolFull(spool, 30_000, now)).toBe(true);
    rmSync(conversation.recordPath(1));
    expect(isSpoolFull(spool, 30_000, now + 1_000)).toBe(true);
    expect(isSpoolFull(spool, 30_000, now - 1_000)).toBe(false);
    expect(isSpoolFull(spool, 30_000, now + 60_000)).toBe(false);
  });

  it('sees at once what a worker has delivered or a person has dropped', () => {
    const conversation = fill('zc-a', 300);
    fill('cx-b', 300);
    const now = Date.now();
    expect(isSpoolFull(spool, 60_000, now)).toBe(true);
    rmSync(conversation.recordPath(1));
    keepMeasured(spool, true, now);
    expect(isSpoolFull(spool, 60_000, now)).toBe(false);
    expect(isSpoolFull(spool, 59_000, now)).toBe(true);
    expect(dropConversation(conversation)).toBe('dropped');
    expect(isSpoolFull(spool, 59_000, now)).toBe(false);
  });

  it.each<[string, () => void]>([
    ['is lost', () => rmSync(note())],
    ['is empty', () => writeFileSync(note(), '')],
    ['is one of an older program', () => writeFileSync(note(), JSON.stringify({ bytes: 1, at: Date.now() }))],
    ['is a folder', () => (rmSync(note()), mkdirSync(note()))],
    ['leads elsewhere', () => (rmSync(note()), symlinkSync(join(spool, 'elsewhere'), note()))],
    ['is large and says nothing', () => writeFileSync(note(), 'x'.repeat(10_000))],
    ['is too long to be read', () => truncateSync(note(), 2 ** 40)],
  ])('measures where the note %s', (_what, spoil) => {
    isSpoolFull(spool, 1_000);
    fill('zc-a', 3);
    spoil();
    expect(isSpoolFull(spool, 300)).toBe(true);
    expect(isSpoolFull(spool, 301)).toBe(false);
  });

  it('a note that somebody else has written is taken for one for as long as no worker comes by', () => {
    fill('zc-a', 30);
    writeFileSync(note(), 'x'.repeat(80));
    expect(mayBeFull(spool, 3_000)).toBe(false);
    keepMeasured(spool, false);
    expect(isSpoolFull(spool, 3_000)).toBe(true);
  });
});

describe('a worker', () => {
  it('measures again after ten minutes, for what nobody has noted', () => {
    const now = Date.now();
    keepMeasured(spool, false, now);
    fill('zc-a', 30);
    keepMeasured(spool, false, now + 60_000);
    expect(mayBeFull(spool, 3_000)).toBe(false);
    keepMeasured(spool, false, now + 11 * 60_000);
    expect(mayBeFull(spool, 3_000)).toBe(true);
  });
});
