/**
 * The fake client must be at least as strict as the real one, and must be right about what a rollout looks like: a lenient
 * fake would pass hooks that are lost in production.
 */
import { existsSync, readFileSync, readdirSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { ZcodeHost } from './zcode-host.ts';
import type { ZcodeHostOptions } from './zcode-host.ts';
import { readZcodeConfig } from './config.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

const handler = { type: 'command', command: 'true', timeout: 5 };
const withGroup = (group: object, event = 'Stop'): string =>
  JSON.stringify({ hooks: { enabled: true, events: { [event]: [group] } } });
const VALID = withGroup({ hooks: [handler] });

describe('readZcodeConfig', () => {
  it.each([
    ['a byte order mark', `\uFEFF${VALID}`],
    ['a comment', `// mine\n${VALID}`],
    ['a trailing comma', VALID.replace('}}', '},}')],
    ['an empty file', ''],
    ['a list', '[]'],
    ['an empty matcher', withGroup({ matcher: '', hooks: [handler] })],
    ['a null matcher', withGroup({ matcher: null, hooks: [handler] })],
    ['an unknown event, even an empty one', '{"hooks":{"enabled":true,"events":{"PreCompact":[]}}}'],
    ['an unknown key in hooks', '{"hooks":{"enabled":true,"version":1}}'],
    ['an unknown key in a group', withGroup({ hooks: [handler], owner: 'us' })],
    ['a group without handlers', withGroup({ hooks: [] })],
    ['a handler without type', withGroup({ hooks: [{ command: 'true' }] })],
    ['an empty command', withGroup({ hooks: [{ ...handler, command: '' }] })],
    ['timeout 0', withGroup({ hooks: [{ ...handler, timeout: 0 }] })],
    ['a timeout in words', withGroup({ hooks: [{ ...handler, timeout: '5' }] })],
    ['an empty status message', withGroup({ hooks: [{ ...handler, statusMessage: '' }] })],
    ['null hooks', '{"hooks":null}'],
    ['null events', '{"hooks":{"enabled":true,"events":null}}'],
    ['a bad value far from the hooks', `{"ui":{"locale":"fr"},${VALID.slice(1)}`],
  ])('drops the whole file for %s', (_what, text) => {
    expect(readZcodeConfig(text).kind).toBe('dropped');
  });

  it.each([
    ['an unknown key in a handler', withGroup({ hooks: [{ ...handler, openviking: true }] })],
    ['unknown top-level keys', `{"$schema":"x","mine":[1],${VALID.slice(1)}`],
    ['matcher *', withGroup({ matcher: '*', hooks: [handler] })],
    ['an event without groups', '{"hooks":{"enabled":true,"events":{"Stop":[]}}}'],
    ['no hooks at all', '{}'],
  ])('keeps a file with %s', (_what, text) => {
    expect(readZcodeConfig(text).kind).toBe('read');
  });

  it('drops a process handler, and the file with it, in a runtime that does not know the type', () => {
    const text = withGroup({ hooks: [{ type: 'process', command: 'node', args: [] }] });
    expect(readZcodeConfig(text, { knowsProcessHandlers: true }).kind).toBe('read');
    expect(readZcodeConfig(text, { knowsProcessHandlers: false }).kind).toBe('dropped');
  });

  it('counts `timeout` in seconds for commands only', () => {
    const text = JSON.stringify({
      hooks: {
        enabled: true,
        events: {
          Stop: [
            {
              hooks: [
                { type: 'command', command: 'true', timeout: 7 },
                { type: 'process', command: 'true', timeout: 7 },
                { type: 'process', command: 'true', timeoutMs: 7 },
              ],
            },
          ],
        },
      },
    });
    const reading = readZcodeConfig(text);
    if (reading.kind !== 'read') throw new Error(reading.reason);
    const timeouts = reading.config.events.get('Stop')?.[0]?.handlers.map((one) => one.timeoutMs);
    expect(timeouts).toEqual([7_000, 60_000, 7]);
  });

  it('drops a bad MCP server alone, and all of them when they are a list', () => {
    const names = (servers: unknown): string[] => {
      const reading = readZcodeConfig(JSON.stringify({ mcp: { servers } }));
      return reading.kind === 'read' ? [...reading.config.mcpServers.keys()] : ['dropped'];
    };
    expect(names({ good: { type: 'stdio', command: 'node' }, bad: { type: 'stdio' } })).toEqual(['good']);
    expect(names([{ command: 'node' }])).toEqual([]);
  });
});

/** Writes a configuration whose handlers run `script` (a Node program) for the given events. */
function hostWith(
  scripts: Readonly<Record<string, string>>,
  options: Partial<ZcodeHostOptions> = {},
  enabled = true,
): ZcodeHost {
  const events = Object.fromEntries(
    Object.entries(scripts).map(([event, script]) => [
      event,
      [{ hooks: [{ type: 'process', command: process.execPath, args: ['-e', script], timeoutMs: 5_000 }] }],
    ]),
  );
  home.write('.zcode/cli/config.json', JSON.stringify({ hooks: { enabled, events } }));
  return new ZcodeHost({ home: home.path, cwd: home.path, ...options });
}

const print = (value: unknown): string => `process.stdout.write(${JSON.stringify(JSON.stringify(value))})`;
const context = (event: string, additionalContext: string): unknown => ({
  hookSpecificOutput: { hookEventName: event, additionalContext },
});

describe('ZcodeHost output rules', () => {
  const submit = async (script: string): Promise<string> => {
    const { submit: outcome } = await hostWith({ UserPromptSubmit: script }).startSession().prompt('hello');
    const verdict = outcome.runs[0]?.verdict;
    return verdict === undefined ? 'not run' : verdict.kind;
  };

  it.each<[string, unknown, string]>([
    ['exactly the one form', context('UserPromptSubmit', 'remember'), 'context'],
    ['another event name', context('SessionStart', 'remember'), 'failed'],
    ['an unknown key', { ...(context('UserPromptSubmit', 'x') as object), version: 1 }, 'failed'],
    ['a null context', context('UserPromptSubmit', null as unknown as string), 'failed'],
    ['decision allow', { decision: 'allow' }, 'failed'],
  ])('judges %s', async (_what, value, expected) => {
    expect(await submit(print(value))).toBe(expected);
  });

  it('ignores plain text and text around the JSON', async () => {
    expect(await submit(`process.stdout.write('note')`)).toBe('nothing');
    expect(await submit(`process.stdout.write('log\\n{}')`)).toBe('nothing');
  });

  it('loses an answer of more than 32,768 bytes, counted in bytes', async () => {
    const long = print(context('UserPromptSubmit', '长'.repeat(12_000)));
    expect(await submit(long)).toBe('nothing');
    expect(await submit(print(context('UserPromptSubmit', '长'.repeat(9_000))))).toBe('context');
  });

  it('runs no hook while hooks.enabled is not true', async () => {
    const host = hostWith({ UserPromptSubmit: print(context('UserPromptSubmit', 'x')) }, {}, false);
    expect((await host.startSession().prompt('hello')).submit.runs).toEqual([]);
  });

  it('shows the context to the model as a message of its own, cut at 24,000 characters, with nested tags made harmless', async () => {
    const text = `a </system-reminder> ${'x'.repeat(30_000)}`;
    const outcome = await hostWith({ SessionStart: print(context('SessionStart', text)) })
      .startSession()
      .prompt('hello');
    const [, reminder, prompt] = outcome.modelSees;
    expect(prompt).toEqual({ role: 'user', content: 'hello' });
    expect(reminder?.role).toBe('user');
    expect(reminder?.content.match(/<\/system-reminder>/g)).toHaveLength(1);
    expect(reminder?.content.length).toBeLessThan(24_200);
  });

  it('gives the hook both spellings, the environment and a transcript that is gone afterwards', async () => {
    const script = `
      let text = '';
      process.stdin.on('data', (chunk) => { text += chunk; }).on('end', () => {
        const seen = { ...JSON.parse(text), env: process.env.ZCODE_SESSION_ID, cwd2: process.cwd(),
          transcript: require('node:fs').readFileSync(JSON.parse(text).transcript_path, 'utf8') };
        process.stdout.write(JSON.stringify({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: JSON.stringify(seen) } }));
      });`;
    const session = hostWith({ UserPromptSubmit: script }).startSession();
    const outcome = await session.prompt('hällo');
    const seen = JSON.parse(outcome.submit.contexts[0] ?? '') as Record<string, string>;
    expect(seen).toMatchObject({
      sessionId: session.id,
      session_id: session.id,
      env: session.id,
      turnId: outcome.turnId,
      hookEventName: 'UserPromptSubmit',
      hook_event_name: 'UserPromptSubmit',
      prompt: 'hällo',
      cwd: home.path,
      cwd2: home.path,
    });
    expect(JSON.parse(seen['transcript'] ?? '')).toMatchObject({ message: { role: 'user' } });
    expect(existsSync(seen['transcript_path'] ?? '')).toBe(false);
  });

  it('does not run a denied tool, and tells the model why', async () => {
    const deny = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'use the other tool',
      },
    };
    const session = hostWith({ PreToolUse: print(deny) }).startSession();
    await session.prompt('hello');
    expect((await session.tool('Read', { path: 'x' }, 'content')).denied).toBe('use the other tool');
  });
});

interface Line {
  readonly querySource: string;
  readonly attempt: number;
  readonly error?: unknown;
  readonly request: { readonly messagesKind: string; readonly messageOffset: number; readonly messages: unknown[] };
  readonly response: { readonly finishReason?: string; readonly text?: string };
}

const lines = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

describe('ZcodeHost rollout', () => {
  it('writes a full line, then deltas; a title line in between makes the next one full again', async () => {
    const session = hostWith({}).startSession();
    await session.prompt('one');
    await session.tool('Bash', { command: 'ls' }, 'files', { say: 'I look.' });
    session.title('A title');
    await session.answer('done');
    await session.prompt('two');
    await session.answer('done again');
    const seen = lines(session.rolloutPath).map(({ querySource, request, response }) => [
      querySource,
      request.messagesKind,
      request.messageOffset,
      request.messages.length,
      response.finishReason,
    ]);
    expect(seen).toEqual([
      ['main_turn', 'full', 0, 2, 'tool-calls'],
      ['session_title', 'full', 0, 2, 'stop'],
      ['main_turn', 'full', 0, 4, 'stop'],
      ['main_turn', 'delta', 4, 2, 'stop'],
    ]);
  });

  it('starts with a tail of 64 messages in a new process', async () => {
    const first = hostWith({}).startSession();
    for (let turn = 0; turn < 40; turn += 1) {
      await first.prompt(`prompt ${turn}`);
      await first.answer(`answer ${turn}`);
    }
    const again = new ZcodeHost({ home: home.path, cwd: home.path }).startSession(first);
    await again.prompt('after the restart');
    await again.answer('yes');
    expect(again.id).toBe(first.id);
    const last = lines(again.rolloutPath).at(-1);
    expect(last?.request).toMatchObject({ messagesKind: 'tail', messageOffset: 82 - 64 });
    expect(last?.request.messages).toHaveLength(64);
  });

  it('records a failed attempt only where the request was not streamed, and counts it', async () => {
    const session = hostWith({}).startSession();
    await session.prompt('one');
    session.failAttempt({ recorded: true });
    session.failAttempt({ recorded: false });
    await session.answer('at last');
    expect(lines(session.rolloutPath).map((line) => [line.attempt, line.error !== undefined])).toEqual([
      [1, true],
      [3, false],
    ]);
  });

  it('keeps three files: subagents push the parent out', async () => {
    const host = hostWith({});
    const session = host.startSession();
    await session.prompt('one');
    await session.answer('done');
    utimesSync(session.rolloutPath, 1, 1);
    host.runSubagent('look', 'seen');
    host.runSubagent('look', 'seen');
    expect(existsSync(session.rolloutPath)).toBe(true);
    host.runSubagent('look', 'seen');
    expect(existsSync(session.rolloutPath)).toBe(false);
    expect(readdirSync(home.at('.zcode/cli/rollout'))).toHaveLength(3);
  });

  it('starts a file over that would grow beyond its limit', async () => {
    const session = hostWith({}, { rollout: { fileLimitBytes: 4_000 } }).startSession();
    await session.prompt('one');
    await session.answer('a'.repeat(2_000));
    await session.prompt('two');
    await session.answer('b'.repeat(2_000));
    const kept = lines(session.rolloutPath);
    expect(kept).toHaveLength(1);
    expect(kept[0]?.request.messagesKind).toBe('full');
    expect(kept[0]?.response.text).toMatch(/^b+$/);
  });
});
