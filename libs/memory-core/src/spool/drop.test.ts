/** What a person drops keeps nothing waiting any more. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createTemporaryHome, leaveWaiting, type TemporaryHome } from '../../testing/index.ts';
import { homePaths } from '../fs/home-paths.ts';
import { backOffOf, noteBackOff } from './back-off.ts';
import { Conversation } from './conversation.ts';
import { dropConversation, dropRecord } from './drop.ts';

let home: TemporaryHome;
let conversation: Conversation;
beforeEach(() => {
  home = createTemporaryHome();
  const [session = ''] = leaveWaiting(home, { conversations: 1, harness: 'one', sessionPrefix: 'aa-', recordsEach: 3 });
  conversation = new Conversation(homePaths(home.path).spool, session);
  const failure = { class: 'ambiguous', status: 500, code: 'INTERNAL', message: '', foreign: false } as const;
  noteBackOff(conversation, failure, { isProgress: false, now: Date.now() });
});
afterEach(() => home.remove());

it.each([
  ['the first record', 1, [2, 3]],
  // Emptied, for its number must not be given away again.
  ['the newest record', 3, [1, 2, 3]],
])('%s: the others need not wait until the pause after the failure at it is over', (_which, seq, left) => {
  expect(dropRecord(conversation, seq)).toBe('dropped');
  expect(conversation.sequence()).toEqual(left);
  expect(backOffOf(conversation)).toBeUndefined();
});

it('the conversation: it no longer counts as one at which the server fails', () => {
  expect(dropConversation(conversation)).toBe('dropped');
  expect(backOffOf(conversation)).toBeUndefined();
});

it('nothing: the pause stands', () => {
  expect(dropRecord(conversation, 9)).toBe('missing');
  expect(backOffOf(conversation)).toMatchObject({ failures: 1 });
});
