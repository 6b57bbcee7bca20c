/**
 * Every crash point of a two-turn run: the run is played once without a kill to count the file operations of each of its
 * processes, then once per operation with the process killed right before it. Whatever was killed, both turns must be on
 * the server at the end, whole, once and in order.
 */
import { Player, type Doom, type Turn } from './player.ts';
import { openScene, type CrashLine, type Scene } from './scene.ts';
import { judge } from './verdict.ts';

export interface CrashPoint {
  readonly setting: Setting;
  /** Number of the event in the run, from 0. */
  readonly event: number;
  /** The program that is killed: the event's hook, or the worker that it started. */
  readonly entry: string;
  /** Before its n-th file operation, from 1. */
  readonly operation: number;
}

/**
 * `plain`: the server behaves, and the client keeps a record of the conversation. `failing server`: of the first append of
 * each turn it stores the first message and answers with 500; the way out of that doubt can be cut short as well. `no
 * record`: what a killed hook did not write down nobody else knows, but what it did must not be lost.
 */
const SETTINGS = ['plain', 'failing server', 'no record'] as const;
type Setting = (typeof SETTINGS)[number];

export interface CrashPointRow {
  readonly entry: string;
  readonly setting: Setting;
  readonly points: number;
  readonly recovered: number;
}

export interface CrashPointReport {
  readonly rows: readonly CrashPointRow[];
  /** What did not recover, or was never reached. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

export interface CrashPointOptions {
  /** Folder with the test build's bundles. */
  readonly hooks: string;
  /** Every n-th point only; 1 by default: all. */
  readonly every?: number;
  readonly progress?: (done: number, all: number) => void;
}

/** Runs at the same time. */
const LANES = 3;
/** Longest wait for rest, in ms: nothing needs so long, but a machine may be slow. */
const QUIET_MS = 120_000;

export async function tryEveryCrashPoint(options: CrashPointOptions): Promise<CrashPointReport> {
  const started = performance.now();
  const points: CrashPoint[] = [];
  const problems: string[] = [];
  for (const setting of SETTINGS) {
    const { processes, problems: found } = await playTwoTurns(options.hooks, setting);
    problems.push(...found.map((problem) => `${setting}, without a kill: ${problem}`));
    for (const { event, entry, operations } of processes) {
      // The other settings are tried where they make a difference.
      if (setting === 'failing server' && entry !== 'worker') continue;
      if (setting === 'no record' && (entry === 'worker' || entry === 'session-start')) continue;
      for (let operation = 1; operation <= operations; operation += 1)
        points.push({ setting, event, entry, operation });
    }
  }
  const chosen = points.filter((_, index) => index % (options.every ?? 1) === 0);
  const failed = new Set<CrashPoint>();
  const queue = [...chosen];
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift()) {
      const run = await playTwoTurns(options.hooks, point.setting, point);
      if (run.problems.length > 0) failed.add(point);
      const name = `${point.setting}, ${EVENTS[point.event]}, ${point.entry} before operation ${point.operation} (${run.killedBefore ?? 'not reached'})`;
      problems.push(...run.problems.map((problem) => `${name}: ${problem}`));
      options.progress?.((done += 1), chosen.length);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const rows = new Map<string, CrashPointRow>();
  for (const point of chosen) {
    const { entry, setting } = point;
    const row = rows.get(`${entry} ${setting}`) ?? { entry, setting, points: 0, recovered: 0 };
    const recovered = row.recovered + (failed.has(point) ? 0 : 1);
    rows.set(`${entry} ${setting}`, { ...row, points: row.points + 1, recovered });
  }
  return {
    rows: [...rows.values()],
    problems,
    seconds: (performance.now() - started) / 1000,
  };
}

const EVENTS = ['start', 'prompt 1', 'stop 1', 'prompt 2', 'stop 2'] as const;

interface TwoTurns {
  /** Processes that ran, with the event that started them. */
  readonly processes: readonly (CrashLine & { readonly event: number })[];
  readonly killedBefore?: string;
  readonly problems: readonly string[];
}

/** Plays two turns; after every event everything comes to rest, so that each run meets the same operations. */
async function playTwoTurns(hooks: string, setting: Setting, point?: CrashPoint): Promise<TwoTurns> {
  const scene = await openScene(hooks);
  try {
    const player = new Player(scene, { recorded: setting !== 'no record' });
    const doomOf = (event: number): Doom =>
      point?.event === event ? { crashAt: `${point.entry}:${point.operation}` } : {};
    const processes: (CrashLine & { event: number })[] = [];
    const tired: string[] = [];
    const quiet = async (after: string): Promise<void> => {
      const left = await scene.quiet(QUIET_MS);
      if (left > 0)
        tired.push(`${left} processes were still at work ${QUIET_MS / 1000} s after ${after}, and were killed`);
    };
    const rest = async (event: number): Promise<void> => {
      await quiet(EVENTS[event] ?? '');
      processes.push(
        ...scene
          .crashes()
          .slice(processes.length)
          .map((line) => ({ ...line, event })),
      );
    };
    const turns: Turn[] = [];
    await player.start('startup', doomOf(0));
    await rest(0);
    for (const number of [0, 1]) {
      // Without a record nobody knows of a step.
      const steps =
        setting === 'no record'
          ? []
          : [{ say: 'I look.', tool: 'Bash', input: { command: 'date' }, output: `output ${number + 1}` }];
      turns.push(await player.prompt(`Question ${number + 1} about the release`, steps, doomOf(1 + 2 * number)));
      await rest(1 + 2 * number);
      if (setting === 'failing server') {
        const fault = { kind: 'store-part', messages: 1 } as const;
        scene.server.misbehave({ method: 'POST', path: /\/messages/, fault, times: 1 });
      }
      await player.answer(turns[number] as Turn, `Answer ${number + 1} about the release`, {
        doom: doomOf(2 + 2 * number),
      });
      await rest(2 + 2 * number);
    }
    // What was killed last is made up for at the next event of any conversation, but only its own shows that its last turn
    // is over when the client keeps no record.
    if (setting === 'no record') await player.answer(await player.prompt('And now?'), 'Now it is known.');
    else await new Player(scene, { recorded: false }).start('startup');
    await quiet('the last event');
    const killedBefore = processes.find((line) => line.killedBefore !== undefined)?.killedBefore;
    return {
      processes,
      ...(killedBefore === undefined ? {} : { killedBefore }),
      problems: [
        ...tired,
        ...problemsOf(scene, player),
        ...(point !== undefined && killedBefore === undefined ? ['not reached'] : []),
      ],
    };
  } finally {
    await scene.close();
  }
}

function problemsOf(scene: Scene, player: Player): readonly string[] {
  const verdict = judge(player, scene.server.conversation(player.session));
  const live = scene.server.store.sessions.get(player.session)?.live.length ?? 0;
  return [
    ...verdict.lost.map((what) => `lost: ${what}`),
    ...verdict.doubled.map((what) => `doubled: ${what}`),
    ...verdict.outOfOrder.map((what) => `out of order: ${what}`),
    ...verdict.altered.map((what) => `altered: ${what}`),
    ...scene.undelivered().map((what) => `not delivered: ${what}`),
    ...scene.deadLetters().map((what) => `dead letter: ${what}`),
    ...player.misdeeds,
    ...(verdict.neverNoted > 0 && player.options.recorded ? ['a prompt was never noted'] : []),
    ...(live > 0 ? [`${live} messages were stored and never committed`] : []),
  ];
}
