/**
 * A conversation becomes memory when it is committed: by its length, at its end, and when nobody ended it. Played by a
 * client that has an end of the conversation, on what ships.
 */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ClaudeHost, writeClaudePlugin } from '@openviking/harness-claude/testing';
import {
  createTemporaryHome,
  killProcessesOfHome,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { ClaudeSession } from '@openviking/harness-claude/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ROOT } from './artefacts.ts';

let home: TemporaryHome;
let server: StubServer;
let host: ClaudeHost;

beforeEach(async () => {
  server = await startStubServer({ apiKey: 'k' });
  home = createTemporaryHome();
  writeSettings({});
  writeClaudePlugin({ home: home.path, payloadDir: join(ROOT, 'libs/harness-claude/dist/payload') });
  host = new ClaudeHost({ home: home.path, cwd: home.makeFolder('project') });
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

function writeSettings(plugin: Readonly<Record<string, unknown>>): void {
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k', plugin }), 0o600);
}

async function play(session: ClaudeSession, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    await session.prompt(`Question ${turn} about the release`);
    await session.answer(`Answer ${turn} about the release`);
  }
}

/** What each commit kept back, once nothing is under way any more. */
async function commits(session: ClaudeSession): Promise<(number | undefined)[]> {
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  return (server.store.sessions.get(`cc-${session.id}`)?.commits ?? []).map(({ keepRecent }) => keepRecent);
}

describe('a conversation', () => {
  it('is committed after so many turns, and whole at its end', async () => {
    writeSettings({ commitTurnThreshold: 3, commitKeepRecentCount: 2 });
    const session = host.startSession();
    await play(session, 4);
    expect(await commits(session)).toEqual([2]);
    await session.end();
    expect(await commits(session)).toEqual([2, 0]);
    expect(server.store.sessions.get(`cc-${session.id}`)?.archived).toHaveLength(8);
  });

  it('is committed by the amount that has gathered at the server', async () => {
    writeSettings({ commitTokenThreshold: 1_000, commitTurnThreshold: 0, commitKeepRecentCount: 0 });
    const session = host.startSession();
    await play(session, 1);
    expect(await commits(session)).toEqual([]);
    await session.prompt(`What does this log say? ${'The service restarted without an error. '.repeat(120)}`);
    await session.answer('It restarted.');
    expect(await commits(session)).toEqual([0]);
  });

  /** What a server answers to a commit whose predecessor failed, and to one that another has overtaken. */
  const REFUSALS = [
    [412, 'FAILED_PRECONDITION'],
    [409, 'CONFLICT'],
  ] as const;

  it.each(REFUSALS)(
    'whose end the server refused with %i becomes memory later, asked for once an hour',
    async (status, code) => {
      const body = JSON.stringify({ status: 'error', error: { code, message: 'an earlier archive failed' } });
      // Whoever wants no commits of idle conversations: this one was asked for.
      writeSettings({ commitIdleTimeoutSeconds: 0 });
      const behave = server.misbehave({ path: /\/commit$/u, fault: { kind: 'status', status, body } });
      const refused = host.startSession();
      await play(refused, 2);
      await refused.end();
      expect(await commits(refused)).toEqual([]);
      const stored = server.conversation(`cc-${refused.id}`);
      expect(stored).toHaveLength(4);
      const asked = (): number => server.requestsTo('POST', /\/commit$/u).length;
      const later = async (): Promise<void> => {
        const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
        utimesSync(home.at(`.openviking/spool/cc-${refused.id}/cursor.json`), twoHoursAgo, twoHoursAgo);
        for (let start = 0; start < 2; start += 1) {
          await host.startSession().prompt('Another conversation entirely');
          expect(await untilHomeIsQuiet(home.path)).toEqual([]);
        }
      };
      expect(asked()).toBe(1);
      await later();
      expect(asked()).toBe(2);
      behave();
      await later();
      expect(await commits(refused)).toEqual([0]);
      expect(server.store.sessions.get(`cc-${refused.id}`)?.archived).toHaveLength(4);
      expect(server.conversation(`cc-${refused.id}`)).toEqual(stored);
    },
  );

  it('that nobody ended is committed when the client starts again, but not while it may go on', async () => {
    const killed = host.startSession();
    await play(killed, 2);
    expect(await commits(killed)).toEqual([]);
    await host.startSession().prompt('Another conversation entirely');
    expect(await commits(killed)).toEqual([]);
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
    utimesSync(home.at(`.openviking/spool/cc-${killed.id}/cursor.json`), twoHoursAgo, twoHoursAgo);
    for (let start = 0; start < 2; start += 1) {
      await host.startSession().prompt('And one more conversation');
      expect(await commits(killed)).toEqual([0]);
    }
  });
});
