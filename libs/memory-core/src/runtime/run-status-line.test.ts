import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { homePaths } from '../fs/home-paths.ts';
import { statusLine } from './run-status-line.ts';

const FACTS = {
  id: 'some-client',
  events: [{ kind: 'prompt', nativeName: 'Prompt', entry: 'prompt', timeout: { value: 1, unit: 'seconds' } }],
} as const;
const NOW = Date.parse('2026-01-01T12:00:00Z');

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ov-status-line-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, content: unknown, age = 0): void {
  const file = join(home, '.openviking', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  utimesSync(file, new Date(NOW - age), new Date(NOW - age));
}
const beat = (minutesAgo: number, injectedTokens?: number): void =>
  write('state/heartbeat/some-client-prompt.json', {
    at: new Date(NOW - minutesAgo * 60_000).toISOString(),
    ...(injectedTokens === undefined ? {} : { injectedTokens }),
  });
const line = (env = {}): string => statusLine(FACTS, homePaths(home), env, NOW);

describe('the status line', () => {
  it('is the name alone where nothing has happened yet', () => {
    expect(line()).toBe('OpenViking');
  });

  it.each([
    [0, 412, 'OpenViking · recalled 412 tokens just now'],
    [5, 412, 'OpenViking · recalled 412 tokens 5min ago'],
    [150, 412, 'OpenViking · recalled 412 tokens 2h ago'],
    [4 * 24 * 60, 412, 'OpenViking · recalled 412 tokens 4d ago'],
    [5, undefined, 'OpenViking · nothing recalled, 5min ago'],
  ])('tells what the last prompt got (%s minutes ago, %s)', (minutes, tokens, expected) => {
    beat(minutes, tokens);
    expect(line()).toBe(expected);
  });

  it('counts the turns that wait, of conversations that are marked', () => {
    beat(5, 1);
    for (const name of ['000000000001.json', '000000000002.json', '.ov-x.tmp'])
      write(`spool/xx-one/records/${name}`, {});
    write('spool/xx-two/records/000000000007.json', {});
    expect(line()).toBe('OpenViking · recalled 1 tokens 5min ago');
    write('spool/.queue/xx-one', '');
    expect(line()).toBe('OpenViking · recalled 1 tokens 5min ago · 2 turns waiting');
    expect(line({ LANG: 'zh_CN' })).toBe('OpenViking · 5min前召回 1 tokens · 2 轮待发送');
  });

  it('counts no more conversations than there is time for, and says that there are more', () => {
    for (let n = 0; n < 130; n += 1) {
      write(`spool/xx-${n}/records/000000000001.json`, {});
      write(`spool/.queue/xx-${n}`, '');
    }
    expect(line()).toBe('OpenViking · 100+ turns waiting');
    expect(line({ LANG: 'zh_CN' })).toBe('OpenViking · 100+ 轮待发送');
  });

  it('tells trouble of the server that was talked to last instead', () => {
    beat(5, 412);
    write('state/delivery-old.json', { failures: 3, nextAttemptAt: 0 }, 60_000);
    write('state/delivery-new.json', { failures: 0, nextAttemptAt: 0 }, 1_000);
    expect(line()).toContain('recalled 412');
    write('state/delivery-new.json', { failures: 1, nextAttemptAt: 0, blockedFor: 'x' });
    expect(line()).toBe('OpenViking · key refused');
    write('state/delivery-new.json', { failures: 1, nextAttemptAt: 0 });
    expect(line()).toBe('OpenViking · server not reached');
  });

  it('takes damaged state for none', () => {
    write('state/heartbeat/some-client-prompt.json', '{"at":');
    write('state/delivery-x.json', '[]');
    write('spool/.queue/xx-gone', '');
    expect(line()).toBe('OpenViking');
  });
});
