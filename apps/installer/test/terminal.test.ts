/** Questions are asked on a terminal only, and whoever leaves without an answer has interrupted the run. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Terminal } from '../src/cli/terminal.ts';
import { ENGLISH } from '../src/cli/messages-en.ts';

function terminal(env: Readonly<Record<string, string>> = {}, isTTY = true, command = 'openviking-install') {
  const stream = () => Object.assign(new PassThrough(), { isTTY });
  const [stdin, out, err] = [stream(), stream(), stream()];
  return { stdin, out, err, terminal: new Terminal({ stdin, out, err, texts: ENGLISH, json: false, env, command }) };
}
const forever = new AbortController().signal;

describe('a question', () => {
  it.each([
    ['y\n', false, true],
    ['是\n', false, true],
    ['n\n', true, false],
    ['\n', true, true],
    ['\n', false, false],
    ['what?\n', true, false],
  ])('%j with preset %p means %p', async (typed, preset, answer) => {
    const { stdin, terminal: asked } = terminal();
    stdin.write(typed);
    expect(await asked.confirm('Go on?', preset, forever)).toBe(answer);
  });

  it('is left by the end of input, by Ctrl+C, and by a signal: an interruption, and no answer', async () => {
    const ended = terminal();
    ended.stdin.end();
    const stopped = terminal();
    stopped.stdin.write('\u0003');
    const signalled = terminal();
    const leave = { exitCode: 130, code: 'interrupted' };
    await expect(ended.terminal.confirm('Go on?', true, forever)).rejects.toMatchObject(leave);
    await expect(stopped.terminal.confirm('Go on?', true, forever)).rejects.toMatchObject(leave);
    await expect(signalled.terminal.confirm('Go on?', true, AbortSignal.timeout(20))).rejects.toMatchObject(leave);
  });

  it('is not asked where nobody can answer', () => {
    expect([terminal().terminal.isInteractive, terminal({}, false).terminal.isInteractive]).toEqual([true, false]);
  });
});

describe('advice', () => {
  it.each([true, false])(
    'says once what starts the program, also where a line is broken in it: terminal %p',
    (isTTY) => {
      const { out, err, terminal: shown } = terminal({}, isTTY, 'npx openviking-install');
      // On a terminal the command comes to lie around the eightieth column.
      const text = `${'x'.repeat(65)} openviking-install doctor --fix`;
      shown.tell(text);
      shown.warn(text);
      shown.say('openviking-install status');
      for (const stream of [out, err]) {
        expect(String(stream.read()).replace(/\s+/g, ' ')).toMatch(
          /^x+ npx openviking-install doctor --fix (npx openviking-install status )?$/,
        );
      }
    },
  );
});

describe('a diff', () => {
  it.each([
    [{}, true, true],
    [{ NO_COLOR: '1' }, true, false],
    [{ TERM: 'dumb' }, true, false],
    [{}, false, false],
  ])('with %j, on a terminal %p, is coloured: %p', (env, isTTY, coloured) => {
    const { out, terminal: shown } = terminal(env as Record<string, string>, isTTY);
    shown.diff('@@ -1 +1 @@\n-a\n+b\n');
    const text = String(out.read());
    expect(text.includes('\u001b[')).toBe(coloured);
    expect(text).toContain('+b');
  });

  it('shows no secret', () => {
    const { out, terminal: shown } = terminal({ NO_COLOR: '1' });
    shown.keepSecret('sk-1234567890abc');
    shown.diff('+"api_key": "sk-1234567890abc"');
    expect(String(out.read())).toBe('+"api_key": "sk-1…0abc"\n');
  });
});

describe('something that takes long', () => {
  it.each([
    [true, 1_100, 'Looking…\r\u001b[K'],
    [true, 5, ''],
    [false, 1_100, ''],
  ])('on a terminal %p for %i ms: shows %j', async (isTTY, ms, shown) => {
    const { err, terminal: waiting } = terminal({}, isTTY);
    const result = await waiting.during('Looking', () => new Promise((done) => setTimeout(() => done('done'), ms)));
    expect(result).toBe('done');
    expect(String(err.read() ?? '')).toBe(shown);
  });
});
