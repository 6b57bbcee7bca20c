/**
 * The fault machine: many turns through real hook processes, while the server misbehaves and processes are killed at any
 * moment; then everything is well again, a few last events come, and what the server holds is compared with what was said.
 */
import { Player, type Doom } from './player.ts';
import { createRandom, type Random } from './random.ts';
import { countDiskFaults, DISK_KINDS, drawDisk } from './disk.ts';
import { KINDS, misbehave } from './misbehaviour.ts';
import { processesOfHome } from '@openviking/memory-core/testing';
import { openScene, type Scene, type ServerGeneration } from './scene.ts';
import { speech, toolSteps } from './speech.ts';
import { judge } from './verdict.ts';

export interface MachineOptions {
  readonly turns: number;
  readonly seed: string;
  /** Folder with the test build's bundles. */
  readonly hooks: string;
  /** Kinds of trouble, of the server and of the disk; by default all of the server, and one disk by lot. */
  readonly kinds?: readonly string[];
  /** By lot when absent: one run in four meets an old server. */
  readonly generation?: ServerGeneration;
  /** Keep the scratch home for looking into it. */
  readonly keep?: boolean;
  readonly progress?: (turns: number) => void;
}

export interface MachineReport {
  readonly seed: string;
  readonly generation: ServerGeneration;
  readonly turns: number;
  readonly conversations: number;
  readonly said: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly kills: { readonly atOperation: number; readonly fromOutside: number };
  readonly neverNoted: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly outOfOrder: readonly string[];
  readonly altered: readonly string[];
  /** Whatever else must not be: hooks that did not answer as they must, undelivered records, dead letters, processes. */
  readonly misdeeds: readonly string[];
  readonly seconds: number;
  /** The scratch home, when it was kept. */
  readonly home?: string;
}

/** Conversations that go on at the same time. */
const LANES = 4;
/** Highest number of a file operation at which a process is told to die; most never come that far. */
const MOST_OPERATIONS = { hook: 30, worker: 120 };
/** How long the last events are given, in ms: nothing waits so long, but a machine may be slow. */
const LAST_EVENTS_MS = 120_000;

interface Plan {
  readonly name: string;
  readonly turns: number;
  readonly recorded: boolean;
  readonly random: Random;
}

export async function runMachine(options: MachineOptions): Promise<MachineReport> {
  const started = performance.now();
  const random = createRandom(options.seed);
  const plans = planConversations(random.branch('conversations'), options.turns);
  const drawn: ServerGeneration = random.branch('generation').chance(0.25) ? 'old' : 'current';
  const generation = options.generation ?? drawn;
  const scene = await openScene(options.hooks, generation);
  const players: Player[] = [];
  const misdeeds: string[] = [];
  let played = 0;
  try {
    const kinds = options.kinds ?? chooseKinds(random.branch('kinds'));
    scene.disk = drawDisk(
      random.branch('disk'),
      kinds.filter((kind) => kind.startsWith('disk-')),
    );
    const trouble = misbehave(
      scene,
      random.branch('server'),
      kinds.filter((kind) => !kind.startsWith('disk-')),
    );
    const reaper = killFromOutside(scene, random.branch('reaper'));
    const queue = [...plans];
    const lane = async (): Promise<void> => {
      for (let plan = queue.shift(); plan !== undefined; plan = queue.shift()) {
        const player = new Player(scene, { recorded: plan.recorded });
        players.push(player);
        await playConversation(player, plan, () => options.progress?.((played += 1)));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const fromOutside = await reaper.stop();
    await trouble.stop();
    scene.disk = '';

    const left = await lastEvents(scene, players, random.branch('last'));
    if (left > 0) misdeeds.push(`${left} processes were still at work ${LAST_EVENTS_MS / 1000} s after the last event`);
    played += players.length;
    misdeeds.push(...players.flatMap((player) => player.misdeeds));
    misdeeds.push(...scene.undelivered().map((path) => `not delivered: ${path}`));
    misdeeds.push(...scene.deadLetters().map((path) => `dead letter: ${path}`));
    const verdicts = players.map((player) => judge(player, scene.server.conversation(player.session)));
    return {
      seed: options.seed,
      generation,
      turns: played,
      conversations: players.length,
      said: sum(verdicts.map(({ said }) => said)),
      faults: { ...trouble.met, ...countDiskFaults(scene.diskFaults()) },
      kills: {
        atOperation: scene.crashes().filter(({ killedBefore }) => killedBefore !== undefined).length,
        fromOutside: fromOutside + sum(players.map(({ killed }) => killed)),
      },
      neverNoted: sum(verdicts.map((verdict) => verdict.neverNoted)),
      lost: verdicts.flatMap(({ lost }) => lost),
      doubled: verdicts.flatMap(({ doubled }) => doubled),
      outOfOrder: verdicts.flatMap(({ outOfOrder }) => outOfOrder),
      altered: verdicts.flatMap(({ altered }) => altered),
      misdeeds,
      seconds: (performance.now() - started) / 1000,
      ...(options.keep === true ? { home: scene.home.path } : {}),
    };
  } finally {
    await scene.close({ keep: options.keep === true });
  }
}

/** All that a server can do, and one kind of disk by lot, or a sound one. */
function chooseKinds(random: Random): readonly string[] {
  const disk = ['', ...DISK_KINDS][random.whole(0, DISK_KINDS.length)] ?? '';
  return disk === '' ? KINDS : [...KINDS, disk];
}

/** True when nothing was lost, doubled, moved or altered. */
export function isClean(report: MachineReport): boolean {
  return [report.lost, report.doubled, report.outOfOrder, report.altered, report.misdeeds].every(
    (problems) => problems.length === 0,
  );
}

/** Conversations of 4 to 40 turns, one of them kept back for the last events. */
function planConversations(random: Random, turns: number): Plan[] {
  const plans: Plan[] = [];
  for (let left = turns; left > 0;) {
    const length = Math.min(left, random.whole(4, 40));
    const name = String(plans.length + 1);
    plans.push({ name, turns: length, recorded: random.chance(0.6), random: random.branch(name) });
    left -= length;
  }
  return plans;
}

async function playConversation(player: Player, plan: Plan, said: () => void): Promise<void> {
  const { random } = plan;
  await player.start('startup', doom(random, 'session-start'));
  for (let number = 1; number < plan.turns; number += 1) {
    if (random.chance(0.04)) await player.start('resume', doom(random, 'session-start'));
    await playTurn(player, random, `${plan.name}.${number}`);
    said();
  }
}

async function playTurn(player: Player, random: Random, place: string): Promise<void> {
  const previous = player.turns.at(-1)?.text;
  // The same words again are another turn.
  const text = previous !== undefined && random.chance(0.05) ? previous : speech(random, 'Question', place);
  const steps = player.options.recorded ? toolSteps(random, place) : [];
  const twice = (): number => (random.chance(0.03) ? 2 : 1);
  const turn = await player.prompt(text, steps, doom(random, 'user-prompt-submit'), twice());
  // The user stops the turn: no answer, no Stop.
  if (random.chance(0.06)) return;
  await player.answer(turn, speech(random, 'Answer', place), {
    doom: doom(random, 'stop'),
    times: twice(),
    // The window is closed before Stop runs.
    stop: !random.chance(0.03),
    ...(random.chance(0.1) ? { lineAfterMs: random.whole(1, 60) } : {}),
  });
}

/** How a hook and the worker it starts are to die, if they are. */
function doom(random: Random, entry: string): Doom {
  const points: string[] = [];
  if (random.chance(0.08)) points.push(`${entry}:${random.whole(1, MOST_OPERATIONS.hook)}`);
  if (random.chance(0.12)) points.push(`worker:${random.whole(1, MOST_OPERATIONS.worker)}`);
  return {
    ...(points.length === 0 ? {} : { crashAt: points.join(',') }),
    ...(random.chance(0.03) ? { killAfterMs: random.whole(5, 90) } : {}),
  };
}

/** Kills processes of the scene at moments that have nothing to do with what they are doing. */
function killFromOutside(scene: Scene, random: Random): { stop(): Promise<number> } {
  let stopped = false;
  let kills = 0;
  const run = async (): Promise<void> => {
    while (!stopped) {
      await new Promise((done) => setTimeout(done, random.whole(100, 500)));
      const workers = processesOfHome(scene.home.path).filter(({ commandLine }) =>
        commandLine.some((word) => word.endsWith('worker.cjs')),
      );
      const victim = workers[random.whole(0, Math.max(0, workers.length - 1))];
      if (victim === undefined || stopped) continue;
      try {
        process.kill(victim.pid, 'SIGKILL');
        kills += 1;
      } catch {
        // It ended by itself.
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return kills;
    },
  };
}

/**
 * Everything is well: one more turn in every conversation, and a client that is started again. Resolves with the number of
 * processes that had to be killed because they went on and on.
 */
async function lastEvents(scene: Scene, players: readonly Player[], random: Random): Promise<number> {
  const queue = [...players];
  const lane = async (): Promise<void> => {
    for (let player = queue.shift(); player !== undefined; player = queue.shift()) {
      const turn = await player.prompt(speech(random, 'Question', 'last'));
      await player.answer(turn, speech(random, 'Answer', 'last'));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await players[0]?.start('resume');
  return scene.quiet(LAST_EVENTS_MS);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
