/** Must hold 4: the end of a turn costs the host next to nothing, and no turn is lost or doubled, whatever the server does. */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  homeEnvironment,
  killProcessesOfHome,
  messageText,
  processesOfHome,
  runHook,
  startStubServer,
  untilHomeIsQuiet,
  waitUntil,
} from '@openviking/memory-core/testing';
import type { ZcodeSession } from '@openviking/harness-zcode/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ROOT, ZCODE_PAYLOAD } from './artefacts.ts';
import { runInstaller } from './installation.ts';

let home: TemporaryHome;
let server: StubServer;
let host: ZcodeHost;

beforeEach(async () => {
  server = await startStubServer();
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k' }), 0o600);
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
  host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project') });
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

const serverId = (session: ZcodeSession): string => `zc-${session.id}`;
const spoken = (session: ZcodeSession): string[] =>
  server.conversation(serverId(session)).map((message) => `${message.role}: ${messageText(message)}`);

/** Plays turns and returns what the server must hold afterwards. */
async function play(session: ZcodeSession, from: number, to: number): Promise<string[]> {
  const expected: string[] = [];
  for (let turn = from; turn <= to; turn += 1) {
    await session.prompt(`Question ${turn} about the release`);
    await session.answer(`Answer ${turn} about the release`);
    expected.push(`user: Question ${turn} about the release`, `assistant: Answer ${turn} about the release`);
  }
  return expected;
}

/** Waits for the conversation and then until nothing of ours runs any more, so that a doubled turn would show. */
async function settle(session: ZcodeSession, expected: readonly string[], waitMs = 60_000): Promise<void> {
  await server.untilMessages(serverId(session), expected.length, waitMs);
  expect(await untilHomeIsQuiet(home.path, waitMs)).toEqual([]);
  expect(spoken(session)).toEqual(expected);
}

/** Other programs run on the same machine meanwhile: the runs that they disturbed least say what a program costs. */
const undisturbed = (numbers: readonly number[]): number =>
  [...numbers].sort((one, other) => one - other)[1] ?? Number.NaN;
/** Turns of a round, and rounds at most: the first that keeps to the limit ends them, so that a busy machine only takes longer. */
const [TURNS, ROUNDS] = [20, 4];
/** The budget, 1.7, is measured by `npm run bench` on a quiet machine; here others run beside it. */
const MOST = 3;

describe('the end of a turn', () => {
  /** Everything takes the server 10 s; recall is switched off, for it is not the matter here and would wait. */
  const makeSlow = (): void => {
    server.misbehave({ fault: { kind: 'delay', ms: 10_000 } });
    const plugin = { autoRecall: false, noAutoInject: true };
    home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k', plugin }), 0o600);
  };

  it('does not wait for a server that needs 10 s: it takes little longer than an empty process', async () => {
    makeSlow();
    const session = host.startSession();
    const references: number[] = [];
    const stops = (): number[] => host.runs.filter((run) => run.event === 'Stop').map(({ run }) => run.closedMs);
    const ratio = (): number => undisturbed(stops()) / undisturbed(references);
    for (let turn = 1; turn <= TURNS || (turn <= TURNS * ROUNDS && ratio() > MOST); turn += 1) {
      const empty = await runHook({
        command: process.execPath,
        args: [join(ROOT, 'e2e', 'bench', 'reference', 'empty.cjs')],
        cwd: home.path,
        env: homeEnvironment(home.path),
        payload: '',
      });
      references.push(empty.closedMs);
      await play(session, turn, turn);
    }
    expect(stops()).toHaveLength(references.length);
    expect(ratio()).toBeLessThanOrEqual(MOST);
  });

  it('hands the turns over even so: a server that needs 10 s for everything has them in the end', async () => {
    makeSlow();
    const session = host.startSession();
    const expected = await play(session, 1, 1);
    expect(spoken(session)).toEqual([]);
    await settle(session, expected, 90_000);
  });

  /** What is sent again has to wait until the request of the killed worker can no longer be carried out: that long. */
  const giveUpAfter = (timeoutMs: number): string =>
    home.write(
      '.openviking/ovcli.conf',
      JSON.stringify({ url: server.url, api_key: 'k', plugin: { timeoutMs } }),
      0o600,
    );

  it('loses nothing when the worker is killed before the server has stored anything', async () => {
    giveUpAfter(2_000);
    server.misbehave({ method: 'POST', path: /messages/, fault: { kind: 'silence' } });
    const session = host.startSession();
    const before = await play(session, 1, 2);
    await waitUntil('an append that hangs', () => server.requestsTo('POST', /messages/).length > 0);
    expect(killProcessesOfHome(home.path).length).toBeGreaterThan(0);
    server.behave();
    const after = await play(session, 3, 3);
    await settle(session, [...before, ...after]);
  });

  it('doubles nothing when the worker is killed after the server has stored and before it said so', async () => {
    // Long enough that the worker still waits when it is killed. Whoever comes next finds the messages and need not wait.
    giveUpAfter(60_000);
    server.misbehave({ method: 'POST', path: /messages/, fault: { kind: 'store-then-silence' }, times: 1 });
    const session = host.startSession();
    const before = await play(session, 1, 1);
    await server.untilMessages(serverId(session), 2);
    expect(killProcessesOfHome(home.path).length).toBeGreaterThan(0);
    const after = await play(session, 2, 2);
    await settle(session, [...before, ...after]);
  });

  it('doubles nothing when the worker is killed while the server is still storing', async () => {
    // The server takes no longer than that, and the next worker asks within it, on a busy machine as well.
    giveUpAfter(20_000);
    let store = (): void => undefined;
    const until = new Promise<void>((done) => (store = done));
    server.misbehave({ method: 'POST', path: /messages/, fault: { kind: 'held', until }, times: 1 });
    const session = host.startSession();
    const before = await play(session, 1, 1);
    await waitUntil('an append under way', () => server.requestsTo('POST', /messages/).length > 0);
    expect(killProcessesOfHome(home.path).length).toBeGreaterThan(0);
    const asked = server.requestsTo('GET', /\/sessions\//).length;
    const after = await play(session, 2, 2);
    // The next worker has asked for it and was told that nothing is there yet.
    await waitUntil('a look at the session', () => server.requestsTo('GET', /\/sessions\//).length > asked);
    store();
    await settle(session, [...before, ...after]);
  });

  it('keeps no other conversation waiting for one whose append may still be under way', async () => {
    // So long may the killed worker's request still be carried out: of this conversation nothing is sent before.
    giveUpAfter(300_000);
    server.misbehave({ method: 'POST', path: /messages/, fault: { kind: 'silence' } });
    const session = host.startSession();
    const expected = await play(session, 1, 1);
    await waitUntil('an append that hangs', () => server.requestsTo('POST', /messages/).length > 0);
    expect(killProcessesOfHome(home.path).length).toBeGreaterThan(0);
    server.behave();
    const other = host.startSession();
    const otherExpected = await play(other, 1, 1);
    await server.untilMessages(serverId(other), 2);
    expect(spoken(other)).toEqual(otherExpected);
    expect(spoken(session)).toEqual([]);
    killProcessesOfHome(home.path);
    // Five minutes later.
    const append = home.at(`.openviking/spool/${serverId(session)}/append.json`);
    const noted = JSON.parse(readFileSync(append, 'utf8')) as { mayArriveUntil: number };
    expect(noted.mayArriveUntil).toBeGreaterThan(Date.now());
    writeFileSync(append, JSON.stringify({ ...noted, mayArriveUntil: Date.now() }));
    await host.startSession().prompt('Something else altogether');
    await settle(session, expected);
    expect(spoken(other)).toEqual(otherExpected);
  });

  it('delivers what a killed worker left at the next event of another conversation', async () => {
    giveUpAfter(2_000);
    server.misbehave({ method: 'POST', path: /messages/, fault: { kind: 'silence' } });
    const session = host.startSession();
    const expected = await play(session, 1, 1);
    await waitUntil('an append that hangs', () => server.requestsTo('POST', /messages/).length > 0);
    killProcessesOfHome(home.path);
    server.behave();
    await host.startSession().prompt('Something else altogether');
    await settle(session, expected);
  });

  it('keeps a whole conversation while the server is down and delivers it after it is back', async () => {
    await server.goDown();
    const session = host.startSession();
    const expected = await play(session, 1, 3);
    killProcessesOfHome(home.path);
    await server.comeBack();
    await host.startSession().prompt('A new conversation');
    await settle(session, expected);
  });

  it('stops capturing when the spool is full, deletes nothing, and goes on when there is room', async () => {
    const plugin = { spoolMaxBytes: 2_000 };
    home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k', plugin }), 0o600);
    await server.goDown();
    const session = host.startSession();
    const expected = await play(session, 1, 6);
    killProcessesOfHome(home.path);
    const heartbeat = JSON.parse(readFileSync(home.at('.openviking/state/heartbeat/zcode-stop.json'), 'utf8')) as {
      outcome: string;
    };
    expect(heartbeat.outcome).toBe('spool-full');
    await server.comeBack();
    // Two starts: the first makes room, the second finds it.
    await host.startSession().prompt('First of all');
    await server.untilMessages(serverId(session), 1);
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    await host.startSession().prompt('And once more');
    await settle(session, expected);
  });

  it('goes on by itself while its worker lives: no further event is needed', async () => {
    await server.goDown();
    const session = host.startSession();
    const expected = await play(session, 1, 1);
    await waitUntil('the worker', () => processesOfHome(home.path).length > 0);
    await server.comeBack();
    await settle(session, expected);
  });

  it('makes a memory of a last turn whose commit was refused, when the client starts again some time later', async () => {
    const behave = server.misbehave({ path: /\/commit$/u, fault: { kind: 'status', status: 412 } });
    const session = host.startSession();
    const expected = await play(session, 1, 1);
    await settle(session, expected);
    behave();
    const commits = (): number | undefined => server.store.sessions.get(serverId(session))?.commits.length;
    await host.startSession().prompt('Right afterwards');
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    expect(commits()).toBe(0);
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
    utimesSync(home.at(`.openviking/spool/${serverId(session)}/cursor.json`), twoHoursAgo, twoHoursAgo);
    for (let start = 0; start < 2; start += 1) {
      await host.startSession().prompt('Two hours later');
      await settle(session, expected);
      expect(commits()).toBe(1);
    }
  });

  it('has two workers at most wait for a server that fails at everything, and then delivers all of it', async () => {
    const sessions = Array.from({ length: 8 }, () => host.startSession());
    const expected = new Map<ZcodeSession, string[]>();
    const behave = server.misbehave({ path: /sessions/u, fault: { kind: 'status', status: 502 } });
    for (const session of sessions) expected.set(session, await play(session, 1, 1));
    const workers = (): number => processesOfHome(home.path).length;
    await waitUntil('the others to leave', () => workers() <= 2);
    // One that waits is enough: no further event is needed.
    expect(workers()).toBeGreaterThan(0);
    behave();
    for (const [session, said] of expected) await settle(session, said);
  });

  it('tries a conversation again as soon as the server carries out what another one asks', async () => {
    const [session, other] = [host.startSession(), host.startSession()];
    const behave = server.misbehave({ path: /sessions/u, fault: { kind: 'status', status: 502 } });
    const expected = await play(session, 1, 1);
    const note = home.at(`.openviking/spool/${serverId(session)}/back-off.json`);
    await waitUntil('a failure', () => existsSync(note));
    killProcessesOfHome(home.path);
    behave();
    // In the middle of a long pause.
    const noted = JSON.parse(readFileSync(note, 'utf8')) as object;
    writeFileSync(note, JSON.stringify({ ...noted, nextAttemptAt: Date.now() + 280_000 }));
    const others = await play(other, 1, 1);
    await settle(other, others);
    await settle(session, expected);
  });

  it('keeps no other conversation waiting for one at which the server fails, and that one in its order', async () => {
    // Both have begun: the start of a conversation ends every pause.
    const other = host.startSession();
    const others = await play(other, 1, 1);
    await server.untilMessages(serverId(other), 2);
    const session = host.startSession();
    const ofFailing = new RegExp(`/${serverId(session)}/commit$`, 'u');
    server.misbehave({ path: ofFailing, fault: { kind: 'status', status: 500 } });
    const attempts = (): number => server.requestsTo('POST', ofFailing).length;
    const expected = await play(session, 1, 1);
    // After the fourth it is left alone for eight seconds, and after each one that follows for twice as long.
    await waitUntil('a pause that has grown', () => attempts() >= 4);
    let turn = 1;
    const isDeliveredWithinPause = async (): Promise<boolean> => {
      const before = attempts();
      turn += 1;
      others.push(...(await play(other, turn, turn)));
      await server.untilMessages(serverId(other), turn * 2);
      return attempts() === before;
    };
    // Tried again, because the pause may be at its end, and may pass while the machine is busy with other things.
    expect(
      (await isDeliveredWithinPause()) || (await isDeliveredWithinPause()) || (await isDeliveredWithinPause()),
    ).toBe(true);
    others.push(...(await play(other, turn + 1, turn + 9)));
    turn += 9;
    await server.untilMessages(serverId(other), turn * 2);
    expect(spoken(other)).toEqual(others);
    await waitUntil('its commits', () => (server.store.sessions.get(serverId(other))?.commits.length ?? 0) > 0);

    // What comes behind a commit waits for it, and a person sees why.
    expected.push(...(await play(session, 2, 3)));
    killProcessesOfHome(home.path);
    expect(spoken(session)).toEqual(expected.slice(0, 2));
    // In the middle of a pause, however long it has become.
    const note = home.at(`.openviking/spool/${serverId(session)}/back-off.json`);
    const noted = JSON.parse(readFileSync(note, 'utf8')) as { failures: number };
    expect(noted.failures).toBeGreaterThanOrEqual(4);
    writeFileSync(note, JSON.stringify({ ...noted, nextAttemptAt: Date.now() + 280_000 }));
    const listed = await runInstaller(home, ['spool', 'list', '--json']);
    const { conversations } = JSON.parse(listed.stdout) as { conversations: readonly object[] };
    expect(conversations).toEqual([
      expect.objectContaining({
        session: serverId(session),
        depth: 3,
        state: 'backing-off',
        lastError: '500 STUB',
      }),
    ]);
    expect((await runInstaller(home, ['status'])).stdout).toContain(`${serverId(session)}: last error 500 STUB`);

    // The pause outlives the process that made it.
    expect(await isDeliveredWithinPause()).toBe(true);
    killProcessesOfHome(home.path);

    server.behave();
    await host.startSession().prompt('A new conversation');
    await settle(session, expected);
    await settle(other, others);
    expect(existsSync(note)).toBe(false);
  });

  it.each([
    ['a gateway error after storing', { kind: 'store-then-status', status: 502 }],
    ['a broken connection after storing', { kind: 'store-then-drop' }],
    ['a broken connection before storing', { kind: 'drop' }],
    ['503', { kind: 'status', status: 503 }],
    ['429 with Retry-After', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
  ] as const)('stores once, in order, after %s', async (_what, fault) => {
    server.misbehave({ method: 'POST', path: /messages/, fault, times: 2 });
    const session = host.startSession();
    const expected = await play(session, 1, 2);
    await settle(session, expected);
    expect(server.store.sessions.get(serverId(session))?.commits.length).toBeGreaterThan(0);
  });
});
