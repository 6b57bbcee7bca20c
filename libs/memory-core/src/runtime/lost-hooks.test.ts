/** When a client has thrown our hooks away, and when that cannot be said. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome } from '../../testing/temporary-home.ts';
import type { TemporaryHome } from '../../testing/temporary-home.ts';
import { homePaths } from '../fs/home-paths.ts';
import { fileWithoutHooks } from './lost-hooks.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

const hook = { type: 'command', command: "'/h/launch' stop" };
const written = [
  { path: ['hooks', 'events', 'Stop'], value: hook },
  { path: ['hooks', 'events', 'Start'], value: { type: 'command', command: "'/h/launch' start" } },
  { path: ['mcp', 'servers', 'memory'], value: { command: '/h/launch', args: ['mcp-proxy'] } },
];
const servers = { servers: { memory: { command: '/h/launch', args: ['mcp-proxy'] } } };

function look(config: unknown, receipt?: unknown): string | undefined {
  if (config !== undefined) home.write('c.json', typeof config === 'string' ? config : JSON.stringify(config));
  const whole = receipt ?? { version: 1, kind: 'client', configs: [{ path: home.at('c.json'), record: { written } }] };
  home.write('.openviking/install/receipts/some.json', JSON.stringify(whole));
  return fileWithoutHooks(homePaths(home.path), 'some');
}

describe('hooks', () => {
  it.each([
    ['an empty list of events', { hooks: { enabled: true, events: {} }, mcp: servers }],
    ['no hooks at all', { mcp: servers }],
    [
      'others in their place',
      { hooks: { events: { Stop: [{ hooks: [{ type: 'command', command: 'other' }] }] } }, mcp: servers },
    ],
    ['a comment and nothing else', '// saved by the client\n{}'],
  ])('are gone with %s', (_name, config) => {
    expect(look(config)).toBe(home.at('c.json'));
  });

  it.each([
    ['in groups', { hooks: { events: { Stop: [{ hooks: [hook] }] } } }],
    [
      'without groups, with keys of the client',
      { hooks: { events: { Stop: [{ ...hook, on: true }, { command: 'x' }] } } },
    ],
  ])('are there %s, as long as one is left', (_name, config) => {
    expect(look(config)).toBeUndefined();
  });

  it.each([
    ['a file that does not parse', '{', undefined],
    ['no file', undefined, undefined],
    ['a receipt of nonsense', {}, [1, 2]],
    ['a receipt without entries', {}, { configs: [null, { path: 3 }, { path: '/x', record: {} }] }],
  ])('%s says nothing', (_name, config, receipt) => {
    expect(look(config, receipt)).toBeUndefined();
  });

  it('of a file that holds the server only are no loss', () => {
    const record = { written: written.slice(2) };
    expect(look({ mcp: servers }, { configs: [{ path: home.at('c.json'), record }] })).toBeUndefined();
  });

  it('without an installation are no loss', () => {
    expect(fileWithoutHooks(homePaths(home.path), 'some')).toBeUndefined();
  });
});
