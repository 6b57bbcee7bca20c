import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { someHarness } from '../../testing/some-harness.ts';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import type { SettingName, Settings } from '../contract/settings.ts';
import type { TranscriptReader, TranscriptTurn } from '../contract/transcript.ts';
import { declarationOf, SETTING_NAMES } from '../settings/schema.ts';
import { shortHash } from '../session/short-hash.ts';
import type { Conversation } from '../spool/conversation.ts';
import { noteFirstSeen, type FirstSeen } from '../spool/first-seen.ts';
import { noteAnswer, notePrompt, noteRemark, pendingPrompts, type PendingPrompt } from '../spool/journal.ts';
import { notePassedOver } from '../spool/passed-over.ts';
import type { SpoolRecord } from '../spool/record.ts';
import type { CaptureInput } from './capture-input.ts';
import { captureTurns } from './capture-turns.ts';
import { completeHeld } from './complete-held.ts';
import { hasUnseen } from './unseen.ts';
import { commitAll } from './commit-all.ts';
import { identifyByContent } from './content-identity.ts';
import { contentKey } from './content-key.ts';
import { openSource } from './transcript-source.ts';

let temporary: TemporaryConversation;
let folder: string;
let file: string;
let conversation: Conversation;
let clock: number;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ folder, conversation } = temporary);
  file = join(folder, 'record.jsonl');
  clock = Date.parse('2026-01-01T00:00:00Z');
});
afterEach(() => temporary.remove());

/** A record of lines `U text`, `A text`, `E` (the turn's end), without ids; with `T id text`, the host's own turn ids. */
function parse(lines: Iterable<{ offset: number; text: string }>): TranscriptTurn[] {
  const turns: (TranscriptTurn & { assistant: { type: 'text'; text: string }[]; closed: boolean })[] = [];
  for (const { offset, text } of lines) {
    const said = text.slice(2);
    const open = turns.at(-1);
    if (text.startsWith('U ') || text.startsWith('T ')) {
      if (open !== undefined) open.closed = true;
      const own = text.startsWith('T ');
      const turnId = own ? (said.split(' ')[0] ?? '') : `h-${shortHash(said, 8)}`;
      const userText = own ? said.slice(turnId.length + 1) : said;
      turns.push({ turnId, userText, assistant: [], closed: false, offset });
    } else if (text.startsWith('A ')) open?.assistant.push({ type: 'text', text: said });
    else if (text === 'E' && open !== undefined) open.closed = true;
  }
  return turns;
}

const BY_CONTENT = { identity: 'content', identify: identifyByContent } as const;

function harness(reader: Partial<TranscriptReader> = BY_CONTENT, commitAt: 'turn-end' | 'session-end' = 'session-end') {
  return someHarness({ facts: { commitAt }, transcript: { locate: () => [file], parse, ...reader } });
}

const defaults = Object.fromEntries(SETTING_NAMES.map((name: SettingName) => [name, declarationOf(name).default]));
const source = { nativeId: 'one' };

function input(more: Partial<CaptureInput> = {}): CaptureInput {
  return {
    harness: harness(),
    conversation,
    source,
    settings: defaults as unknown as Settings,
    rules: { redact: true },
    home: folder,
    cwd: folder,
    env: {},
    origin: () => ({}),
    now: (clock += 1_000),
    ...more,
  };
}

/** What the prompt hook does. */
function prompt(turnId: string, text: string): void {
  const transcript = openSource(harness(), source, { home: folder, env: {} });
  transcript?.close();
  notePrompt(conversation, {
    turnId,
    harness: 'one',
    nativeId: 'one',
    text,
    typed: shortHash(text, 16),
    content: contentKey(text, {}),
    at: new Date((clock += 1_000)).toISOString(),
    cwd: folder,
    ...(transcript === undefined ? {} : { transcript: transcript.end }),
  });
}

const write = (...lines: string[]): void => appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
const begin = (from: FirstSeen['from']): void =>
  noteFirstSeen(conversation, () => ({ harness: 'one', nativeId: 'one', cwd: folder, from }));
const endOf = (): FirstSeen['from'] => {
  const transcript = openSource(harness(), source, { home: folder, env: {} });
  transcript?.close();
  return transcript?.end ?? 'start';
};

/** Everything in the spool, one line per message. */
function spooled(): string[] {
  return conversation
    .sequence()
    .flatMap((seq) =>
      (conversation.read(seq)?.messages ?? []).map(
        ({ role, parts }) =>
          `${role}: ${parts.map((part) => (part.type === 'text' ? part.text : part.tool_name)).join(' | ')}`,
      ),
    );
}
const records = (): SpoolRecord[] => conversation.sequence().flatMap((seq) => conversation.read(seq) ?? []);

describe('a record without turn ids', () => {
  it('belongs to the noted prompts, however often the same is said', async () => {
    for (const number of [1, 2, 3]) {
      prompt(`g${number}`, 'continue with the migration');
      write('U continue with the migration', `A step ${number}`, 'E');
      await captureTurns(input({ ended: { turnId: `g${number}` } }));
    }
    expect(spooled()).toEqual(
      [1, 2, 3].flatMap((number) => ['user: continue with the migration', `assistant: step ${number}`]),
    );
    expect(records().map((record) => record.messages[0]?.turn_id)).toEqual(['g1', 'g2', 'g3']);
  });

  it('takes a turn that only shows after it was captured for the one that it is', async () => {
    prompt('g1', 'the first question');
    await captureTurns(input({ ended: { turnId: 'g1', answer: 'the first answer' } }));
    write('U the first question', 'A the first answer', 'E');
    prompt('g2', 'the second question');
    write('U the second question', 'A the second answer', 'E');
    await captureTurns(input({ ended: { turnId: 'g2' } }));
    await captureTurns(input({ over: true }));
    expect(spooled()).toEqual([
      'user: the first question',
      'assistant: the first answer',
      'user: the second question',
      'assistant: the second answer',
    ]);
  });

  it('adds the answer of a turn whose record came too late', async () => {
    prompt('g1', 'the first question');
    await captureTurns(input({ ended: { turnId: 'g1' } }));
    expect(spooled()).toEqual(['user: the first question']);
    write('U the first question', 'A the first answer', 'E');
    await captureTurns(input({ over: true }));
    expect(spooled()).toEqual(['user: the first question', 'assistant: the first answer']);
  });

  it('completes a held turn, and does not take it for a new one afterwards', async () => {
    prompt('g1', 'the first question');
    write('U the first question', 'A a step');
    const [held] = await captureTurns(input({ ended: { turnId: 'g1', answer: 'the end' } }));
    expect(held?.heldUntil).toBeDefined();
    write('A the end of it', 'E');
    const whole = completeHeld(input(), held as SpoolRecord);
    expect(whole?.messages.map((message) => message.parts)).toEqual([
      [{ type: 'text', text: 'the first question' }],
      [
        { type: 'text', text: 'a step' },
        { type: 'text', text: 'the end of it' },
      ],
    ]);
    expect(whole?.cursor.awaited).toEqual([]);
    // Also when the worker never looked.
    await captureTurns(input({ over: true }));
    expect(spooled()).toEqual(['user: the first question', 'assistant: a step | the end']);
  });

  it('is known again when the client has written it anew, shortened or not', async () => {
    for (const name of ['first', 'second', 'first']) {
      prompt(`${name}-${clock}`, `the ${name} question`);
      write(`U the ${name} question`, `A the ${name} answer`, 'E');
      await captureTurns(input({ ended: { turnId: pendingPrompts(conversation).at(-1)?.turnId ?? '' } }));
    }
    const before = spooled();
    for (const kept of [6, 0, 3]) {
      const lines = readFileSync(file, 'utf8').split('\n').slice(kept, -1);
      writeFileSync(file, '');
      write(...lines);
      await captureTurns(input({ over: true }));
      expect(spooled()).toEqual(before);
    }
    prompt('new', 'the first question');
    write('U the first question', 'A another answer', 'E');
    await captureTurns(input({ ended: { turnId: 'new' } }));
    expect(spooled()).toEqual([...before, 'user: the first question', 'assistant: another answer']);
  });

  it.each(['before', 'after'])('has the turn whose prompt was not noted once, if it shows %s the end', async (when) => {
    begin('start');
    if (when === 'before') write('U a question', 'A the answer', 'E');
    await captureTurns(input({ ended: { turnId: 'g1', answer: 'the answer' } }));
    if (when === 'after') write('U a question', 'A the answer', 'E');
    await captureTurns(input({ ended: { turnId: 'g1', answer: 'the answer' } }));
    await captureTurns(input({ over: true }));
    expect(spooled().filter((line) => line.startsWith('assistant'))).toEqual(['assistant: the answer']);
    expect(spooled()).toContain('user: a question');
  });

  it('is not given to a prompt that is captured and was not dropped any more', async () => {
    write('U a question from before', 'E');
    prompt('g1', 'continue with the migration');
    const [left] = pendingPrompts(conversation);
    write('U continue with the migration', 'A the first part', 'E');
    await captureTurns(input({ ended: { turnId: 'g1' } }));
    // The process was killed before it dropped the note.
    if (left !== undefined) notePrompt(conversation, left);
    prompt('g2', 'continue with the migration');
    write('U continue with the migration', 'A the second part', 'E');
    await captureTurns(input({ ended: { turnId: 'g2' } }));
    expect(spooled()).toEqual([
      'user: continue with the migration',
      'assistant: the first part',
      'user: continue with the migration',
      'assistant: the second part',
    ]);
    expect(pendingPrompts(conversation)).toEqual([]);
  });

  it('goes by the place where the client repeats a prompt in other words', async () => {
    begin(endOf());
    prompt('g1', '/review the billing module');
    write('U Review the billing module. Look at each file.', 'A no mistakes there', 'E');
    await captureTurns(input({ ended: { turnId: 'g1' } }));
    expect(spooled()).toEqual(['user: /review the billing module', 'assistant: no mistakes there']);
  });
});

/** A small generator of its own: the same seed plays the same conversation everywhere. */
function lots(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Of the first 1800 those in which a turn was once stored twice, or an answer under two prompts. */
const FOUND = [150, 429, 471, 621, 717, 756, 794, 864, 1122, 1680];

describe('whatever hooks miss and the client does to its record', () => {
  it.each([...Array.from({ length: 60 }, (_unused, seed) => seed + 1), ...FOUND])(
    'nothing is stored twice (seed %i)',
    async (seed) => {
      const lot = lots(seed);
      const texts = ['continue with the migration', 'run the tests again', 'explain the last step'];
      const noted = new Map<string, number>();
      const said = new Map<string, number>();
      const mode = (['interactive', 'print', 'hooks killed'] as const)[seed % 3];
      begin('start');
      let late: string[] = [];
      for (let number = 1; number <= 12; number += 1) {
        const text = texts[lot(texts.length)] ?? '';
        const answer = `answer number ${number} of ${seed}`;
        said.set(text, (said.get(text) ?? 0) + 1);
        // What a killed prompt hook has not noted, and a record that is late, cannot be told apart: one of the two.
        const isNoted = mode === 'interactive' || (mode === 'hooks killed' && lot(5) > 0);
        if (isNoted) {
          noted.set(text, (noted.get(text) ?? 0) + 1);
          prompt(`g${number}`, text);
        }
        write(...late);
        late = [];
        const lines = [`U ${text}`, `A ${answer}`, 'E'];
        if (mode !== 'hooks killed' && lot(4) === 0) late = lines;
        else write(...lines);
        const ended = { turnId: `g${number}`, ...(lot(2) === 0 ? { answer } : {}) };
        if (isNoted && lot(5) > 0) await captureTurns(input({ ended }));
        if (lot(4) === 0) await captureTurns(input());
        if (lot(5) === 0 && existsSync(file)) {
          const all = readFileSync(file, 'utf8').split('\n').slice(0, -1);
          if (lot(2) === 0) rmSync(file);
          writeFileSync(file, '');
          write(...all.slice(3 * lot(1 + all.length / 3)));
        }
        const last = records().at(-1);
        if (last !== undefined && lot(3) === 0) {
          // Delivered: the messages stay known to this test alone.
          conversation.writeDeliveredCursor(last.seq, last.cursor);
        }
      }
      write(...late);
      await captureTurns(input({ over: true }));
      await captureTurns(input({ over: true }));
      const lines = spooled();
      const answers = lines
        .filter((line) => line.startsWith('assistant: '))
        .flatMap((line) => line.slice(11).split(' | '));
      expect(answers).toHaveLength(new Set(answers).size);
      const numbers = answers.map((answer) => Number(answer.split(' ')[2]));
      for (const text of texts) {
        const count = lines.filter((line) => line === `user: ${text}`).length;
        expect(count).toBeGreaterThanOrEqual(noted.get(text) ?? 0);
        expect(count).toBeLessThanOrEqual(said.get(text) ?? 0);
      }
      expect(numbers.length).toBeGreaterThan(0);
      expect(pendingPrompts(conversation)).toEqual([]);
    },
  );
});

describe('turns that no hook saw', () => {
  it('are captured from where the conversation was first seen, each once', async () => {
    write('U from before the installation', 'A old answer', 'E');
    begin(endOf());
    expect(hasUnseen(harness(), source, conversation, { home: folder, env: {} })).toBe(false);
    write('U a new question', 'A a new answer', 'E', 'U a new question', 'A once more', 'E', 'U still running');
    expect(hasUnseen(harness(), source, conversation, { home: folder, env: {} })).toBe(true);
    for (let look = 0; look < 3; look += 1) await captureTurns(input());
    const closed = ['user: a new question', 'assistant: a new answer', 'user: a new question', 'assistant: once more'];
    expect(spooled()).toEqual(closed);
    await captureTurns(input({ over: true }));
    expect(spooled()).toEqual([...closed, 'user: still running']);
    expect(new Set(records().map((record) => record.messages[0]?.turn_id)).size).toBe(3);
    expect(hasUnseen(harness(), source, conversation, { home: folder, env: {} })).toBe(false);
  });

  it('are left alone where nobody saw the conversation begin', async () => {
    write('U a question', 'A an answer', 'E');
    await captureTurns(input({ over: true }));
    expect(spooled()).toEqual([]);
  });

  it('are no copies: a fork begins with its parent, and what is new with the first prompt', async () => {
    begin('prompt');
    write('U copied question', 'A copied answer', 'E');
    await captureTurns(input({ over: true }));
    expect(spooled()).toEqual([]);
    prompt('g1', 'copied question');
    write('U copied question', 'A new answer', 'E');
    await captureTurns(input({ ended: { turnId: 'g1' } }));
    expect(spooled()).toEqual(['user: copied question', 'assistant: new answer']);
  });

  it('are no copies either when the file appears with the first prompt', async () => {
    begin('start');
    prompt('g1', 'a new question');
    write('U copied question', 'A copied answer', 'E', 'U a new question', 'A new answer', 'E');
    await captureTurns(input({ ended: { turnId: 'g1' } }));
    expect(spooled()).toEqual(['user: a new question', 'assistant: new answer']);
  });
});

describe('a record with turn ids', () => {
  it.each([
    ['the conversation was seen to begin', true],
    ['nobody saw the conversation begin', false],
  ])(
    'keep both sides of a turn whose prompt no hook noted, behind one without an answer, where %s',
    async (_name, seen) => {
      if (seen) begin(endOf());
      prompt('one', 'first question, broken off');
      write('T two second question, of which only the record tells', 'A second answer', 'E');
      await captureTurns(input({ harness: harness({}), ended: { turnId: 'two', answer: 'second answer' } }));
      expect(spooled()).toEqual(['user: second question, of which only the record tells', 'assistant: second answer']);
    },
  );

  const byId = harness({});

  it('leaves out what a fork has copied, and captures the turn that the user broke off', async () => {
    begin('prompt');
    prompt('t2', 'a new question');
    write('T t1 copied question', 'A copied answer', 'E', 'T t2 a new question', 'A half an ans');
    await captureTurns(input({ harness: byId }));
    expect(spooled()).toEqual([]);
    await captureTurns(input({ harness: byId, over: true }));
    expect(spooled()).toEqual(['user: a new question', 'assistant: half an ans']);
    expect(pendingPrompts(conversation)).toEqual([]);
  });

  it('of a subagent is captured whole, its last turn with the answer of the event', async () => {
    write('T s1 look for it', 'A found', 'E', 'T s2 and there?', 'A a step');
    const subagent = { harness: byId, source: { nativeId: 'one', subagentId: 'a1' }, over: true };
    await captureTurns(input({ ...subagent, ended: { answer: 'nothing there' } }));
    await captureTurns(input({ ...subagent, ended: { answer: 'nothing there' } }));
    expect(spooled()).toEqual([
      'user: look for it',
      'assistant: found',
      'user: and there?',
      'assistant: a step | nothing there',
    ]);
  });

  it('of a subagent may be missing: then the answer counts', async () => {
    expect(existsSync(file)).toBe(false);
    const subagent = { harness: byId, source: { nativeId: 'one', subagentId: 'a1' }, over: true };
    await captureTurns(input({ ...subagent, ended: { answer: 'nothing there' } }));
    expect(spooled()).toEqual(['assistant: nothing there']);
  });
});

describe('what must not be remembered', () => {
  const byId = harness({ identity: 'turn-id' });
  const end = (turnId: string, more: Partial<CaptureInput> = {}) =>
    captureTurns(input({ harness: byId, isOn: true, ended: { turnId }, ...more }));

  it('is a prompt that another hook has refused: the record goes on without it', async () => {
    const strict = harness({ identity: 'turn-id', showsEveryPrompt: true });
    prompt('one', 'the secret plan');
    prompt('two', 'the plan for all');
    write('T two the plan for all', 'A noted', 'E');
    await end('two', { harness: strict });
    expect(spooled()).toEqual(['user: the plan for all', 'assistant: noted']);
    expect(pendingPrompts(conversation)).toEqual([]);
  });

  it('is what was said while memory was off, whatever looks first after it', async () => {
    prompt('one', 'in the open');
    write('T one in the open', 'A heard by all', 'E');
    await end('one');
    const transcript = openSource(byId, source, { home: folder, env: {} });
    transcript?.close();
    if (transcript !== undefined) notePassedOver(conversation, { off: true, until: transcript.end });
    write('T two in secret', 'A hush', 'E');
    await captureTurns(input({ harness: byId, over: true }));
    await end('two');
    prompt('three', 'in the open again');
    write('T three in the open again', 'A heard again', 'E');
    await end('three');
    expect(spooled().join()).not.toMatch(/secret|hush/);
    expect(spooled()).toHaveLength(4);
  });

  it('is history, also when the file comes back as another one', async () => {
    write('T old before our time', 'A long ago', 'E');
    prompt('one', 'our first');
    write('T one our first', 'A answer', 'E');
    await end('one');
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    writeFileSync(`${file}.other`, 'holds the inode');
    writeFileSync(file, text);
    prompt('two', 'our second');
    write('T two our second', 'A second answer', 'E');
    await end('two');
    expect(spooled()).toEqual(['user: our first', 'assistant: answer', 'user: our second', 'assistant: second answer']);
  });
});

describe('a turn that goes on after its end', () => {
  it('adds what came after it, once, with a record and without', async () => {
    const byId = harness({ identity: 'turn-id' });
    prompt('one', 'paint all');
    write('T one paint all', 'A the fence');
    await captureTurns(input({ harness: byId, ended: { turnId: 'one', answer: 'the fence' } }));
    write('A the gate', 'A the shed');
    for (let again = 0; again < 2; again += 1)
      await captureTurns(input({ harness: byId, ended: { turnId: 'one', answer: 'the shed' } }));
    expect(spooled()).toEqual(['user: paint all', 'assistant: the fence', 'assistant: the gate | the shed']);
  });

  describe('and to which the user adds something meanwhile', () => {
    const byId = harness({ identity: 'turn-id', showsEveryPrompt: true });
    const end = (answer: string) => captureTurns(input({ harness: byId, ended: { turnId: 'one', answer } }));
    const first = ['user: paint all', 'assistant: the fence'];
    beforeEach(async () => {
      prompt('one', 'paint all');
      write('T one paint all', 'A the fence');
      await end('the fence');
    });

    it('keeps it as the words of the user, once', async () => {
      prompt('one', 'in green, please');
      const [left] = pendingPrompts(conversation);
      write('A the gate');
      await end('the gate');
      expect(spooled()).toEqual([...first, 'user: in green, please', 'assistant: the gate']);
      // The process was killed before it dropped the note.
      if (left !== undefined) notePrompt(conversation, left);
      await end('the gate');
      prompt('one', 'and the shed');
      await end('the gate');
      expect(spooled()).toEqual([...first, 'user: in green, please', 'assistant: the gate', 'user: and the shed']);
      expect(pendingPrompts(conversation)).toEqual([]);
    });

    it('keeps it although nobody tells of the second end', async () => {
      prompt('one', 'in green, please');
      write('T two the next thing', 'A it is finished', 'E');
      prompt('two', 'the next thing');
      await captureTurns(input({ harness: byId, ended: { turnId: 'two', answer: 'it is finished' } }));
      expect(spooled()).toEqual([
        ...first,
        'user: in green, please',
        'user: the next thing',
        'assistant: it is finished',
      ]);
    });

    it('does not take the event of the prompt itself, which comes late, for more of it', async () => {
      // A second hook is told of it, half a second after the first.
      clock -= 1_500;
      prompt('one', 'paint all');
      await end('the fence');
      expect(spooled()).toEqual(first);
      expect(pendingPrompts(conversation)).toEqual([]);
    });

    it('keeps the very words of the prompt, and the same words again, where they are said again', async () => {
      prompt('one', 'paint all');
      const [left] = pendingPrompts(conversation);
      write('A the gate');
      await end('the gate');
      // The process was killed before it dropped the note.
      if (left !== undefined) notePrompt(conversation, left);
      await end('the gate');
      prompt('one', 'paint all');
      write('A the shed');
      await end('the shed');
      expect(spooled()).toEqual([
        ...first,
        'user: paint all',
        'assistant: the gate',
        'user: paint all',
        'assistant: the shed',
      ]);
      expect(pendingPrompts(conversation)).toEqual([]);
    });
  });

  it('loses no word that comes while its end is being captured', async () => {
    const byId = harness({ identity: 'turn-id' });
    prompt('one', 'paint all');
    const [note] = pendingPrompts(conversation);
    write('T one paint all', 'A the fence', 'E');
    const remark = {
      ...(note as PendingPrompt),
      text: 'in green, please',
      typed: 'other',
      at: '2026-02-01T00:00:00.000Z',
    };
    const whileNamed = () => expect(noteRemark(conversation, remark)).toBeDefined();
    await captureTurns(input({ harness: byId, ended: { turnId: 'one' }, meanwhile: whileNamed }));
    await captureTurns(input({ harness: byId, over: true }));
    expect(spooled()).toEqual(['user: paint all', 'assistant: the fence', 'user: in green, please']);
    expect(noteRemark(conversation, remark)).toBeDefined();
    expect(noteRemark(conversation, remark)).toBeUndefined();
  });
});

describe('answers told before the turn ends', () => {
  it('stand in for an end that says nothing, without what the record has', async () => {
    prompt('g1', 'the first question');
    for (const answer of ['I look into it.', 'The port is 8123, password=hunter2secret']) {
      noteAnswer(conversation, 'g1', ` ${answer}\n`, answer.replace('hunter2secret', '[redacted]'));
      noteAnswer(conversation, 'g1', answer, answer);
    }
    noteAnswer(conversation, 'unknown', 'x', 'x');
    expect(JSON.stringify(pendingPrompts(conversation))).not.toContain('hunter2secret');
    write('U the first question', 'A I look into it. And say more.');
    await captureTurns(input({ ended: { turnId: 'g1' } }));
    expect(spooled()).toEqual([
      'user: the first question',
      'assistant: I look into it. And say more. | The port is 8123, password=[redacted]',
    ]);
  });

  it('give way to the end that says something', async () => {
    prompt('g1', 'the first question');
    noteAnswer(conversation, 'g1', 'a step', 'a step');
    await captureTurns(input({ ended: { turnId: 'g1', answer: 'the answer' } }));
    expect(spooled()).toEqual(['user: the first question', 'assistant: the answer']);
  });
});

describe('commits', () => {
  const turn = async (name: string, settings: Partial<Settings> = {}, commitAt?: 'turn-end'): Promise<void> => {
    prompt(name, `question ${name}`);
    const all = { ...defaults, ...settings } as unknown as Settings;
    const more = {
      harness: harness({}, commitAt ?? 'session-end'),
      settings: all,
      ended: { turnId: name, answer: `answer ${name}` },
    };
    await captureTurns(input(more));
  };

  it('come after so many turns, also when those before were delivered long ago', async () => {
    for (let number = 1; number <= 7; number += 1) {
      await turn(`t${number}`, { commitTurnThreshold: 3 });
      const last = records().at(-1) as SpoolRecord;
      conversation.writeDeliveredCursor(last.seq, last.cursor);
      expect(last.commit).toEqual(number % 3 === 0 ? { keep_recent_count: 10 } : undefined);
      expect(last.commitAbove).toEqual(number % 3 === 0 ? undefined : { keep_recent_count: 10, pendingTokens: 20_000 });
    }
  });

  it('by turns are off at 0', async () => {
    for (let number = 1; number <= 20; number += 1) await turn(`t${number}`, { commitTurnThreshold: 0 });
    expect(records().filter((record) => record.commit !== undefined)).toEqual([]);
  });

  it('come with every turn where a conversation has no end', async () => {
    await turn('t1', { commitKeepRecentCount: 0 }, 'turn-end');
    expect(records()[0]).toMatchObject({ commit: { keep_recent_count: 0 } });
    expect(records()[0]?.cursor).not.toHaveProperty('open');
  });

  it('of the whole come once, and only where something is left to commit', async () => {
    const everything = (): Promise<void> => commitAll({ harness: harness(), conversation, source });
    await everything();
    expect(records()).toEqual([]);
    await turn('t1');
    await everything();
    await everything();
    expect(records().map(({ messages, commit }) => [messages.length, commit])).toEqual([
      [2, undefined],
      [0, { keep_recent_count: 0 }],
    ]);
    // What a threshold's commit kept back is still to be committed.
    await turn('t2', { commitTurnThreshold: 1 });
    await everything();
    expect(records().at(-1)).toMatchObject({ messages: [], commit: { keep_recent_count: 0 } });
    await turn('t3', { commitTurnThreshold: 1, commitKeepRecentCount: 0 });
    const count = records().length;
    await everything();
    expect(records()).toHaveLength(count);
  });

  it('of the whole go under the peer of what was captured', async () => {
    await captureTurns(input({ origin: () => ({ peer: 'team' }), ended: { turnId: 'x', answer: 'an answer' } }));
    await commitAll({ harness: harness(), conversation, source });
    expect(records().map((record) => record.peer)).toEqual(['team', 'team']);
  });
});
