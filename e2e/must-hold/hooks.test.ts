/**
 * Must hold 3: whatever a host does with stdin and whatever the server does, every hook ends with exit 0, with the right
 * answer or none, within its deadline.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { zcodeInvocation } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  killProcessesOfHome,
  runHook,
  startStubServer,
  STDIN_MODES,
} from '@openviking/memory-core/testing';
import type { HookRun, StdinMode, StubServer } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';

type Kind = Parameters<typeof zcodeInvocation>[0];
type ServerState = 'up' | 'down' | 'silent';

/** Deadlines of the hooks in ms, as they are specified. */
const DEADLINE: Readonly<Record<Kind, number>> = {
  'session-start': 8_000,
  prompt: 8_000,
  'tool-guard': 1_000,
  'turn-end': 8_000,
};
/** Start of a process on a machine that runs sixteen of them at once. Whoever needs longer is tried again by itself. */
const SLACK_MS = 2_000;
const limitOf = (kind: Kind): number => DEADLINE[kind] + SLACK_MS;
/** How often: a machine that is busy with other things is no slow hook, and a slow hook is slow each time. */
const TRIES_ALONE = 10;
const KINDS: readonly Kind[] = ['session-start', 'prompt', 'tool-guard', 'turn-end'];
const STATES: readonly ServerState[] = ['up', 'down', 'silent'];

interface Case {
  readonly kind: Kind;
  readonly state: ServerState;
  readonly mode: StdinMode;
  readonly run: HookRun;
}

const servers = new Map<ServerState, StubServer>();
const cases: Case[] = [];

beforeAll(async () => {
  for (const state of STATES) {
    const server = await startStubServer();
    server.store.profile = 'Profile of a careful person.';
    const text = 'The preferred package manager is pnpm.';
    server.store.memories.push({ uri: 'viking://~/memories/p.md', category: 'preferences', abstract: text, text });
    if (state === 'silent') server.misbehave({ fault: { kind: 'silence' } });
    if (state === 'down') await server.goDown();
    servers.set(state, server);
  }
  const work = KINDS.flatMap((kind) => STATES.flatMap((state) => STDIN_MODES.map((mode) => ({ kind, state, mode }))));
  // Those that only wait come first, all the others are run beside them.
  work.sort((one, other) => Number(one.mode.close) - Number(other.mode.close));
  const next = async (): Promise<void> => {
    for (let one = work.shift(); one !== undefined; one = work.shift()) {
      cases.push({ ...one, run: await runOne(one.kind, one.state, one.mode) });
    }
  };
  await Promise.all(Array.from({ length: 16 }, next));
  for (const [index, one] of cases.entries()) {
    for (let run = one.run, tries = 0; hadNoTime(one, run) && tries < TRIES_ALONE; tries += 1) {
      run = await runOne(one.kind, one.state, one.mode);
      cases[index] = { ...one, run };
    }
  }
}, 1_800_000);

afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

/**
 * It took too long, or gave no answer and was at work for so long that its own deadline was the reason: no answer is right
 * then. Who gives none in less time is wrong at once.
 */
function hadNoTime({ kind, state, mode }: Omit<Case, 'run'>, run: HookRun): boolean {
  const owesAnswer = mode.expected === 'answers' && rightAnswer(kind, state) !== '';
  return run.closedMs >= limitOf(kind) || (owesAnswer && run.stdout === '' && run.closedMs >= DEADLINE[kind] / 2);
}

/** A home and a session of its own for every run: otherwise the circuit, or a repeated event, would answer for the hook. */
async function runOne(kind: Kind, state: ServerState, mode: StdinMode): Promise<HookRun> {
  const home = createTemporaryHome();
  try {
    home.write('.openviking/ovcli.conf', JSON.stringify({ url: servers.get(state)?.url, api_key: 'k' }), 0o600);
    const invocation = zcodeInvocation(kind, { home: home.path, cwd: home.path, payloadDir: ZCODE_PAYLOAD });
    const payload = invocation.payload.replaceAll('7d5f2c1e-0b6a-4a53-9a55-3c1f0e9d2b41', randomUUID());
    return await runHook({ ...invocation, payload, stdin: mode, timeoutMs: 25_000 });
  } finally {
    killProcessesOfHome(home.path);
    home.remove();
  }
}

/** What the hook is to answer to a whole value, as a part of stdout; empty: nothing. */
function rightAnswer(kind: Kind, state: ServerState): string {
  if (kind === 'tool-guard') return '"permissionDecision":"deny"';
  if (state !== 'up') return '';
  if (kind === 'session-start') return 'Profile of a careful person.';
  return kind === 'prompt' ? 'The preferred package manager is pnpm.' : '';
}

describe.each(KINDS)('%s', (kind) => {
  describe.each(STATES)('with the server %s', (state) => {
    it.each(STDIN_MODES.map((mode) => mode.name))('stdin: %s', (name) => {
      const found = cases.find((one) => one.kind === kind && one.state === state && one.mode.name === name);
      if (found === undefined) throw new Error('this combination was not run');
      const { run, mode } = found;
      expect(run).toMatchObject({ exitCode: 0, stderr: '', timedOut: false, pipesHeldOpen: false });
      expect(run.closedMs).toBeLessThan(limitOf(kind));
      const expected = rightAnswer(kind, state);
      if (mode.expected === 'silent' || (mode.expected === 'answers' && expected === '')) {
        expect(run.stdout).toBe('');
      } else if (mode.expected === 'answers') {
        expect(run.stdout).toContain(expected);
      } else if (run.stdout !== '') {
        expect(run.stdout).toContain(expected);
        expect(expected).not.toBe('');
      }
      if (run.stdout !== '') expect(Object.keys(JSON.parse(run.stdout) as object)).toEqual(['hookSpecificOutput']);
    });
  });
});
