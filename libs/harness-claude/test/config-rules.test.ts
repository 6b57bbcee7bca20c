/**
 * What the client leaves out of its settings. The fake reads the same files by a reading of its own: where the harness sees
 * a violation, the fake must miss something, and the other way round.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createScanner, parseTree } from 'jsonc-parser';
import { createTemporaryHome } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { checkSettings, checkState } from '../src/config-rules.ts';
import { readClientHooks } from '../testing/index.ts';
import type { ConfigDocument, ConfigNode, JsonValue } from '../vendor/memory-core/hot.ts';

const COMMENTS = new Set([12, 13]);

/** A document as the installer hands it over. */
function documentOf(text: string): ConfigDocument {
  const plain = text.replace(/^\uFEFF/, ' ');
  const root = parseTree(plain, [], { allowTrailingComma: true, allowEmptyContent: true }) as ConfigNode | undefined;
  const oddities: ConfigDocument['oddities'][number][] = [];
  if (plain !== text) oddities.push({ kind: 'byte-order-mark', offset: 0 });
  const scanner = createScanner(plain, false);
  for (let token: number = scanner.scan(); token !== 17; token = scanner.scan()) {
    if (COMMENTS.has(token)) oddities.push({ kind: 'comment', offset: scanner.getTokenOffset() });
  }
  const comma = /,\s*[\]}]/.exec(plain);
  if (comma !== null) oddities.push({ kind: 'trailing-comma', offset: comma.index });
  if (root === undefined) oddities.push({ kind: 'empty', offset: 0 });
  return { ...(root === undefined ? {} : { root }), oddities };
}

const handler = { type: 'command', command: 'x' };
const good = { hooks: [handler] };
const settings = (stop: JsonValue, more = {}) => JSON.stringify({ ...more, hooks: { Stop: stop, SessionEnd: [good] } });

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

/** How many handlers run after all. */
function running(text: string): number {
  home.write('.claude/settings.json', text);
  return [...readClientHooks(home.at('.claude')).handlers.values()].flat().length;
}

const codesOf = (text: string) => checkSettings(documentOf(text)).map(({ code }) => code);

describe('what is left out', () => {
  it.each([
    ['an entry without its list', settings([handler]), 'claude/flat-handler', 1],
    ['an event that is no list', settings(good as never), 'claude/event-not-list', 1],
    ['a matcher that is no text', settings([{ ...good, matcher: 5 }]), 'claude/bad-matcher', 1],
    [
      'a handler of no known type',
      settings([{ hooks: [{ type: 'process', command: 'x' }] }]),
      'claude/handler-type',
      1,
    ],
    ['a handler without a command', settings([{ hooks: [{ type: 'command' }] }]), 'claude/handler-command', 1],
    ['a time limit that is text', settings([{ hooks: [{ ...handler, timeout: '5' }] }]), 'claude/handler-timeout', 1],
    ['a time limit of 0', settings([{ hooks: [{ ...handler, timeout: 0 }] }]), 'claude/handler-timeout', 1],
    ['hooks that are no object', '{"hooks":5}', 'claude/hooks-not-object', 0],
    ['everything, by the switch', settings([good], { disableAllHooks: true }), 'claude/hooks-disabled', 0],
    ['everything, for a comment', `// mine\n${settings([good])}`, 'claude/comment', 0],
    ['everything, for a comma', settings([good]).replace(/}$/, ',}'), 'claude/trailing-comma', 0],
  ])('%s', (_name, text, code, left) => {
    expect(codesOf(text)).toEqual([code]);
    expect(running(text)).toBe(left);
  });

  it('is told with its place, in both languages', () => {
    const text = settings([good, handler]);
    const [found] = checkSettings(documentOf(text));
    expect(found).toMatchObject({ where: 'hooks.Stop[1]', offset: text.indexOf('{"type"', text.indexOf(']}')) });
    expect(found?.message.en).toContain('skips it');
    expect(found?.message.zh).toMatch(/\p{Script=Han}/u);
  });
});

describe('what is in effect', () => {
  it.each([
    ['plain hooks', settings([good])],
    ['a byte order mark', `\uFEFF${settings([good])}`],
    ['a matcher for everything', settings([{ ...good, matcher: '' }])],
    ['unknown keys', settings([{ hooks: [{ ...handler, mine: 1 }], other: 2 }], { mine: null })],
    ['the switch that only counts in managed settings', settings([good], { allowManagedHooksOnly: true })],
    ['the switch when it is off', settings([good], { disableAllHooks: false })],
  ])('%s', (_name, text) => {
    expect(codesOf(text)).toEqual([]);
    expect(running(text)).toBe(2);
  });

  it('an empty file and one without hooks break no rule', () => {
    for (const text of ['', '{}', '[]']) expect(codesOf(text)).toEqual([]);
  });
});

it('the state file has its servers in an object', () => {
  expect(checkState(documentOf('{"mcpServers":{"a":{}}}'))).toEqual([]);
  expect(checkState(documentOf('{"mcpServers":[]}'))).toMatchObject([{ code: 'claude/servers-not-object' }]);
  expect(checkState(documentOf('{} // x'))).toMatchObject([{ code: 'claude/comment' }]);
});
