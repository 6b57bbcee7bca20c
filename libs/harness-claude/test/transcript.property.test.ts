/**
 * Conversations of every kind, played by the fake client into its record, and read back: whole, in pieces cut anywhere, with
 * damaged and foreign lines in between. What was said is known, so nothing may be added and nothing lost.
 */
import { afterAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { createTemporaryHome } from '@openviking/memory-core/testing';
import { claudeTranscript } from '../src/transcript.ts';
import { ClaudeHost } from '../testing/index.ts';
import type { ClaudeSession } from '../testing/index.ts';
import { linesOf } from './fixture.ts';
import type { MessagePart, TranscriptTurn } from '../vendor/memory-core/hot.ts';

const { parse } = claudeTranscript;
const home = createTemporaryHome();
const host = new ClaudeHost({ home: home.path, cwd: home.makeFolder('project') });
afterAll(() => home.remove());

type Step =
  | { readonly do: 'tool'; readonly say: string | undefined; readonly output: string; readonly isError: boolean }
  | { readonly do: 'remark' | 'subagent'; readonly text: string };
interface Turn {
  readonly prompt: string;
  readonly byHost: boolean;
  readonly steps: readonly Step[];
  readonly end: 'answer' | 'abort';
  readonly then: 'nothing' | 'compact' | 'resume';
}

/** Words that are nobody's markup: what the client's own rows look like is told apart by other tests. */
const words = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.constantFrom('中文 🦄', 'a\nb', '"quoted" \\ \u0000', '\ud83d half'),
  )
  .map((text) => `w${text}`);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('tool' as const),
    say: fc.option(words, { nil: undefined }),
    output: words,
    isError: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom('remark' as const, 'subagent' as const), text: words }),
);
const turn: fc.Arbitrary<Turn> = fc.record({
  prompt: words,
  byHost: fc.boolean(),
  steps: fc.array(step, { maxLength: 3 }),
  end: fc.constantFrom('answer' as const, 'answer' as const, 'abort' as const),
  then: fc.constantFrom('nothing' as const, 'nothing' as const, 'compact' as const, 'resume' as const),
});
const script = fc.array(turn, { maxLength: 4 });

interface Told {
  readonly userText: string | undefined;
  readonly assistant: readonly string[];
}

const told = (part: MessagePart): string =>
  part.type === 'text' ? part.text : `${part.tool_name} ${part.tool_status}: ${part.tool_output}`;
const said = ({ userText, assistant }: TranscriptTurn): Told => ({ userText, assistant: assistant.map(told) });

async function play(session: ClaudeSession, turns: readonly Turn[]): Promise<{ session: ClaudeSession; told: Told[] }> {
  const expected: Told[] = [];
  let current = session;
  for (const { prompt, byHost, steps, end, then } of turns) {
    const texts: string[] = [];
    const assistant: string[] = [];
    if (byHost) await current.notify(prompt);
    else {
      await current.prompt(prompt);
      texts.push(prompt);
    }
    for (const one of steps) {
      if (one.do === 'tool') {
        if (one.say !== undefined) assistant.push(one.say);
        assistant.push(`Bash ${one.isError ? 'error' : 'completed'}: ${one.output}`);
        const options = { isError: one.isError, ...(one.say === undefined ? {} : { say: one.say }) };
        await current.tool('Bash', { command: 'x' }, one.output, options);
      } else if (one.do === 'remark') {
        texts.push(one.text);
        await current.remark(one.text);
      } else {
        assistant.push(`Task completed: ${one.text}`);
        await current.subagent('look', one.text);
      }
    }
    if (end === 'abort') current.abort();
    else {
      assistant.push('The answer.');
      await current.answer('The answer.');
    }
    if (texts.length > 0 || assistant.length > 0) {
      expected.push({ userText: texts.length === 0 ? undefined : texts.join('\n\n'), assistant });
    }
    if (then === 'compact') await current.compact();
    if (then === 'resume') current = host.resumeSession(current);
  }
  return { session: current, told: expected };
}

function recordOf(session: ClaudeSession): string {
  try {
    return readFileSync(session.situation.transcriptPath, 'utf8');
  } catch {
    return '';
  }
}

const asSaid = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
const normal = (list: readonly Told[]): readonly Told[] =>
  list.map(({ userText, assistant }) => ({
    userText: userText === undefined ? undefined : asSaid(userText),
    assistant: assistant.map(asSaid),
  }));

describe('a played conversation', () => {
  it('is read as it was held', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (turns) => {
        const played = await play(host.startSession(), turns);
        const read = parse(linesOf(recordOf(played.session)), played.session.id);
        expect(read.map(said)).toEqual(normal(played.told));
        expect(new Set(read.map(({ turnId }) => turnId)).size).toBe(read.length);
        expect(read.every(({ closed }) => closed)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('is read the same in two looks, wherever the first one ended', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), async (turns, cuts) => {
        const { session } = await play(host.startSession(), turns);
        const whole = Buffer.from(recordOf(session));
        const lines = linesOf(whole.toString());
        const all = parse(lines, session.id);
        for (const cut of cuts) {
          const bytes = whole.subarray(0, cut % (whole.length + 1));
          // Half a line at the end waits for the next look.
          const head = parse(linesOf(bytes.toString()), session.id);
          const open = head.at(-1);
          const before = head.slice(0, -1);
          expect(before).toEqual(all.slice(0, before.length));
          // The second look begins where the last turn of the first one did.
          const rest = parse(
            lines.filter(({ offset }) => offset >= (open?.offset ?? 0)),
            session.id,
          );
          expect(rest).toEqual(all.slice(before.length));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('loses nothing to lines that are no rows', async () => {
    const junk = fc.oneof(
      fc.string().map((text) => text.replaceAll('\n', ' ')),
      fc.json(),
      fc.json().map((json) => `{"type":"user","isSidechain":true,"message":${json}}`),
      fc.json().map((json) => `{"type":"api-request-blob","message":${json}}`),
      fc.json().map((json) => `{"type":"attachment","attachment":${json}}`),
      fc.constant(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
      fc.constant(''),
    );
    await fc.assert(
      fc.asyncProperty(script, fc.array(fc.tuple(fc.nat(), junk), { maxLength: 6 }), async (turns, added) => {
        const { session, told: expected } = await play(host.startSession(), turns);
        const lines = recordOf(session).split('\n').slice(0, -1);
        for (const [place, line] of added) lines.splice(place % (lines.length + 1), 0, line);
        const read = parse(linesOf(`${lines.join('\n')}\n`), session.id);
        expect(read.map(said)).toEqual(normal(expected));
      }),
      { numRuns: 40 },
    );
  });

  it('is left behind by its fork', async () => {
    await fc.assert(
      fc.asyncProperty(script, script, async (before, after) => {
        const original = await play(host.startSession(), before);
        const fork = await play(host.forkSession(original.session), after);
        // A fork that begins with the client's own prompt has none that the copied ones could be told from.
        fc.pre(after[0]?.byHost === false);
        const read = parse(linesOf(recordOf(fork.session)), fork.session.id);
        expect(read.map(said)).toEqual(normal(fork.told));
      }),
      { numRuns: 40 },
    );
  });
});

it('never throws, whatever the file holds', () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"type":"user","promptId":"p","message":{"role":"user","content":${json}}}`),
    fc.json().map((json) => `{"type":"user","promptId":${json},"message":${json}}`),
    fc
      .json()
      .map((json) => `{"type":"assistant","message":{"role":"assistant","content":[${json}],"stop_reason":${json}}}`),
    fc
      .json()
      .map(
        (json) => `{"type":"assistant","requestSessionId":${json},"message":{"role":"assistant","content":${json}}}`,
      ),
    fc
      .json()
      .map(
        (json) =>
          `{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":${json}}}`,
      ),
  );
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (written, ofSubagent) => {
      const lines = linesOf(`${written.map((text) => text.replaceAll('\n', ' ')).join('\n')}\n`);
      const turns = parse(lines, 's', ofSubagent ? 'a' : undefined);
      for (const { turnId, userText, assistant, offset } of turns) {
        expect(typeof turnId).toBe('string');
        expect(['string', 'undefined']).toContain(typeof userText);
        expect(lines.some((one) => one.offset === offset)).toBe(true);
        for (const part of assistant) expect(['text', 'tool']).toContain(part.type);
      }
    }),
  );
});
