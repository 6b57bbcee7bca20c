/**
 * One store, not two: Cursor and TRAE also run the hooks that Claude Code's settings name, so that with both integrations
 * installed every event reaches both. Exactly one may recall and capture, and in Claude Code the other must still do its work.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CursorHost, readClaudeSettings } from '@openviking/harness-cursor/testing';
import { TraeHost } from '@openviking/harness-trae/testing';
import {
  createTemporaryHome,
  homeEnvironment,
  messageText,
  runHook,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { HookRun, StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { removeHome, runInstaller } from './installation.ts';

const KEY = 'one-store-key-77aa';
const PROMPT = 'Which package manager do I prefer for JavaScript?';
const ANSWER = 'You prefer pnpm for JavaScript.';

let home: TemporaryHome;
let server: StubServer;

beforeEach(async () => {
  server = await startStubServer({ apiKey: KEY });
  const text = 'The user prefers pnpm for JavaScript.';
  server.store.memories.push({ uri: 'viking://~/memories/p.md', category: 'preferences', abstract: text, text });
  home = createTemporaryHome();
  for (const folder of ['.claude', '.cursor', '.trae-cn', 'project']) home.makeFolder(folder);
  // Without a `claude` command to ask, its hooks go into settings.json, which the others import.
  const args = ['install', '--harness', 'claude,cursor,trae-cn', '--url', server.url, '--api-key-stdin', '--yes'];
  const run = await runInstaller(home, args, { stdin: `${KEY}\n`, env: { PATH: '/usr/bin:/bin' } });
  expect(run).toMatchObject({ exitCode: 0 });
});
afterEach(async () => {
  removeHome(home);
  await server.close();
});

/** Everything that was stored, as `conversation role: text`. */
async function stored(): Promise<readonly string[]> {
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  const sessions = new Set(
    server.requestsTo('POST', /\/messages/).flatMap(({ path }) => /\/sessions\/([^/]+)\//.exec(path)?.[1] ?? []),
  );
  return [...sessions].flatMap((id) =>
    server.conversation(id).map((message) => `${id} ${message.role}: ${messageText(message)}`),
  );
}

it('a conversation in Cursor, which runs the hooks of both, is recalled for and stored once, as Cursor’s', async () => {
  const host = new CursorHost({ home: home.path, cwd: home.at('project') });
  const origins = host
    .readHooks()
    .get('beforeSubmitPrompt')
    ?.map(({ origin }) => origin);
  expect(origins).toEqual(['cursor', 'claude']);

  const session = host.startSession();
  const { submit } = await session.prompt(PROMPT);
  expect(submit.contexts).toHaveLength(1);
  expect(submit.contexts[0]).toContain('pnpm');
  const { denied } = await session.tool('Read', { file_path: 'viking://~/memories/profile.md' }, 'none');
  expect(denied).toContain('MCP tool read');
  await session.answer(ANSWER);
  await session.end();

  const both = host.runs.filter(({ hook }) => hook.origin === 'claude');
  expect(new Set(both.map(({ event }) => event))).toEqual(
    new Set(['sessionStart', 'beforeSubmitPrompt', 'preToolUse', 'stop', 'sessionEnd']),
  );
  expect(both.map(({ run }) => run.stdout).filter((text) => text !== '')).toEqual([]);
  expect(await stored()).toEqual([`cu-${session.id} user: ${PROMPT}`, `cu-${session.id} assistant: ${ANSWER}`]);
});

it.each([
  ['names its agent in every payload', 'solo_agent'],
  ['names none', null],
])('a conversation in TRAE CN, in a build that %s, is kept by its own integration alone', async (_build, agentId) => {
  // The project has a copy of Claude Code's settings, which the client reads as well.
  home.write('project/.claude/settings.json', home.readText('.claude/settings.json'));
  const host = new TraeHost({ home: home.path, cwd: home.at('project'), folder: '.trae-cn', agentId });
  const session = host.startSession();
  const { injected } = await session.prompt(PROMPT);
  expect(injected.match(/<openviking-context source="prompt">/g)).toHaveLength(1);
  await session.answer(ANSWER);

  const imported = host.runs.filter(({ command }) => command.includes('agent-integrations/claude/'));
  expect(imported.map(({ event }) => event)).toEqual(
    ['SessionStart', 'UserPromptSubmit', 'Stop'].flatMap((event) => [event, event]),
  );
  expect(imported.map(({ run }) => run.stdout).filter((text) => text !== '')).toEqual([]);
  expect(await stored()).toEqual([`trcn-${session.id} user: ${PROMPT}`, `trcn-${session.id} assistant: ${ANSWER}`]);
});

it('status says which of them it is', async () => {
  const { stdout } = await runInstaller(home, ['status', '--json']);
  const { clients } = JSON.parse(stdout) as {
    readonly clients: readonly { readonly id: string; yieldsTo?: unknown }[];
  };
  expect(clients.map(({ id, yieldsTo }) => [id, yieldsTo])).toEqual(
    expect.arrayContaining([
      ['claude', ['cursor', 'trae-cn']],
      ['cursor', undefined],
      ['trae-cn', undefined],
    ]),
  );
});

it('the same hooks in Claude Code itself recall and store', async () => {
  const hooks = readClaudeSettings(readFileSync(home.at('.claude/settings.json'), 'utf8'));
  const id = randomUUID();
  const common = { session_id: id, prompt_id: randomUUID(), cwd: home.at('project') };
  const fire = (event: 'beforeSubmitPrompt' | 'stop', payload: object): Promise<HookRun> => {
    const command = hooks.get(event)?.[0]?.command;
    if (command === undefined) throw new Error(`settings.json names no hook for ${event}`);
    return runHook({
      command: '/bin/sh',
      args: ['-c', command],
      cwd: home.at('project'),
      env: homeEnvironment(home.path, { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id }),
      payload: JSON.stringify({ ...common, ...payload }),
    });
  };
  const prompt = await fire('beforeSubmitPrompt', { hook_event_name: 'UserPromptSubmit', prompt: PROMPT });
  expect(prompt.stdout).toContain('pnpm');
  await fire('stop', { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: ANSWER });
  expect(await stored()).toEqual([`cc-${id} user: ${PROMPT}`, `cc-${id} assistant: ${ANSWER}`]);
});
