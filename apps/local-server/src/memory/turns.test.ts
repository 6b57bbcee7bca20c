import { describe, expect, it } from '@jest/globals';
import type { StoredMessage } from './stored-message.ts';
import { groupTurns } from './turns.ts';

function messages(...shape: string[]): StoredMessage[] {
  return shape.map((one, index) => ({
    id: index + 1,
    role: one.startsWith('u') ? 'user' : 'assistant',
    parts: [],
    turnId: one.slice(1) === '' ? undefined : one.slice(1),
    peerId: undefined,
    createdAt: 0,
  }));
}

const grouped = (...shape: string[]): [string, number[]][] =>
  groupTurns(messages(...shape)).map((turn) => [turn.key, turn.messages.map((message) => message.id)]);

describe('groupTurns', () => {
  it('goes by turn id, also when turns interleave', () => {
    expect(grouped('uA', 'uB', 'aA', 'aB', 'aA')).toEqual([
      ['turn:A', [1, 3, 5]],
      ['turn:B', [2, 4]],
    ]);
  });

  it('without ids takes a question, or several in a row, and the answers that follow', () => {
    expect(grouped('u', 'a', 'a', 'u', 'u', 'a')).toEqual([
      ['message:1', [1, 2, 3]],
      ['message:4', [4, 5, 6]],
    ]);
  });

  it('keeps an answer without a question, and does not glue across a turn with an id', () => {
    expect(grouped('a', 'u', 'uA', 'a')).toEqual([
      ['message:1', [1]],
      ['message:2', [2]],
      ['turn:A', [3]],
      ['message:4', [4]],
    ]);
  });
});
