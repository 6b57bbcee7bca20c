/** A subagent whose beginning no event tells: what says whether memory was on then, on every file system. */
import { statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome, type TemporaryHome } from '../../testing/index.ts';
import { someHarness } from '../../testing/some-harness.ts';
import type { TurnEndEvent } from '../contract/event.ts';
import { homePaths } from '../fs/home-paths.ts';
import { ConversationFolder } from '../spool/conversation-folder.ts';
import { notePassedOver } from '../spool/passed-over.ts';
import { beganUnseen } from './pass-over.ts';
import type { HookEnvironment } from './run-hook.ts';

const harness = someHarness({
  transcript: {
    locate: ({ transcriptPath }) => (transcriptPath === undefined ? [] : [transcriptPath]),
    parse: (lines) =>
      [...lines].map(({ offset, text }) => ({
        turnId: String(offset),
        assistant: [],
        closed: true,
        offset,
        ...(JSON.parse(text) as { startedAt?: string }),
      })),
  },
});

let home: TemporaryHome;
let logged: string[];
beforeEach(() => {
  home = createTemporaryHome();
  logged = [];
});
afterEach(() => home.remove());

/** Memory was off until `at`; the subagent's record has `lines`, its file the times that the system gives it. */
function isUnseen(at: number, lines: readonly object[], times?: { birthtimeMs: number; ctimeMs: number }): boolean {
  const paths = homePaths(home.path);
  const parent = new ConversationFolder(paths.spool, 'aa-parent');
  parent.prepareJournal();
  notePassedOver(parent, { off: false, at });
  const event: TurnEndEvent = {
    kind: 'turn-end',
    session: { nativeId: 'parent', origin: 'event', subagent: { id: 'two', type: 'explore' } },
    cwd: home.path,
    transcriptPath: record(),
  };
  writeFileSync(record(), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const environment = { harness, home: home.path, env: {} } as unknown as HookEnvironment;
  const place = { paths, log: { error: (message: string) => void logged.push(message) } };
  return times === undefined
    ? beganUnseen(event, environment, place)
    : beganUnseen(event, environment, place, () => times);
}

const record = (): string => home.at('record.jsonl');
const isoTime = (ms: number): string => new Date(ms).toISOString();

describe('a subagent in a conversation in which memory was off for a while', () => {
  const SWITCHED_ON = Date.parse('2026-01-01T12:00:00.000Z');
  const BEFORE = SWITCHED_ON - 60_000;
  const AFTER = SWITCHED_ON + 60_000;
  const LATE = SWITCHED_ON + 120_000;
  const lines = (at: number): object[] => [{ startedAt: isoTime(at) }, { startedAt: isoTime(LATE) }];

  it('is known by the birth of its file, as this system tells it', () => {
    writeFileSync(record(), '');
    const { birthtimeMs } = statSync(record());
    expect(isUnseen(birthtimeMs - 1, [{}])).toBe(false);
    expect(isUnseen(birthtimeMs + 60_000, [{}])).toBe(true);
    expect(logged).toEqual([]);
  });

  it.each([
    ['has no time of birth', { birthtimeMs: 0, ctimeMs: LATE }],
    ['gives the time of the last change for it', { birthtimeMs: LATE, ctimeMs: LATE }],
  ])('is known by the first time in its record where the file system %s', (_name, times) => {
    expect(isUnseen(SWITCHED_ON, lines(AFTER), times)).toBe(false);
    expect(isUnseen(SWITCHED_ON, lines(BEFORE), times)).toBe(true);
    expect(logged).toEqual([]);
  });

  it('is left out where nothing tells, and the log says so', () => {
    expect(isUnseen(SWITCHED_ON, [{}, {}], { birthtimeMs: 0, ctimeMs: LATE })).toBe(true);
    expect(logged).toEqual([expect.stringContaining('a subagent is left out')]);
  });

  it('that was written at one moment is known by that moment, though its record has no times', () => {
    expect(isUnseen(SWITCHED_ON, [{}], { birthtimeMs: AFTER, ctimeMs: AFTER })).toBe(false);
    expect(isUnseen(SWITCHED_ON, [{}], { birthtimeMs: BEFORE, ctimeMs: BEFORE })).toBe(true);
  });
});
