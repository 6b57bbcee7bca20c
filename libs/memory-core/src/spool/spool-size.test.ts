import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Conversation } from './conversation.ts';
import { isSpoolFull } from './spool-size.ts';

let spool: string;
beforeEach(() => {
  spool = mkdtempSync(join(tmpdir(), 'ov-size-'));
});
afterEach(() => rmSync(spool, { recursive: true, force: true }));

function fill(session: string, records: number): void {
  const conversation = new Conversation(spool, session);
  conversation.prepare();
  for (let seq = 1; seq <= records; seq += 1) writeFileSync(conversation.recordPath(seq), 'x'.repeat(100));
  conversation.mark();
}

describe('isSpoolFull', () => {
  it('counts what waits in all conversations', () => {
    expect(isSpoolFull(spool, 1)).toBe(false);
    fill('zc-a', 3);
    fill('cx-b', 3);
    expect(isSpoolFull(spool, 600)).toBe(true);
    expect(isSpoolFull(spool, 601)).toBe(false);
    expect(isSpoolFull(spool, 0)).toBe(false);
  });

  it('measures a large spool once in a while only, and again when the clock was set back', () => {
    fill('zc-a', 300);
    const now = Date.now();
    expect(isSpoolFull(spool, 30_000, now)).toBe(true);
    rmSync(new Conversation(spool, 'zc-a').recordPath(1));
    expect(isSpoolFull(spool, 30_000, now + 1_000)).toBe(true);
    expect(isSpoolFull(spool, 30_000, now - 1_000)).toBe(false);
    expect(isSpoolFull(spool, 30_000, now + 60_000)).toBe(false);
  });
});
