/**
 * Variables of a shell send what is said there to a server and with a key of its own. Delivery is another process, often of
 * another shell: what was said in one must never reach the server of the other, and none of it may be lost for that.
 */
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ClaudeHost, writeClaudePlugin } from '@openviking/harness-claude/testing';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  killProcessesOfHome,
  messageText,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { ZcodeSession } from '@openviking/harness-zcode/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ROOT, ZCODE_PAYLOAD } from './artefacts.ts';
import { runInstaller } from './installation.ts';

const STAGING_KEY = 'staging-key-41c7';

let home: TemporaryHome;
/** That of the files, and that of one shell's variables. */
let usual: StubServer;
let staging: StubServer;
let plain: ZcodeHost;
let staged: ZcodeHost;
let cwd: string;

beforeEach(async () => {
  usual = await startStubServer({ apiKey: 'k' });
  staging = await startStubServer({ apiKey: STAGING_KEY });
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: usual.url, api_key: 'k' }), 0o600);
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
  cwd = home.makeFolder('project');
  plain = new ZcodeHost({ home: home.path, cwd });
  staged = new ZcodeHost({ home: home.path, cwd, env: stagingEnvironment() });
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await Promise.all([usual.close(), staging.close()]);
  home.remove();
});

function stagingEnvironment(): Record<string, string> {
  return { OPENVIKING_URL: staging.url, OPENVIKING_API_KEY: STAGING_KEY };
}

async function say(session: ZcodeSession, what: string): Promise<void> {
  await session.prompt(`Question about ${what}`);
  await session.answer(`Answer about ${what}`);
}

const spoken = (server: StubServer, session: ZcodeSession): string[] =>
  server.conversation(`zc-${session.id}`).map((message) => messageText(message));
const about = (...subjects: string[]): string[] =>
  subjects.flatMap((what) => [`Question about ${what}`, `Answer about ${what}`]);

async function quiet(): Promise<void> {
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
}

/** Says something while a server is away, and leaves nobody behind who would go on trying. */
async function sayInVain(server: StubServer, session: ZcodeSession, what: string): Promise<void> {
  await server.goDown();
  await say(session, what);
  killProcessesOfHome(home.path);
  await server.comeBack();
}

describe('what was said', () => {
  it('where variables put Node under its permission model is stored, although that neither flushes nor sets modes', async () => {
    const flag = ['--permission', '--experimental-permission'].find((name) =>
      process.allowedNodeEnvironmentFlags.has(name),
    );
    const allowed = ['--allow-fs-read=*', '--allow-fs-write=*', '--allow-child-process', '--no-warnings'];
    // From Node 25 on the network asks for a word of its own.
    if (process.allowedNodeEnvironmentFlags.has('--allow-net')) allowed.push('--allow-net');
    const env = { NODE_OPTIONS: [flag, ...allowed].join(' ') };
    const session = new ZcodeHost({ home: home.path, cwd, env }).startSession();
    await say(session, 'the weather');
    await quiet();
    expect(spoken(usual, session)).toEqual(about('the weather'));
  });

  it('where variables name a server waits for a hook that has them, and no other server ever sees it', async () => {
    const session = staged.startSession();
    await sayInVain(staging, session, 'the secret project');
    const other = plain.startSession();
    await say(other, 'the weather');
    await quiet();
    // Nobody hangs behind it, and nobody spins for it.
    expect(spoken(usual, other)).toEqual(about('the weather'));
    expect([spoken(usual, session), spoken(staging, session)]).toEqual([[], []]);
    expect(JSON.stringify(usual.requests)).not.toContain(session.id);
    await staged.startSession().prompt('Another conversation of that shell');
    await quiet();
    expect(spoken(staging, session)).toEqual(about('the secret project'));
    expect(JSON.stringify(usual.requests)).not.toContain('secret project');
    expect(staging.store.sessions.get(`zc-${session.id}`)?.commits).toHaveLength(1);
  });

  it('without variables goes where the files say, whoever delivers it', async () => {
    const session = plain.startSession();
    await sayInVain(usual, session, 'the weather');
    const other = staged.startSession();
    await say(other, 'the secret project');
    await quiet();
    expect(spoken(usual, session)).toEqual(about('the weather'));
    expect(spoken(staging, other)).toEqual(about('the secret project'));
    expect(JSON.stringify(staging.requests)).not.toContain('weather');
    expect(JSON.stringify(usual.requests)).not.toContain('secret project');
    expect(JSON.stringify(usual.requests)).not.toContain(STAGING_KEY);
  });

  it('in one conversation here and there keeps its order: what was said later waits for what was said before', async () => {
    const session = staged.startSession();
    await sayInVain(staging, session, 'one');
    const again = plain.startSession(session);
    await say(again, 'two');
    await quiet();
    expect(spoken(usual, session)).toEqual([]);
    await staging.goDown();
    await say(staged.startSession(again), 'three');
    killProcessesOfHome(home.path);
    await staging.comeBack();
    await staged.startSession().prompt('Another conversation of that shell');
    await quiet();
    expect(spoken(staging, session)).toEqual(about('one', 'three'));
    expect(spoken(usual, session)).toEqual(about('two'));
  });

  it('elsewhere starts no worker at a prompt that could do nothing for it, and one as soon as there is work', async () => {
    home.write(
      '.openviking/ovcli.conf',
      JSON.stringify({ url: usual.url, api_key: 'k', plugin: { debug: true, debugLogPath: home.at('log') } }),
      0o600,
    );
    const left = staged.startSession();
    await sayInVain(staging, left, 'the secret project');
    const session = plain.startSession();
    await say(session, 'the weather');
    await quiet();
    const looks = (): number => home.readText('log').split(`zc-${left.id} waits for a hook`).length - 1;
    const before = looks();
    expect(before).toBeGreaterThan(0);
    await session.prompt('Another question about the weather');
    await quiet();
    expect(looks()).toBe(before);
    await staged.startSession(session).prompt('A question where it was said');
    await quiet();
    expect(spoken(staging, left)).toEqual(about('the secret project'));
  });

  it('leaves neither key nor address of its shell in what waits', async () => {
    await sayInVain(staging, staged.startSession(), 'the secret project');
    const session = staged.startSession();
    await session.prompt('A prompt that waits for its answer');
    await quiet();
    const spool = home.at('.openviking/spool');
    const texts = readdirSync(spool, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?:records|pending)[\\/].*\.json$/u.test(name))
      .map((name) => readFileSync(join(spool, name), 'utf8'));
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      expect(text).not.toContain(STAGING_KEY);
      expect(text).not.toContain(staging.url);
      expect(JSON.parse(text)).toMatchObject({ environment: expect.stringMatching(/^[0-9a-f]{8}$/u) as unknown });
    }
  });
});

describe('a key that was refused and is replaced', () => {
  const NEW_KEY = 'staging-key-9d02';
  const shell = (key: string): Record<string, string> => ({ OPENVIKING_URL: staging.url, OPENVIKING_API_KEY: key });

  it('keeps what waits from nobody but others: it is sent with the new one when its user says so', async () => {
    const installed = await runInstaller(home, ['--harness', 'zcode', '--hooks-only', '--yes']);
    expect(installed).toMatchObject({ exitCode: 0 });
    staging.setApiKey(NEW_KEY);
    const session = staged.startSession();
    await say(session, 'one');
    await quiet();
    expect(staging.requests.filter(({ outcome }) => outcome === 401).length).toBeGreaterThan(0);
    // The shell has the new key now, and its conversation goes on.
    const renewed = new ZcodeHost({ home: home.path, cwd, env: shell(NEW_KEY) });
    await say(renewed.startSession(session), 'two');
    const other = renewed.startSession();
    await say(other, 'three');
    await quiet();
    // Nobody can tell a new key from somebody else's: nothing is sent, nothing is lost, and nothing else waits for it.
    expect([spoken(staging, session), spoken(staging, other)]).toEqual([[], about('three')]);
    const env = shell(NEW_KEY);
    expect((await runInstaller(home, ['spool', 'list'], { env })).stdout).toContain('spool retry --here');
    const retried = await runInstaller(home, ['spool', 'retry', '--here', '--yes'], { env });
    expect(retried).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(staging.url) as unknown });
    await quiet();
    expect(spoken(staging, session)).toEqual(about('one', 'two'));
    expect((await runInstaller(home, ['spool', 'list'], { env })).stdout).toBe('Nothing waits for a server.\n');
    expect(JSON.stringify(usual.requests)).not.toContain(session.id);
  });

  it('is the same key at an address that is written otherwise: nothing has to be said', async () => {
    const session = staged.startSession();
    await sayInVain(staging, session, 'one');
    const env = {
      OPENVIKING_BASE_URL: `${staging.url.replace('http', 'HTTP')}/`,
      OPENVIKING_BEARER_TOKEN: STAGING_KEY,
    };
    await say(new ZcodeHost({ home: home.path, cwd, env }).startSession(session), 'two');
    await quiet();
    expect(spoken(staging, session)).toEqual(about('one', 'two'));
  });
});

it('a conversation that nobody ended is committed where it was said, by a client that starts there', async () => {
  writeClaudePlugin({ home: home.path, payloadDir: join(ROOT, 'libs/harness-claude/dist/payload') });
  home.write(
    '.openviking/ovcli.conf',
    JSON.stringify({ url: usual.url, api_key: 'k', plugin: { commitIdleTimeoutSeconds: 3_600 } }),
    0o600,
  );
  const host = new ClaudeHost({ home: home.path, cwd, env: stagingEnvironment() });
  const killed = host.startSession();
  await killed.prompt('Question about the secret project');
  await killed.answer('Answer about the secret project');
  await quiet();
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
  utimesSync(home.at(`.openviking/spool/cc-${killed.id}/cursor.json`), twoHoursAgo, twoHoursAgo);
  await new ClaudeHost({ home: home.path, cwd }).startSession().prompt('Elsewhere');
  await quiet();
  const commits = (server: StubServer): unknown => server.store.sessions.get(`cc-${killed.id}`)?.commits.length;
  expect([commits(staging), commits(usual)]).toEqual([0, undefined]);
  await host.startSession().prompt('There');
  await quiet();
  expect([commits(staging), commits(usual)]).toEqual([1, undefined]);
});
