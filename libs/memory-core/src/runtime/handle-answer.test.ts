/** An answer is told before the turn ends, and the prompt that it belongs to is not noted. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handlerEnvironment } from '../../testing/handler-environment.ts';
import { createTemporaryHome, type TemporaryHome } from '../../testing/index.ts';
import { someHarness } from '../../testing/some-harness.ts';
import { homePaths } from '../fs/home-paths.ts';
import { Conversation } from '../spool/conversation.ts';
import { pendingPrompts } from '../spool/journal.ts';
import { handleAnswer } from './handle-answer.ts';
import { handlePrompt } from './handle-prompt.ts';
import { handleTurnEnd } from './handle-turn-end.ts';
import type { HookEnvironment } from './run-hook.ts';
import * as seldom from './seldom.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
  configure({});
});
afterEach(() => home.remove());

function configure(plugin: Readonly<Record<string, unknown>>): void {
  const all = { autoRecall: false, ...plugin };
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: 'http://127.0.0.1:9', api_key: 'k', plugin: all }), 0o600);
}

function environment(record?: string): HookEnvironment {
  const harness = someHarness(record === undefined ? {} : { transcript: { locate: () => [record] } });
  return handlerEnvironment({ home, harness, seldom });
}

const base = () => ({ session: { nativeId: 'one', origin: 'event' }, cwd: home.path }) as const;
const conversation = () => new Conversation(homePaths(home.path).spool, 'aa-one');
const prompt = (turnId: string, text: string) =>
  handlePrompt({ kind: 'prompt', ...base(), turnId, prompt: text }, environment());
const answer = (turnId: string | undefined, text: string, record?: string) =>
  handleAnswer({ kind: 'answer', ...base(), ...(turnId === undefined ? {} : { turnId }), text }, environment(record));
const end = (turnId?: string) =>
  handleTurnEnd({ kind: 'turn-end', ...base(), ...(turnId === undefined ? {} : { turnId }) }, environment());
const spooled = () =>
  conversation()
    .sequence()
    .flatMap((seq) => conversation().read(seq)?.messages ?? [])
    .map(
      ({ role, turn_id: id, parts }) =>
        `${id} ${role}: ${parts.map((part) => (part.type === 'text' ? part.text : '')).join()}`,
    );

describe('an answer in parts', () => {
  it('keeps private what begins in one part and ends in a later one', async () => {
    await prompt('t1', 'Please read me the whole file.');
    answer('t1', 'The file begins: <private> page one');
    answer('t1', 'page two, without any tag');
    answer('t1', 'page three </private> and that is the end of it.');
    for (const file of readdirSync(conversation().pending))
      expect(readFileSync(join(conversation().pending, file), 'utf8')).not.toContain('page');
    await end('t1');
    const parts = ['The file begins:', 'and that is the end of it.'];
    expect(spooled()).toEqual(['t1 user: Please read me the whole file.', `t1 assistant: ${parts.join()}`]);
  });

  it('keeps no part of a private key that begins in one and ends in a later one', async () => {
    const lines = Array.from({ length: 12 }, () => randomBytes(48).toString('base64'));
    await prompt('t1', 'Please read me the whole file.');
    answer('t1', [`The file: -----BEGIN ${'PRIVATE'} KEY-----`, ...lines.slice(0, 4)].join('\n'));
    answer('t1', lines.slice(4, 8).join('\n'));
    answer('t1', [...lines.slice(8), `-----END ${'PRIVATE'} KEY-----`, 'That is all.'].join('\n'));
    const noted = readdirSync(conversation().pending).map((file) =>
      readFileSync(join(conversation().pending, file), 'utf8'),
    );
    expect(lines.filter((line) => noted.some((note) => note.includes(line)))).toEqual([]);
    await end('t1');
    const parts = [
      'The file: [redacted:private-key]',
      '[redacted:private-key]',
      '[redacted:private-key]\nThat is all.',
    ];
    expect(spooled()).toEqual(['t1 user: Please read me the whole file.', `t1 assistant: ${parts.join()}`]);
  });

  it('keeps no half of a secret that lies where a long text is cut off, nor of a prompt', async () => {
    configure({ captureMaxLength: 1_000 });
    const half = `ghp_${'a1B2'.repeat(4)}`;
    const text = `${'记住这件事。'.repeat(1_000).slice(0, 3_980)}${half}${'c3D4'.repeat(5)}${'记住这件事。'.repeat(2_000)}`;
    await prompt('t1', text);
    answer('t1', text);
    for (const file of readdirSync(conversation().pending))
      expect(readFileSync(join(conversation().pending, file), 'utf8')).not.toContain(half.slice(0, 12));
    await end('t1');
    expect(JSON.stringify(spooled())).toContain('记住这件事');
  });
});

describe('a turn that goes on after its end', () => {
  const stop = (text: string) =>
    handleTurnEnd({ kind: 'turn-end', ...base(), turnId: 't1', answer: text }, environment());

  it('keeps private what it has begun before', async () => {
    await prompt('t1', 'Please read me the whole file.');
    await stop('The file begins: <private> page one');
    await stop('page two, without any tag');
    await stop('page three </private> and that is the end of it.');
    await stop('Anything else?');
    expect(spooled()).toEqual([
      't1 user: Please read me the whole file.',
      't1 assistant: The file begins:',
      't1 assistant: and that is the end of it.',
      't1 assistant: Anything else?',
    ]);
    for (const file of readdirSync(conversation().records))
      expect(readFileSync(join(conversation().records, file), 'utf8')).not.toContain('page');
  });
});

describe('an answer without an open prompt', () => {
  beforeEach(async () => {
    await prompt('t1', 'Please paint the fence.');
    answer('t1', 'The fence is painted.');
    await end('t1');
    expect(pendingPrompts(conversation())).toEqual([]);
  });
  const first = ['t1 user: Please paint the fence.', 't1 assistant: The fence is painted.'];

  it.each(['t1', undefined])('goes on with the turn that was captured last (%s)', async (turnId) => {
    answer(turnId, 'It is dry by now.');
    await end(turnId);
    await end(turnId);
    expect(spooled()).toEqual([...first, 't1 assistant: It is dry by now.']);
  });

  it('is that of a turn whose prompt was not noted', async () => {
    answer('t2', 'The gate is painted, too.');
    await end('t2');
    expect(spooled()).toEqual([...first, 't2 assistant: The gate is painted, too.']);
  });

  it('takes nothing from a prompt whose hook is slower', async () => {
    answer('t2', 'The gate is painted, too.');
    await prompt('t2', 'And the gate, please.');
    await end('t2');
    expect(spooled()).toEqual([...first, 't2 user: And the gate, please.', 't2 assistant: The gate is painted, too.']);
  });

  it('is left to the record of a client that keeps one', () => {
    answer('t2', 'The gate is painted, too.', home.write('record.jsonl', 'a line\n'));
    expect(pendingPrompts(conversation())).toEqual([]);
  });

  it('stays unknown where memory was off when its prompt came', async () => {
    configure({ enabled: false });
    await prompt('t2', 'And the gate, please.');
    configure({});
    answer('t2', 'The gate is painted, too.');
    await end('t2');
    expect(spooled()).toEqual(first);
  });
});
