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
import type { ZcodeSession } from '@openviking/harness-zcode/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';
import { DECOY_KEY, HOSTILE_KINDS, makeHostile } from './hostile-repository.ts';

const KEY = 'the-right-key-77';
/** Turns of a round, in each of both folders: the least disturbed of them says what a hook costs. */
const TURNS = 5;
/** Rounds at most: the first that keeps to the limit ends them, so that a busy machine only makes the test longer. */
const ROUNDS = 4;
/** The budget, 1.2, is measured by `npm run bench -- hostile` on a quiet machine; here others run beside it. */
const MOST = 2;
const EVENTS = ['UserPromptSubmit', 'Stop'] as const;

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

/** A conversation in `cwd`, and the shortest time that each kind of hook has taken in it so far, in ms. */
class Conversation {
  readonly id: string;
  readonly said: string[] = [];
  private readonly host: ZcodeHost;
  private readonly session: ZcodeSession;

  constructor(cwd: string) {
    this.host = new ZcodeHost({ home: home.path, cwd });
    this.session = this.host.startSession();
    this.id = `zc-${this.session.id}`;
  }

  async playTurn(): Promise<void> {
    const turn = this.said.length / 2 + 1;
    const [question, answer] = [`Question ${turn} about the release`, `Answer ${turn} about the release`];
    await this.session.prompt(question);
    await this.session.answer(answer);
    this.said.push(question, answer);
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  }

  fastest(event: string): number {
    return Math.min(...this.host.runs.filter((run) => run.event === event).map(({ run }) => run.closedMs));
  }
}

describe.each(HOSTILE_KINDS)('a repository with a hostile %s', (kind) => {
  it('changes nothing about where data goes, and costs next to nothing', async () => {
    const outside = home.write('outside.json', JSON.stringify({ version: 1, url: decoy.url, peer: { id: 'outside' } }));
    makeHostile(home.makeFolder('hostile'), kind, decoy.url, outside);
    const plain = new Conversation(home.makeFolder('plain'));
    const hostile = new Conversation(home.at('hostile'));
    const ratio = (event: string): number => hostile.fastest(event) / plain.fastest(event);
    const isWithin = (): boolean => EVENTS.every((event) => ratio(event) <= MOST);
    // In turn: what else the machine does disturbs both alike.
    for (let turn = 0; turn < TURNS || (turn < TURNS * ROUNDS && !isWithin()); turn += 1) {
      await plain.playTurn();
      await hostile.playTurn();
    }

    expect(server.conversation(hostile.id).map((message) => messageText(message))).toEqual(hostile.said);
    expect(decoy.requests).toEqual([]);
    // What the repository says is in the repository and nowhere else.
    expect(searchTree(home.path, DECOY_KEY).filter((path) => !path.startsWith('hostile/'))).toEqual([]);
    expect(JSON.stringify(server.requests)).not.toContain(DECOY_KEY);
    expect(JSON.stringify(server.requests).toLowerCase()).not.toContain('x-decoy');
    expect(readFileSync(outside, 'utf8')).toContain(decoy.url);

    const ratios = EVENTS.map((event) => `${event} ${ratio(event).toFixed(2)}`);
    process.stdout.write(`hostile ${kind}: ${ratios.join(', ')} × the same hook without\n`);
    for (const event of EVENTS) expect(ratio(event)).toBeLessThanOrEqual(MOST);
  });
});
