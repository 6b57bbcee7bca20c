/** The rules for the client's files, and that its strict imitation agrees with every one of them. */
import { describe, expect, it } from '@jest/globals';
import { parseTree } from 'jsonc-parser';
import { CURSOR_EVENTS as KNOWN, readHooksFile } from '../testing/index.ts';
import { checkHooksFile, checkServersFile, CURSOR_EVENTS } from '../src/config-rules.ts';
import type { ConfigDocument, ConfigNode } from '../vendor/memory-core/hot.ts';

function documentOf(text: string): ConfigDocument {
  const root = parseTree(text, [], { allowEmptyContent: true }) as ConfigNode | undefined;
  return { ...(root === undefined ? {} : { root }), oddities: [] };
}

const codes = (text: string) => checkHooksFile(documentOf(text)).map(({ code, where }) => `${code} ${where}`);
const file = (hooks: object) => JSON.stringify({ version: 1, hooks });
const hook = (change: object) => file({ stop: [{ command: 'x', ...change }] });

describe('hooks.json', () => {
  it.each([
    ['a list', '[]', 'cursor/not-object '],
    ['no version', '{"hooks":{}}', 'cursor/version version'],
    ['a version that is text', '{"version":"1","hooks":{}}', 'cursor/version version'],
    ['another version', '{"version":2,"hooks":{}}', 'cursor/version version'],
    ['hooks that are a list', '{"version":1,"hooks":[]}', 'cursor/bad-value hooks'],
    ['an unknown event', file({ notification: [{ command: 'x' }] }), 'cursor/unknown-event hooks.notification'],
    ['an event in another client’s spelling', file({ Stop: [] }), 'cursor/unknown-event hooks.Stop'],
    ['an event without a list', file({ stop: { command: 'x' } }), 'cursor/bad-value hooks.stop'],
    ['a hook that is text', file({ stop: ['x'] }), 'cursor/bad-value hooks.stop[0]'],
    ['a group', file({ stop: [{ hooks: [{ type: 'command', command: 'x' }] }] }), 'cursor/nested-group hooks.stop[0]'],
    ['no command', file({ stop: [{ timeout: 5 }] }), 'cursor/bad-value hooks.stop[0].command'],
    ['an empty command', hook({ command: '' }), 'cursor/bad-value hooks.stop[0].command'],
    ['an unknown type', hook({ type: 'http' }), 'cursor/bad-value hooks.stop[0].type'],
    ['a time limit of 0', hook({ timeout: 0 }), 'cursor/bad-value hooks.stop[0].timeout'],
    ['a time limit that is text', hook({ timeout: '5' }), 'cursor/bad-value hooks.stop[0].timeout'],
    ['a matcher that is no text', hook({ matcher: ['Read'] }), 'cursor/bad-value hooks.stop[0].matcher'],
    ['failClosed that is text', hook({ failClosed: 'no' }), 'cursor/bad-value hooks.stop[0].failClosed'],
  ])('is not right with %s', (_what, text, expected) => {
    expect(codes(text)).toEqual([expected]);
    // cursor-agent loses the file, or at least this hook.
    const reading = readHooksFile(text, 'agent');
    expect(reading.kind === 'dropped' || (reading.hooks.get('stop') ?? []).length === 0).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no hooks', '{"version":1}'],
    ['every event', file(Object.fromEntries([...CURSOR_EVENTS].map((event) => [event, [{ command: 'x' }]])))],
    ['every key', hook({ type: 'command', timeout: 2.5, matcher: 'Read', failClosed: true, loop_limit: null })],
    ['a hook that asks a model', file({ stop: [{ type: 'prompt', prompt: 'Is it done?' }] })],
  ])('is right with %s', (_what, text) => {
    expect(codes(text)).toEqual([]);
  });

  it('knows every event that the imitation knows', () => {
    expect(KNOWN.filter((event) => !CURSOR_EVENTS.has(event))).toEqual([]);
  });

  it('says for an unknown event who drops what, in both languages, with its place', () => {
    const text = file({ stop: [], notification: [] });
    const [violation] = checkHooksFile(documentOf(text));
    expect(violation?.offset).toBe(text.indexOf('"notification"'));
    expect(violation?.message.en).toBe(
      '"notification" is not an event of this client; cursor-agent then ignores the whole file, the editor only this event',
    );
    expect(violation?.message.zh).toContain('cursor-agent 会因此忽略整个文件');
    expect(violation?.fix.en).toBe('Correct or remove hooks.notification.');
  });

  it('lists everything in the order of the text', () => {
    const text = '{"hooks":{"b":[],"a":[],"stop":[{"timeout":-1}]},"version":3}';
    const found = checkHooksFile(documentOf(text)).map(({ offset }) => offset);
    expect(found).toHaveLength(5);
    expect(found).toEqual([...found].sort((one, other) => one - other));
  });
});

describe('mcp.json', () => {
  const servers = (text: string) => checkServersFile(documentOf(text)).map(({ code, where }) => `${code} ${where}`);

  it('needs a map of servers that have a command or an address', () => {
    expect(servers('{"mcpServers":{"a":{"command":"x"},"b":{"url":"https://x"}},"other":1}')).toEqual([]);
    expect(servers('{}')).toEqual([]);
    expect(servers('')).toEqual([]);
    expect(servers('[]')).toEqual(['cursor/not-object ']);
    expect(servers('{"mcpServers":[]}')).toEqual(['cursor/bad-value mcpServers']);
    expect(servers('{"mcpServers":{"a":{},"b":"x"}}')).toEqual([
      'cursor/bad-server mcpServers.a',
      'cursor/bad-server mcpServers.b',
    ]);
  });
});
