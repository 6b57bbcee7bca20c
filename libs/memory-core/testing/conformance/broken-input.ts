/** Input that a client never finishes, or that is none: a hook ends in silence, with status 0, within its time. */
import { describe, expect, it } from '@jest/globals';
import type { EventBinding } from '../../src/contract/harness.ts';
import { runHook } from '../hook-driver.ts';
import type { HookRun } from '../hook-driver.ts';
import { STDIN_MODES } from '../stdin-mode.ts';
import type { StdinMode } from '../stdin-mode.ts';
import type { Scene } from './scene.ts';

/** Longest time that a hook takes by itself, and the start of a process on a machine that runs a dozen of them, in ms. */
const LIMIT_MS = 8_000 + 4_000;
/** How often one that took longer is tried again by itself: a machine that is busy with other things is no slow hook. */
const TRIES_ALONE = 3;

export function brokenInputConformance(scene: Scene): void {
  const { events } = scene.options.declaration;
  const run = async (binding: EventBinding, stdin: StdinMode): Promise<HookRun & { readonly mode: string }> => ({
    mode: `${binding.nativeName}, ${stdin.name}`,
    ...(await runHook({ ...scene.host.invocation(binding), stdin, timeoutMs: LIMIT_MS })),
  });
  const silence = (mode: string, binding: EventBinding) => ({
    mode,
    exitCode: 0,
    stdout: binding.silence ?? '',
    stderr: '',
    pipesHeldOpen: false,
    timedOut: false,
  });

  describe('broken input', () => {
    it.each(events)('is taken in silence: $nativeName', async (binding) => {
      for (const stdin of STDIN_MODES.filter((mode) => mode.expected === 'silent' && mode.close)) {
        const { mode, ...ran } = await run(binding, stdin);
        expect({ mode, ...ran }).toMatchObject(silence(mode, binding));
      }
    });

    it('that never ends holds no client up', async () => {
      const open = STDIN_MODES.filter((mode) => mode.expected === 'silent' && !mode.close);
      // All at once: each of them sleeps until its time is over.
      const runs = events.flatMap((binding) =>
        open.map(async (stdin) => ({ binding, stdin, first: await run(binding, stdin) })),
      );
      for (const { binding, stdin, first } of await Promise.all(runs)) {
        let ran = first;
        for (let tries = 0; ran.timedOut && tries < TRIES_ALONE; tries += 1) ran = await run(binding, stdin);
        expect(ran).toMatchObject(silence(ran.mode, binding));
      }
    });

    // A client without a guard has no hook whose answer would show what was understood.
    const guards = events.filter(({ kind }) => kind === 'tool-guard');
    (guards.length === 0 ? it.skip : it)(
      'does not count a byte order mark, pauses and a missing end among it',
      async () => {
        const whole = STDIN_MODES.filter(({ expected, name }) => expected === 'answers' || name === 'byte order mark');
        for (const guard of guards) {
          const answers = await Promise.all(whole.map((stdin) => run(guard, stdin)));
          const [first] = answers;
          expect(first?.stdout).not.toBe('');
          for (const { mode, stdout } of answers) expect({ mode, stdout }).toEqual({ mode, stdout: first?.stdout });
        }
      },
    );
  });
}
