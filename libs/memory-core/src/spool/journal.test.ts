/** The journal under hooks that run at once: what one notes, no other takes away or brings back. */
import { spawn } from 'node:child_process';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import type { Conversation } from './conversation.ts';
import {
  dropPrompt,
  dropStrayAnswers,
  isHeard,
  noteAnswer,
  notePrompt,
  noteRemark,
  pendingPrompts,
  promptPath,
  promptSeen,
  SAME_WORDS_MS,
  turnKey,
  type PendingPrompt,
} from './journal.ts';

let temporary: TemporaryConversation;
let spool: string;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ spool, conversation } = temporary);
});
afterEach(() => temporary.remove());

const prompt = (turnId: string, at = '2026-01-01T00:00:00.000Z'): PendingPrompt => ({
  turnId,
  harness: 'one',
  nativeId: 'one',
  text: `question ${turnId}`,
  typed: 'x',
  at,
  cwd: '/',
});
const answer = (turnId: string, text: string): void => noteAnswer(conversation, turnId, text, text);
const answers = (turnId: string): string[] =>
  pendingPrompts(conversation)
    .filter((one) => one.turnId === turnId)
    .flatMap((one) => one.answers ?? [])
    .map(({ text }) => text);

/** Processes that run this at the same time, with `name` being another in each. */
async function atOnce(count: number, body: string): Promise<void> {
  const outfile = join(spool, '.program.cjs');
  await build({
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    stdin: {
      contents: `import { Conversation } from './conversation.ts';
        import { dropPrompt, noteAnswer, notePrompt, noteRemark, pendingPrompts } from './journal.ts';
        const conversation = new Conversation(${JSON.stringify(spool)}, 'aa-one');
        const name = process.argv[2];
        while (Date.now() < Number(process.argv[3]));
        ${body}`,
      resolveDir: import.meta.dirname,
    },
  });
  const start = String(Date.now() + 300);
  const codes = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const child = spawn(process.execPath, [outfile, String(index), start], { stdio: 'ignore' });
      return new Promise((done) => child.once('exit', done));
    }),
  );
  expect(codes).toEqual(codes.map(() => 0));
}

describe('answers', () => {
  it('come with their prompt, in order, and the same one in a row once', () => {
    for (const turnId of ['t1', 't2']) notePrompt(conversation, prompt(turnId));
    for (const text of ['one', 'one', 'two', 'one']) answer('t1', text);
    for (let number = 0; number < 12; number += 1) answer('t2', `${number}`);
    answer('t3', 'of an unknown turn');
    expect(answers('t1')).toEqual(['one', 'two', 'one']);
    expect(answers('t2')).toEqual(Array.from({ length: 12 }, (_, number) => `${number}`));
    for (const read of pendingPrompts(conversation)) dropPrompt(conversation, read);
    expect(readdirSync(conversation.pending)).toEqual([]);
  });

  it('are all kept when many hooks note one at once', async () => {
    notePrompt(conversation, prompt('t1'));
    await atOnce(
      4,
      "for (let number = 0; number < 20; number += 1) noteAnswer(conversation, 't1', `${name} ${number}`, `${name} ${number}`);",
    );
    const kept = answers('t1');
    expect(kept).toHaveLength(80);
    // Of each process in its order.
    for (const name of ['0', '1', '2', '3']) {
      const own = kept.filter((text) => text.startsWith(`${name} `));
      expect(own).toEqual(Array.from({ length: 20 }, (_, number) => `${name} ${number}`));
    }
  });

  it('never bring a prompt back that is dropped meanwhile', async () => {
    await atOnce(
      2,
      `for (let number = 0; number < 150; number += 1) {
        const turnId = 't' + number;
        if (name === '0') {
          notePrompt(conversation, { ...${JSON.stringify(prompt('t'))}, turnId });
          dropPrompt(conversation, { ...${JSON.stringify(prompt('t'))}, turnId });
        } else for (let part = 0; part < 3; part += 1) noteAnswer(conversation, turnId, 'a' + part, 'a' + part);
      }`,
    );
    expect(readdirSync(conversation.pending)).toEqual([]);
  });

  it('whose prompt is gone are cleared away, those of the others stay', () => {
    notePrompt(conversation, prompt('t1'));
    answer('t1', 'kept');
    writeFileSync(join(conversation.pending, `${turnKey('t2')}-000.json`), '{}');
    dropStrayAnswers(conversation);
    expect(readdirSync(conversation.pending).sort()).toEqual([`${turnKey('t1')}-000.json`, `${turnKey('t1')}.json`]);
    expect(answers('t1')).toEqual(['kept']);
  });
});

describe('what the user adds to a turn', () => {
  const remark = (text: string, at: string): PendingPrompt => ({
    ...prompt('t1', at),
    text,
    typed: text.replace(' ', ''),
  });
  /** As if the hooks that noted something so far had ended so long ago. */
  const pass = (ms: number): void => {
    for (const name of readdirSync(conversation.pending)) {
      const path = join(conversation.pending, name);
      const then = statSync(path).mtimeMs - ms;
      utimesSync(path, then / 1000, then / 1000);
    }
  };
  const heard = (): string[] => {
    const [turn] = pendingPrompts(conversation);
    return [turn, ...(turn?.remarks ?? [])].map((note) => note?.text ?? '');
  };

  it('is kept as often as it is said, and once where two hooks are told of it', () => {
    const first = remark('go on', '2026-01-01T00:00:00.000Z');
    notePrompt(conversation, first);
    // The event of the prompt itself.
    expect(noteRemark(conversation, first)).toBeUndefined();
    for (const seconds of [10, 20, 30]) {
      pass(10_000);
      const again = remark('go on', `2026-01-01T00:00:${seconds}.000Z`);
      expect(noteRemark(conversation, again)).toBeDefined();
      expect(noteRemark(conversation, again)).toBeUndefined();
      // Other words need no time between.
      if (seconds === 20) noteRemark(conversation, remark('slowly', '2026-01-01T00:00:20.500Z'));
    }
    expect(heard()).toEqual(['go on', 'go on', 'go on', 'slowly', 'go on']);
  });

  it('is told from the same event by the end of the hook that was told first, however long that took', () => {
    notePrompt(conversation, remark('go on', '2026-01-01T00:00:00.000Z'));
    pass(8_000);
    promptSeen(promptPath(conversation, 't1'));
    pass(SAME_WORDS_MS / 2);
    expect(noteRemark(conversation, remark('go on', '2026-01-01T00:00:08.100Z'))).toBeUndefined();
    pass(SAME_WORDS_MS);
    expect(noteRemark(conversation, remark('go on', '2026-01-01T00:00:11.000Z'))).toBeDefined();
  });

  it('is noted once by hooks that run at once, after the same words were said before', async () => {
    notePrompt(conversation, remark('go on', '2026-01-01T00:00:00.000Z'));
    pass(10_000);
    const again = JSON.stringify(remark('go on', '2026-01-01T00:00:10.000Z'));
    await atOnce(6, `noteRemark(conversation, ${again});`);
    expect(heard()).toEqual(['go on', 'go on']);
  });

  it('stays where it came after what is dropped, also where it is the same', () => {
    notePrompt(conversation, remark('go on', '2026-01-01T00:00:00.000Z'));
    pass(10_000);
    noteRemark(conversation, remark('go on', '2026-01-01T00:00:10.000Z'));
    const [read] = pendingPrompts(conversation);
    pass(10_000);
    noteRemark(conversation, remark('go on', '2026-01-01T00:00:20.000Z'));
    dropPrompt(conversation, read as PendingPrompt);
    expect(pendingPrompts(conversation).map(({ at }) => at)).toEqual(['2026-01-01T00:00:20.000Z']);
    // The place of the prompt is free again, and the remark that is left is none of it.
    expect(notePrompt(conversation, remark('go on', '2026-01-01T00:00:30.000Z'))).toBe(true);
    dropPrompt(conversation, pendingPrompts(conversation)[0] as PendingPrompt);
    expect(readdirSync(conversation.pending)).toEqual([]);
  });

  it('is known after its capture by its words and its time; an older cursor has only the words', () => {
    const note = { typed: 'aa', at: '2026-01-01T00:00:10.000Z' };
    expect(isHeard(note, ['bb 2026-01-01T00:00:10.000Z'])).toBe(false);
    expect(isHeard(note, ['aa 2026-01-01T00:00:10.000Z'])).toBe(true);
    expect(isHeard(note, ['aa 2026-01-01T00:00:07.000Z'])).toBe(false);
    expect(isHeard(note, ['aa 2026-01-01T00:00:09.000Z'])).toBe(true);
    expect(isHeard(note, ['aa'])).toBe(true);
  });
});
