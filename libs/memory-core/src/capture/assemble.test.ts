import { describe, expect, it } from '@jest/globals';
import type { TranscriptTurn } from '../contract/transcript.ts';
import type { PendingPrompt } from '../spool/journal.ts';
import { assembleTurns, assistantParts } from './assemble.ts';

const prompt = (turnId: string, second: number): PendingPrompt => ({
  turnId,
  harness: 'zcode',
  nativeId: 'one',
  text: `prompt ${turnId}`,
  typed: turnId,
  at: new Date(second * 1000).toISOString(),
  cwd: '/',
});
const recorded = (turnId: string, second: number, closed: boolean, ...texts: string[]): TranscriptTurn => ({
  turnId,
  userText: `prompt ${turnId}`,
  assistant: texts.map((text) => ({ type: 'text', text })),
  startedAt: new Date(second * 1000).toISOString(),
  closed,
  offset: 0,
});

describe('assembleTurns', () => {
  it('lays journal and transcript over each other in the order of the conversation', () => {
    const turns = assembleTurns({
      prompts: [prompt('b', 20), prompt('d', 40)],
      turns: [recorded('a', 10, true), recorded('c', 30, true)],
      ended: { turnId: 'd', answer: 'done' },
    });
    expect(turns.map((turn) => [turn.turnId, turn.closed])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', true],
    ]);
    expect(turns[3]?.answer).toBe('done');
  });

  it('leaves the running turn open', () => {
    const turns = assembleTurns({
      prompts: [prompt('a', 10), prompt('b', 20)],
      turns: [recorded('b', 21, false, 'step')],
    });
    expect(turns.map((turn) => turn.closed)).toEqual([true, false]);
  });

  it('gives up a prompt that nothing was heard of for too long', () => {
    const turns = assembleTurns({
      prompts: [prompt('a', 10)],
      turns: [],
      abandonedBefore: new Date(11_000).toISOString(),
    });
    expect(turns[0]?.closed).toBe(true);
  });

  it('leaves a newer prompt open where a captured turn goes on', () => {
    const goesOn = { turnId: 'x', answer: 'more', goesOn: true };
    const turns = assembleTurns({ prompts: [prompt('a', 10)], turns: [], ended: goesOn });
    expect(turns.map(({ turnId, closed }) => [turnId, closed])).toEqual([
      ['x', true],
      ['a', false],
    ]);
  });

  it('keeps an end whose prompt nobody saw', () => {
    const [turn] = assembleTurns({ prompts: [], turns: [], ended: { turnId: 'x', answer: 'hello' } });
    expect(turn).toMatchObject({ turnId: 'x', closed: true, answer: 'hello' });
  });
});

describe('assistantParts', () => {
  const parts = (turn: Parameters<typeof assistantParts>[0]): unknown =>
    assistantParts(turn).parts.map((part) => part.type === 'text' && part.text);

  it('takes the record when it is whole, the preview of its last text adding nothing', () => {
    const turn = {
      turnId: 'a',
      closed: true,
      transcript: recorded('a', 1, true, 'first', 'last and long'),
      answer: 'last and',
    };
    expect(parts(turn)).toEqual(['first', 'last and long']);
    expect(assistantParts(turn).whole).toBe(true);
  });

  it('puts the answer behind the steps of a record without an end', () => {
    const turn = { turnId: 'a', closed: true, transcript: recorded('a', 1, false, 'first'), answer: 'last' };
    expect(parts(turn)).toEqual(['first', 'last']);
    expect(assistantParts(turn).whole).toBe(false);
  });

  it('does not lose the answer of a record that only the next turn has closed', () => {
    const turn = { turnId: 'a', closed: true, transcript: recorded('a', 1, true, 'a step'), answer: 'the end' };
    expect(parts(turn)).toEqual(['a step', 'the end']);
  });

  it('uses the answer where the record closes without one', () => {
    expect(parts({ turnId: 'a', closed: true, transcript: recorded('a', 1, true), answer: 'said' })).toEqual(['said']);
  });
});
