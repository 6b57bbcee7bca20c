/**
 * Fifty hooks at once: five conversations whose ten last turns end at the same moment, some of them twice. A host that was
 * suspended does this when the machine wakes up.
 */
import { Player, type Turn } from './player.ts';
import { openScene } from './scene.ts';
import { judge } from './verdict.ts';

export interface StormReport {
  readonly hooks: number;
  readonly said: number;
  /** What was lost, doubled, out of order, altered or left behind. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

const CONVERSATIONS = 5;
const TURNS = 10;
/** Turns of each conversation whose Stop is fired twice. */
const TWICE = 2;

export async function runStorm(hooks: string): Promise<StormReport> {
  const started = performance.now();
  const scene = await openScene(hooks);
  try {
    // The client keeps a record of the first three.
    const players = Array.from({ length: CONVERSATIONS }, (_, index) => new Player(scene, { recorded: index < 3 }));
    const open: { readonly player: Player; readonly turn: Turn }[] = [];
    await Promise.all(
      players.map(async (player, index) => {
        for (let number = 1; number <= TURNS; number += 1) {
          // No worker may catch up on a turn before its end has come.
          const turn = await player.prompt(`Question ${index}.${number} about the release`, [], {
            crashAt: 'worker:1',
          });
          await player.answer(turn, `Answer ${index}.${number} about the release`, { stop: false });
          open.push({ player, turn });
        }
      }),
    );
    const stops = open.map(({ player, turn }) => ({ player, turn, times: player.turns.indexOf(turn) < TWICE ? 2 : 1 }));
    await Promise.all(stops.map(({ player, turn, times }) => player.end(turn, times)));
    await new Player(scene, { recorded: false }).start('startup');
    await scene.quiet(120_000);
    const verdicts = players.map((player) => {
      // Without a record, a hook knows the prompts of the other turns but not yet their answers.
      const order = player.options.recorded ? 'turns' : 'sides';
      return judge(player, scene.server.conversation(player.session), order);
    });
    return {
      hooks: stops.reduce((total, { times }) => total + times, 0),
      said: verdicts.reduce((total, { said }) => total + said, 0),
      problems: [
        ...verdicts.flatMap(({ lost }) => lost.map((what) => `lost: ${what}`)),
        ...verdicts.flatMap(({ doubled }) => doubled.map((what) => `doubled: ${what}`)),
        ...verdicts.flatMap(({ outOfOrder }) => outOfOrder.map((what) => `out of order: ${what}`)),
        ...verdicts.flatMap(({ altered }) => altered.map((what) => `altered: ${what}`)),
        ...players.flatMap(({ misdeeds }) => misdeeds),
        ...scene.undelivered().map((path) => `not delivered: ${path}`),
        ...scene.deadLetters().map((path) => `dead letter: ${path}`),
      ],
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await scene.close();
  }
}
