/** Turns that another program had captured before we came: never again, and what lies before ours stays history. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { someHarness } from '../../testing/some-harness.ts';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import type { SettingName, Settings } from '../contract/settings.ts';
import type { TranscriptTurn } from '../contract/transcript.ts';
import { declarationOf, SETTING_NAMES } from '../settings/schema.ts';
import type { Conversation } from '../spool/conversation.ts';
import { turnKey } from '../spool/journal.ts';
import { captureTurns } from './capture-turns.ts';

let temporary: TemporaryConversation;
let folder: string;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ folder, conversation } = temporary);
});
afterEach(() => temporary.remove());

/** A record of three whole turns with ids. */
const TURNS = ['t1', 't2', 't3'];
const harness = someHarness({
  facts: { commitAt: 'turn-end' },
  transcript: {
    locate: () => [join(folder, 'record.jsonl')],
    parse: (lines: Iterable<{ offset: number; text: string }>): TranscriptTurn[] =>
      [...lines].map(({ offset, text }) => ({
        turnId: text,
        userText: `a question of ${text}`,
        assistant: [{ type: 'text', text: `an answer of ${text}` }],
        closed: true,
        offset,
      })),
  },
});
const settings = Object.fromEntries(
  SETTING_NAMES.map((name: SettingName) => [name, declarationOf(name).default]),
) as unknown as Settings;

async function capturedAtEndOf(turnId: string): Promise<readonly string[]> {
  writeFileSync(join(folder, 'record.jsonl'), TURNS.map((turn) => `${turn}\n`).join(''));
  const records = await captureTurns({
    harness,
    conversation,
    source: { nativeId: 'one' },
    settings,
    rules: { redact: true },
    home: folder,
    cwd: folder,
    env: {},
    origin: () => ({}),
    now: Date.parse('2026-01-01T00:00:00Z'),
    ended: { turnId },
  });
  return records.flatMap(({ messages }) => messages.map(({ turn_id: id, role }) => `${id} ${role}`));
}

describe('a turn of which another program has told us', () => {
  it('is not captured when its end is told again', async () => {
    conversation.writeDeliveredCursor(0, { turns: [], foreign: [turnKey('t2'), turnKey('t3')] });
    expect(await capturedAtEndOf('t3')).toEqual([]);
  });

  it('does not make what lies before it ours: the list is never complete', async () => {
    conversation.writeDeliveredCursor(0, { turns: [], foreign: [turnKey('t2')] });
    expect(await capturedAtEndOf('t3')).toEqual(['t3 user', 't3 assistant']);
    expect(conversation.captureState().cursor.foreign).toEqual([turnKey('t2')]);
  });

  it('is one among those that would be captured without that knowledge', async () => {
    expect(await capturedAtEndOf('t2')).toEqual(['t2 user', 't2 assistant', 't3 user', 't3 assistant']);
  });
});
