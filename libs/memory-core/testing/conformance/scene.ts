/**
 * The stage of every conformance test: a scratch home, a server on a loopback port, the fake client in between. Whatever a
 * test is about, at its end no hook may have failed, written to stderr or left a pipe open.
 */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { killProcessesOfHome, untilHomeIsQuiet } from '../process-census.ts';
import { startStubServer } from '../stub-server.ts';
import type { StubServer, StubServerOptions } from '../stub-server.ts';
import { messageText } from '../stub/store.ts';
import type { StoredMessage, StubSession } from '../stub/store.ts';
import { createTemporaryHome } from '../temporary-home.ts';
import type { TemporaryHome } from '../temporary-home.ts';
import type { Capability, ConformanceHost, ConformanceOptions, ConformanceSession } from './options.ts';

/** Starts of a conversation that follow each other faster than this are one event that came twice, in ms. */
const REPEATED_START_MS = 2_000;
const API_KEY = 'conformance-key-1f4c9a';

/** Optional members of a session, by what the client must be able to do for them. */
type Ability = 'missTurnEnd' | 'fork' | 'compact' | 'end' | 'subagent';

export class Scene {
  readonly options: ConformanceOptions;
  home!: TemporaryHome;
  server!: StubServer;
  host!: ConformanceHost;

  constructor(options: ConformanceOptions) {
    this.options = options;
  }

  /** Registers the setting up and the clearing away with jest. */
  install(): void {
    beforeEach(async () => {
      this.server = await startStubServer({ apiKey: API_KEY });
      await this.open();
    });
    afterEach(async () => {
      try {
        for (const run of this.host.hookRuns()) {
          expect(run).toMatchObject({ exitCode: 0, stderr: '', pipesHeldOpen: false, timedOut: false });
        }
      } finally {
        killProcessesOfHome(this.home.path);
        await this.server.close();
        await untilHomeIsQuiet(this.home.path);
        this.home.remove();
      }
    });
  }

  /** A new home, by this name, with a fake client in it. */
  async reopen(name: string): Promise<void> {
    this.home.remove();
    await this.open(name);
  }

  /** A new server, of another kind, in place of the present one. */
  async replaceServer(options: StubServerOptions): Promise<void> {
    await this.server.close();
    this.server = await startStubServer({ apiKey: API_KEY, ...options });
    this.configure();
  }

  /** Writes the user's configuration. `plugin` are settings, `apiKey` another key than the server's. */
  configure(plugin: Readonly<Record<string, unknown>> = {}, apiKey: string = API_KEY): void {
    const content = {
      url: this.server.url,
      api_key: apiKey,
      plugin: { captureToolResults: true, ...plugin },
    };
    this.home.write('.openviking/ovcli.conf', JSON.stringify(content), 0o600);
  }

  private async open(name?: string): Promise<void> {
    this.home = createTemporaryHome(name);
    this.configure();
    this.host = await this.options.createHost({
      home: this.home.path,
      cwd: this.home.makeFolder(`work/${name ?? 'project'}`),
      payloadDir: this.options.payloadDir,
    });
  }

  /** What the server has of a conversation, once nothing is under way any more. */
  async settled(session: string | ConformanceSession, count: number): Promise<readonly StoredMessage[]> {
    const id = typeof session === 'string' ? session : session.serverSessionId;
    await this.server.untilMessages(id, count);
    await this.quiet();
    return this.server.conversation(id);
  }

  /** The same as lines `role: text`. */
  async said(session: string | ConformanceSession, count: number): Promise<readonly string[]> {
    return (await this.settled(session, count)).map((message) => `${message.role}: ${messageText(message)}`);
  }

  /** Waits until no process of ours runs any more. */
  async quiet(): Promise<void> {
    expect(await untilHomeIsQuiet(this.home.path)).toEqual([]);
  }

  /** Lets so much time pass that the next start of the same conversation is taken for one. */
  async untilStartsAgain(): Promise<void> {
    await new Promise((done) => setTimeout(done, REPEATED_START_MS + 100));
  }

  stored({ serverSessionId }: ConformanceSession): StubSession | undefined {
    return this.server.store.sessions.get(serverSessionId);
  }

  /** A whole turn. */
  async turn(session: ConformanceSession, prompt: string, answer: string): Promise<void> {
    await session.prompt(prompt);
    await session.answer(answer);
  }

  /** Everything said becomes memory now: clients that commit at the end of a conversation have to end it. */
  async remembered(session: ConformanceSession, count: number): Promise<void> {
    if (this.options.declaration.commitAt === 'session-end') await session.end?.();
    await this.settled(session, count);
  }

  /** The reason for which the client is declared to be without a capability. */
  reasonAgainst(capability: Capability): string | undefined {
    return this.options.declaration.absent.find((one) => one.capability === capability)?.reason;
  }

  /** A test of what not every client can do: where it is declared absent, the name of the skipped test says why. */
  demand(capability: Capability, name: string, test: () => Promise<void>, timeoutMs?: number): void {
    const reason = this.reasonAgainst(capability);
    if (reason === undefined) it(name, test, timeoutMs);
    else it.skip(`${name} [${capability} is declared absent: ${reason}]`, test);
  }

  /** An optional member of a session; without it the declaration is wrong, not the test. */
  able<A extends Ability>(session: ConformanceSession, ability: A): NonNullable<ConformanceSession[A]> {
    const member = session[ability];
    if (member === undefined) {
      throw new Error(
        `The fake client has no ${ability}(): give it one, or declare the capability absent with a reason.`,
      );
    }
    return member.bind(session) as NonNullable<ConformanceSession[A]>;
  }
}
