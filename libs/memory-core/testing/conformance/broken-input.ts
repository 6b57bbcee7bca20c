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
        open.map(async (stdin) => ({ binding, ran: await run(binding, stdin) })),
      );
      for (const { binding, ran } of await Promise.all(runs)) expect(ran).toMatchObject(silence(ran.mode, binding));
    });

    it('does not count a byte order mark, pauses and a missing end among it', async () => {
      const guard = events.find(({ kind }) => kind === 'tool-guard');
      if (guard === undefined) return;
      const whole = STDIN_MODES.filter(({ expected, name }) => expected === 'answers' || name === 'byte order mark');
      const answers = await Promise.all(whole.map((stdin) => run(guard, stdin)));
      const [first] = answers;
      expect(first?.stdout).not.toBe('');
      for (const { mode, ...ran } of answers)
        expect({ mode, stdout: ran.stdout }).toEqual({ mode, stdout: first?.stdout });
    });
  });
}
