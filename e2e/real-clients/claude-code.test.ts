/**
 * Our plugin inside the real Claude Code: installed by our installer, run by the client as it runs any plugin, with the
 * local server behind it and a scripted model in front. What this proves, no imitation of the client can.
 *
 * Twice on the same installation of the client: what the first run leaves behind must not be what makes the second pass. The
 * second home is an awkward one, and its client keeps its files where the user wants them.
 */
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTemporaryHome,
  diffTrees,
  describeDifference,
  killProcessesOfHome,
  searchTree,
  snapshotTree,
  untilHomeIsQuiet,
  waitUntil,
} from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { runInstaller } from '../must-hold/installation.ts';
import { startAnthropicStub, textOf, toolResultsOf } from './anthropic-stub.ts';
import type { AnthropicStub, ReceivedRequest } from './anthropic-stub.ts';
import { ClaudeClient } from './claude-client.ts';
import { startMemoryServer } from './memory-server.ts';
import type { MemoryServer } from './memory-server.ts';
import { playedModel, SUMMARY } from './played-model.ts';
import type { ScriptedTurn } from './played-model.ts';

const COMMAND = process.env['OPENVIKING_E2E_CLAUDE'];
const ADDRESS = 'viking://~/memories/profile.md';
const MCP_SERVER = 'mcp__plugin_openviking-memory_openviking';
/** What a user has in the client before we come; the odd layout is theirs. */
const USER_SETTINGS = `{
    "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] },
  "cleanupPeriodDays": 90
}
`;
/** The client's own records, below its folder: which conversations there were, and what it knows of its state. */
const BOOKKEEPING = [
  '.claude.json',
  '.last-cleanup',
  'backups',
  'plugins',
  'projects',
  'session-env',
  'sessions',
  'shell-snapshots',
  // Which MCP servers did not answer the newest of its protocols in time: it has none on a fast machine.
  'state',
];
/** The same in the home. */
const BOOKKEEPING_AT_HOME = ['.claude.json', '.cache/claude-cli-nodejs', 'tmp'];

const PREFERENCE = 'Please remember: I prefer pnpm over npm for every JavaScript project.';
const QUESTION = 'Which package manager do I prefer?';
const READING = 'Read my profile memory and count the notes.';
const LOOKING_UP = 'Look into the memory for my JavaScript preference.';
const RELEASE = 'Please remember: the release of the billing service is always on a Tuesday.';
const AFTERWARDS = 'What have we talked about so far?';
const DELEGATING = 'Let a helper count the markdown files.';
const TASK = 'Count the markdown files below docs and report the number.';
const BRANCHING = 'Please remember: branches are named after the ticket.';
const IN_THE_COPY = 'And tags are named after the version, remember that too.';
const TAKING_LONG = 'Wait a moment with the shell, then list the open questions.';
const UNTIL_TOLD = 'until [ -e go-on ]; do sleep 0.1; done';
const ADDITION = 'And please remember: open questions go into the backlog.';
const BROKEN_OFF = 'Explain the whole history of the billing service.';
const AGAIN = 'Only the last year, please.';
const LATER = 'One more thing: tickets start with the team letter.';

const SCRIPT: readonly ScriptedTurn[] = [
  { prompt: PREFERENCE, steps: [{ text: 'Noted: pnpm for JavaScript projects.' }] },
  { prompt: QUESTION, steps: [{ text: 'You prefer pnpm.' }] },
  {
    prompt: READING,
    steps: [
      { text: 'I open the profile.', calls: [{ name: 'Read', input: { file_path: ADDRESS } }] },
      { calls: [{ name: 'Bash', input: { command: 'wc -l < notes.txt', description: 'Count lines' } }] },
      { text: 'There are 2 notes.' },
    ],
  },
  {
    prompt: LOOKING_UP,
    steps: [
      { calls: [{ name: `${MCP_SERVER}__find`, input: { query: 'preferred JavaScript package manager' } }] },
      { text: 'The memory says pnpm.' },
    ],
  },
  { prompt: RELEASE, steps: [{ text: 'Noted: Tuesday.' }] },
  { prompt: AFTERWARDS, steps: [{ text: 'About the release on Tuesdays.' }] },
  {
    prompt: DELEGATING,
    steps: [
      {
        text: 'I send a helper.',
        calls: [
          {
            name: 'Task',
            input: { description: 'Count', prompt: TASK, subagent_type: 'general-purpose', run_in_background: false },
          },
        ],
      },
      { text: 'The helper found 7 files.' },
    ],
  },
  { prompt: TASK, steps: [{ text: 'There are 7 markdown files.' }] },
  { prompt: BRANCHING, steps: [{ text: 'Noted: the ticket.' }] },
  { prompt: IN_THE_COPY, steps: [{ text: 'Noted: the version.' }] },
  {
    prompt: TAKING_LONG,
    steps: [
      { text: 'I wait.', calls: [{ name: 'Bash', input: { command: UNTIL_TOLD, description: 'Wait' } }] },
      { text: 'There is none, and noted.' },
    ],
  },
  { prompt: BROKEN_OFF, steps: [{ text: 'It all began', unfinished: true }] },
  { prompt: AGAIN, steps: [{ text: 'Last year it was rewritten.' }] },
  { prompt: LATER, steps: [{ text: 'Noted: the team letter.' }] },
];

const HOMES = [
  { title: 'an ordinary home', name: 'home', folder: '.claude' },
  { title: 'an odd home with CLAUDE_CONFIG_DIR', name: "it's 家 (a b)", folder: 'settings/of claude' },
];

describe.each(HOMES)('Claude Code in $title', ({ name, folder }) => {
  let home: TemporaryHome;
  let server: MemoryServer;
  let model: AnthropicStub;
  let client: ClaudeClient;
  let before: TreeSnapshot;

  beforeAll(async () => {
    if (COMMAND === undefined) throw new Error('Run these tests with: npm run e2e:clients');
    home = createTemporaryHome(name);
    server = await startMemoryServer();
    model = await startAnthropicStub(playedModel(SCRIPT));
    const project = home.makeFolder('projects/shop');
    home.write('projects/shop/notes.txt', 'one\ntwo\n');
    home.makeFolder('tmp');
    home.write(`${folder}/settings.json`, USER_SETTINGS);
    before = snapshotTree(home.path);
    client = new ClaudeClient({
      command: COMMAND,
      home: home.path,
      project,
      ...(folder === '.claude' ? {} : { configFolder: home.at(folder) }),
      modelUrl: model.url,
      allowedTools: ['Bash', 'Read', 'Task', 'Agent', `${MCP_SERVER}__find`],
    });
    await installer(['install', '--harness', 'claude', '--url', server.url, '--api-key-stdin'], `${server.apiKey}\n`);
  });

  afterAll(async () => {
    killProcessesOfHome(home.path);
    await model.close();
    await server.close();
    home.remove();
  });

  async function installer(args: readonly string[], stdin = ''): Promise<void> {
    const run = await runInstaller(home, [...args, '--yes'], { env: client.environment, stdin });
    expect(run).toMatchObject({ exitCode: 0 });
  }

  /** Nothing of ours runs any more: what was to be delivered is delivered. */
  async function quiet(): Promise<void> {
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  }

  /** The last request for an answer whose conversation ends in a turn with `prompt`. */
  function requestFor(prompt: string): ReceivedRequest {
    const found = model.requests.filter((request) =>
      request.messages.some((message) => textOf(message).includes(prompt)),
    );
    const last = found.at(-1);
    if (last === undefined) throw new Error(`The model was never asked: ${prompt}`);
    return last;
  }

  /** The installed plugins that are ours, as the client lists them. */
  async function ourPlugins(): Promise<readonly unknown[]> {
    const plugins = JSON.parse(await client.manage('plugin', 'list', '--json')) as readonly { readonly id: string }[];
    return plugins.filter(({ id }) => id.includes('openviking'));
  }

  /** What is different in the home, the client's own records left out. */
  function changesSince(earlier: TreeSnapshot): readonly string[] {
    const own = [...BOOKKEEPING.map((record) => `${folder}/${record}`), ...BOOKKEEPING_AT_HOME];
    // A folder on the way to a record is there for its sake.
    const isOwn = (path: string): boolean =>
      own.some((record) => `${path}/`.startsWith(`${record}/`) || record.startsWith(`${path}/`));
    return diffTrees(earlier, snapshotTree(home.path))
      .filter(({ path }) => !isOwn(path))
      .map(describeDifference);
  }

  /** Resolves when the model has got a request with `prompt`. */
  function untilAsked(prompt: string): Promise<unknown> {
    return waitUntil(`the model to be asked: ${prompt}`, () =>
      model.requests.some(({ messages }) => messages.some((message) => textOf(message).includes(prompt))),
    );
  }

  it('the client knows our plugin and has it switched on', async () => {
    const plugin = { id: expect.stringMatching(/^openviking-memory@/), enabled: true };
    expect(await ourPlugins()).toEqual([expect.objectContaining(plugin)]);
  });

  it('installing again changes nothing', async () => {
    const installed = snapshotTree(home.path);
    await installer(['install', '--harness', 'claude']);
    expect(changesSince(installed)).toEqual([]);
    expect(await ourPlugins()).toHaveLength(1);
  });

  it('what is said in one conversation is before the model in the next', async () => {
    const first = await client.begin(PREFERENCE);
    await quiet();
    expect(server.said(`cc-${first}`)).toEqual([
      `user: ${PREFERENCE}`,
      'assistant: Noted: pnpm for JavaScript projects.',
    ]);
    // One process, one turn: nothing but the end of the session can have asked for it.
    expect(server.commitsOf(`cc-${first}`)).toHaveLength(1);

    const second = await client.begin(QUESTION);
    const [recalled] = envelopes(requestFor(QUESTION), 'prompt');
    expect(recalled).toContain('pnpm over npm');
    await quiet();
    expect(server.said(`cc-${second}`)).toEqual([`user: ${QUESTION}`, 'assistant: You prefer pnpm.']);
  });

  it('a file tool on a memory is denied with our reason, and the turn is stored with its tools', async () => {
    const id = await client.begin(READING);
    const results = requestFor(READING).messages.flatMap(toolResultsOf);
    expect(results).toEqual([
      { isError: true, text: expect.stringContaining(`read(uris=["${ADDRESS}"])`) },
      { isError: false, text: expect.stringContaining('2') },
    ]);
    await quiet();
    const input = { file_path: ADDRESS };
    expect(server.said(`cc-${id}`)).toEqual([
      `user: ${READING}`,
      'assistant: I open the profile.',
      expect.stringMatching(/^assistant tool Read /),
      'assistant tool Bash {"command":"wc -l < notes.txt","description":"Count lines"} → 2 (completed)',
      'assistant: There are 2 notes.',
    ]);
    expect(server.said(`cc-${id}`)[2]).toContain(JSON.stringify(input));
    expect(server.said(`cc-${id}`)[2]).toMatch(/\(error\)$/);
  });

  it('the model reaches the memory through our MCP server', async () => {
    await client.begin(LOOKING_UP);
    const results = requestFor(LOOKING_UP).messages.flatMap(toolResultsOf);
    expect(results).toEqual([{ isError: false, text: expect.stringContaining('pnpm over npm') }]);
    await quiet();
  });

  it('before a compaction everything is committed, after it the overview is before the model', async () => {
    const id = await client.converse([RELEASE, '/compact', AFTERWARDS]);
    const conversation = `cc-${id}`;
    const summary = model.requests.find(({ messages }) =>
      /summary/i.test(textOf(messages.at(-1) ?? { role: '', content: '' })),
    );
    expect(summary).toBeDefined();
    expect(server.commitsOf(conversation)[0]).toBeLessThan(summary?.receivedAt ?? 0);
    const [overview] = envelopes(requestFor(AFTERWARDS), 'session-start').slice(-1);
    expect(overview).toContain('billing service');
    await quiet();
    expect(server.said(conversation)).toEqual([
      `user: ${RELEASE}`,
      'assistant: Noted: Tuesday.',
      `user: ${AFTERWARDS}`,
      'assistant: About the release on Tuesdays.',
    ]);
    expect(JSON.stringify(server.requests)).not.toContain(SUMMARY);
  });

  it('a subagent has a session of its own', async () => {
    const id = await client.begin(DELEGATING);
    await quiet();
    const parent = `cc-${id}`;
    expect(server.said(parent)).toEqual([
      `user: ${DELEGATING}`,
      'assistant: I send a helper.',
      expect.stringMatching(/^assistant tool Task .*7 markdown files/s),
      'assistant: The helper found 7 files.',
    ]);
    const own = server.conversations().filter((name) => name.startsWith(`${parent}__subagent-`));
    expect(own.map((name) => server.said(name))).toEqual([[`user: ${TASK}`, 'assistant: There are 7 markdown files.']]);
    expect(server.commitsOf(own[0] ?? '').length).toBeGreaterThan(0);
  });

  it('a copy of a conversation is stored from where it parts, a resumed one from where it stopped', async () => {
    const id = await client.begin(BRANCHING);
    await quiet();
    const copy = await client.fork(id, IN_THE_COPY);
    await quiet();
    await client.resume(id, LATER);
    await quiet();
    expect(server.said(`cc-${copy}`)).toEqual([`user: ${IN_THE_COPY}`, 'assistant: Noted: the version.']);
    expect(server.said(`cc-${id}`)).toEqual([
      `user: ${BRANCHING}`,
      'assistant: Noted: the ticket.',
      `user: ${LATER}`,
      'assistant: Noted: the team letter.',
    ]);
  });

  it('what the user adds while the model works is part of the turn', async () => {
    const id = await client.interject(TAKING_LONG, untilAsked(TAKING_LONG), ADDITION, () => {
      home.write('projects/shop/go-on', '');
    });
    rmSync(home.at('projects/shop/go-on'));
    await quiet();
    const said = server.said(`cc-${id}`);
    const typed = said.filter((line) => line.startsWith('user: ')).map((line) => line.slice('user: '.length));
    // One message or two: what counts is that both texts are there, once, and in order.
    expect(typed.join('\n').split(/\n+/)).toEqual([TAKING_LONG, ADDITION]);
    expect(said.at(-1)).toBe('assistant: There is none, and noted.');
  });

  it('a turn that the user breaks off is stored without the half answer', async () => {
    const id = await client.interrupt(BROKEN_OFF, untilAsked(BROKEN_OFF));
    await quiet();
    await client.resume(id, AGAIN);
    await quiet();
    expect(server.said(`cc-${id}`)).toEqual([
      `user: ${BROKEN_OFF}`,
      `user: ${AGAIN}`,
      'assistant: Last year it was rewritten.',
    ]);
  });

  it('nothing that we put before the model has been stored', () => {
    expect(model.requests.flatMap((request) => envelopes(request, 'prompt')).length).toBeGreaterThan(0);
    const bodies = JSON.stringify(server.requests.map(({ body }) => body));
    expect(bodies).not.toContain('openviking-context');
    expect(bodies).not.toContain('system-reminder');
    expect(bodies).not.toContain('task-notification');
  });

  it('nobody has asked for anything beyond loopback', async () => {
    expect(model.otherRequests).toEqual([]);
    if (process.env['OPENVIKING_E2E_OWN_NETWORK'] === undefined) return;
    expect(Object.keys(networkInterfaces())).toEqual(['lo']);
    // An address that is documented to belong to nobody.
    await expect(reach('192.0.2.1', 443)).resolves.toBe('ENETUNREACH');
  });

  it('after uninstalling, the client knows nothing of us and the home is as it was', async () => {
    await installer(['uninstall', '--harness', 'claude', '--purge']);
    await quiet();
    expect(await ourPlugins()).toEqual([]);
    expect(await client.manage('plugin', 'marketplace', 'list')).not.toContain('openviking');
    expect(await client.manage('mcp', 'list')).not.toContain('openviking');

    expect(home.readText(`${folder}/settings.json`)).toBe(USER_SETTINGS);
    expect(changesSince(before)).toEqual([]);
    // The copy that the client makes of a plugin would stay behind when only its own command is used. What the client
    // itself has written down of conversations stays, and so does its own count of what was used. From time to time it makes
    // a backup of that file: a slow run has one, a fast one has none.
    const own = [
      `${folder}/projects/`,
      `${folder}/.claude.json`,
      `${folder}/backups/.claude.json.backup.`,
      '.claude.json',
      '.cache/claude-cli-nodejs/',
      'tmp/',
    ];
    const left = searchTree(home.path, 'openviking').filter((path) => !own.some((start) => path.startsWith(start)));
    expect(left).toEqual([]);
    const state = folder === '.claude' ? '.claude.json' : `${folder}/.claude.json`;
    expect((JSON.parse(home.readText(state)) as { mcpServers?: object }).mcpServers ?? {}).not.toHaveProperty(
      'openviking',
    );
  });
});

/** What our hooks put before the model in a request, without the envelope's tags. */
function envelopes(request: ReceivedRequest, source: 'prompt' | 'session-start'): readonly string[] {
  const text = request.messages.map(textOf).join('\n');
  const pattern = new RegExp(`<openviking-context source="${source}">([\\s\\S]*?)</openviking-context>`, 'g');
  return [...text.matchAll(pattern)].map(([, inside = '']) => inside);
}

/** `connected`, or the code of the failure. */
function reach(host: string, port: number): Promise<string> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: 5_000 });
    const end = (outcome: string): void => {
      socket.destroy();
      done(outcome);
    };
    socket.once('connect', () => end('connected'));
    socket.once('timeout', () => end('timeout'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
