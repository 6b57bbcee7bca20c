/** A cloned repository moves nothing: not where the memory goes, not with which key, and it makes no hook slow. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  killProcessesOfHome,
  messageText,
  searchTree,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';
import { DECOY_KEY, HOSTILE_KINDS, makeHostile } from './hostile-repository.ts';

const KEY = 'the-right-key-77';
/** Turns that are timed: the least disturbed of them says what a hook costs. */
const TURNS = 5;
/** The budget, 1.2, is measured by `npm run bench -- hostile` on a quiet machine; here others run beside it. */
const MOST = 2;

let home: TemporaryHome;
let server: StubServer;
let decoy: StubServer;
beforeEach(async () => {
  [server, decoy] = await Promise.all([startStubServer({ apiKey: KEY }), startStubServer()]);
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: KEY }), 0o600);
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await Promise.all([server.close(), decoy.close()]);
  home.remove();
});

/** Plays a conversation in `cwd`; the shortest time that each kind of hook took, in ms. */
async function play(
  cwd: string,
): Promise<{ readonly session: string; readonly times: Readonly<Record<string, number>> }> {
  const host = new ZcodeHost({ home: home.path, cwd });
  const session = host.startSession();
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await session.prompt(`Question ${turn} about the release`);
    await session.answer(`Answer ${turn} about the release`);
    await untilHomeIsQuiet(home.path, 10_000);
  }
  const times: Record<string, number> = {};
  for (const { event, run } of host.runs)
    times[event] = Math.min(times[event] ?? Number.POSITIVE_INFINITY, run.closedMs);
  return { session: `zc-${session.id}`, times };
}

describe.each(HOSTILE_KINDS)('a repository with a hostile %s', (kind) => {
  it('changes nothing about where data goes, and costs next to nothing', async () => {
    const outside = home.write('outside.json', JSON.stringify({ version: 1, url: decoy.url, peer: { id: 'outside' } }));
    const plain = await play(home.makeFolder('plain'));
    makeHostile(home.makeFolder('hostile'), kind, decoy.url, outside);
    const hostile = await play(home.at('hostile'));

    const spoken = server.conversation(hostile.session).map((message) => messageText(message));
    expect(spoken).toEqual(
      Array.from({ length: TURNS }, (_, index) => [
        `Question ${index + 1} about the release`,
        `Answer ${index + 1} about the release`,
      ]).flat(),
    );
    expect(decoy.requests).toEqual([]);
    // What the repository says is in the repository and nowhere else.
    expect(searchTree(home.path, DECOY_KEY).filter((path) => !path.startsWith('hostile/'))).toEqual([]);
    expect(JSON.stringify(server.requests)).not.toContain(DECOY_KEY);
    expect(JSON.stringify(server.requests).toLowerCase()).not.toContain('x-decoy');
    expect(readFileSync(outside, 'utf8')).toContain(decoy.url);

    const ratios = ['UserPromptSubmit', 'Stop'].map((event) => {
      const ratio = (hostile.times[event] ?? 0) / (plain.times[event] ?? 1);
      return `${event} ${ratio.toFixed(2)}`;
    });
    process.stdout.write(`hostile ${kind}: ${ratios.join(', ')} × the same hook without\n`);
    for (const ratio of ratios) expect(Number(ratio.split(' ')[1])).toBeLessThanOrEqual(MOST);
  }, 120_000);
});
