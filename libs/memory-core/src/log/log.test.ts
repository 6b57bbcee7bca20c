import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { homePaths } from '../fs/home-paths.ts';
import type { ApiClient } from '../http/api.ts';
import { loggedClient } from '../http/logged-client.ts';
import { createLog, SILENT, type Log } from './log.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ov-log-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

type Level = 'silent' | 'error' | 'info';
const log = (logLevel: Level, debug = false): Log =>
  createLog(homePaths(home), 'zcode', { debug, debugLogPath: undefined, logLevel });
const folder = (): string => join(home, '.openviking', 'logs');
const file = (): string => join(folder(), 'zcode.log');
const kinds = (): (string | undefined)[] =>
  existsSync(file())
    ? readFileSync(file(), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[2])
    : [];

describe('createLog', () => {
  it.each<[Level, boolean, string[]]>([
    ['silent', false, []],
    ['error', false, ['error']],
    ['info', false, ['error', 'info']],
    ['silent', true, ['error', 'info', 'debug']],
    ['error', true, ['error', 'info', 'debug']],
  ])('keeps at level %s, with debug %s: %j', (level, debug, expected) => {
    const target = log(level, debug);
    target.error('went wrong', new Error('because'));
    target.info('went well');
    target.debug?.('in detail');
    expect(kinds()).toEqual(expected);
  });

  it('holds no secret, one line an entry, and is private', () => {
    log('error').error('refused\nthe key', new Error(`sk-${'a1B2'.repeat(12)} is wrong`));
    const text = readFileSync(file(), 'utf8');
    expect(text).toContain('refused the key: Error [redacted:model-provider-key] is wrong');
    expect(text.trim().split('\n')).toHaveLength(1);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
  });

  it('takes two megabytes at most, however much is logged', () => {
    const target = log('info', true);
    for (let line = 0; line < 4_000; line += 1) target.debug?.('x'.repeat(1_900));
    expect(readdirSync(folder()).sort()).toEqual(['zcode.log', 'zcode.log.1']);
    const total = readdirSync(folder()).reduce((sum, name) => sum + statSync(join(folder(), name)).size, 0);
    expect(total).toBeLessThan(2.1 * 1024 * 1024);
  });
});

describe('loggedClient', () => {
  const client: ApiClient = {
    baseUrl: 'http://h',
    call: () => Promise.resolve({ ok: true, status: 200, value: { text: 'what the memory knows' } }),
  };

  it('tells way, outcome, time and sizes, and nothing of what was said', async () => {
    const body = { query: 'what was said' };
    await loggedClient(client, log('error', true)).call({
      method: 'POST',
      path: '/search/search?q=said',
      body,
      timeoutMs: 1_000,
    });
    const text = readFileSync(file(), 'utf8');
    expect(text).toMatch(/ debug POST \/search\/search: 200, \d+ ms, 25 characters out, 32 in$/m);
    expect(text).not.toContain('said');
    expect(text).not.toContain('knows');
  });

  it('is the client itself without debug', () => {
    expect(loggedClient(client, log('info'))).toBe(client);
    expect(loggedClient(client, SILENT)).toBe(client);
  });
});
