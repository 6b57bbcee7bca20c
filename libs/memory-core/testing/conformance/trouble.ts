/** Servers that are away, slow, silent or refuse the key; awkward places; two at once. Nothing is lost, nobody waits long. */
import { describe, expect, it } from '@jest/globals';
import { killProcessesOfHome } from '../process-census.ts';
import { ODD_NAMES } from '../temporary-home.ts';
import type { ConformanceSession } from './options.ts';
import type { Scene } from './scene.ts';

/** How long a machine that is busy with other things may take to start a few processes, in ms. */
const BUSY_MS = 6_000;

export function troubleConformance(scene: Scene): void {
  describe('trouble', () => {
    it('keeps a whole conversation while the server is away and delivers it once when it is back', async () => {
      await scene.server.goDown();
      const session = scene.host.startSession();
      const expected: string[] = [];
      for (const turn of ['first', 'second', 'third']) {
        await scene.turn(session, `The ${turn} question while offline`, `The ${turn} answer while offline`);
        expected.push(`user: The ${turn} question while offline`, `assistant: The ${turn} answer while offline`);
      }
      killProcessesOfHome(scene.home.path);
      await scene.server.comeBack();
      await scene.host.startSession().prompt('a new conversation begins');
      expect(await scene.said(session, expected.length)).toEqual(expected);
    });

    it('keeps everything while the key is wrong and delivers it once the key is right', async () => {
      scene.server.setApiKey('another-key-entirely');
      const session = scene.host.startSession();
      await scene.turn(session, 'A question with a wrong key', 'An answer with a wrong key');
      await scene.quiet();
      expect(scene.server.conversation(session.serverSessionId)).toEqual([]);
      killProcessesOfHome(scene.home.path);
      scene.server.setApiKey('new-key-2b7d');
      scene.configure({}, 'new-key-2b7d');
      await scene.turn(session, 'A question with the right key', 'An answer with the right key');
      expect(await scene.said(session, 4)).toEqual([
        'user: A question with a wrong key',
        'assistant: An answer with a wrong key',
        'user: A question with the right key',
        'assistant: An answer with the right key',
      ]);
    });

    scene.demand('visible-notice', 'tells the user once in a conversation that the key is refused', async () => {
      scene.server.setApiKey('another-key-entirely');
      const session = scene.host.startSession();
      const notices: string[] = [];
      for (const prompt of ['A first question of some length', 'A second question of some length']) {
        const { notice, injected } = await session.prompt(prompt);
        if (notice !== undefined && notice !== '') notices.push(notice);
        expect(injected).not.toContain(notice ?? 'no notice at all');
        await session.answer('An answer of some length');
      }
      expect(notices).toHaveLength(1);
      expect(notices[0]).toMatch(/key/i);
      expect(notices[0]).not.toContain('\n');
    });

    it('waits for a silent server once, not at every event and not at every prompt', async () => {
      scene.server.misbehave({ fault: { kind: 'silence' } });
      const session = scene.host.startSession();
      const before = performance.now();
      await session.prompt('The first prompt meets silence');
      // One deadline of 8 s for the start and the prompt of the first turn together, for the user waits for both: with one
      // for each it would be 16 s.
      expect(performance.now() - before).toBeLessThan(8_000 + BUSY_MS);
      // What hooks wait for: a session is asked for by the worker, which nobody waits for.
      const asked = (): number => scene.server.requests.filter(({ path }) => !path.includes('/sessions/')).length;
      const atFirst = asked();
      expect(atFirst).toBeGreaterThan(0);
      await session.prompt('The second prompt does not wait');
      expect(asked()).toBe(atFirst);
    });

    it('gives a slow server no more time than the settings allow', async () => {
      scene.configure({ timeoutMs: 1_000 });
      const session = scene.host.startSession();
      await session.prompt('good morning to you');
      scene.server.misbehave({ fault: { kind: 'silence' } });
      const before = performance.now();
      await session.prompt('This prompt meets a silent server');
      // What is usual would be 8 s.
      expect(performance.now() - before).toBeLessThan(1_000 + BUSY_MS);
    });

    it('sends once what a server stored without being able to say so', async () => {
      scene.server.misbehave({ method: 'POST', path: /\/messages/, fault: { kind: 'store-then-drop' }, times: 1 });
      const session = scene.host.startSession();
      await scene.turn(session, 'Stored but never confirmed', 'Stored but never confirmed either');
      expect(await scene.said(session, 2)).toEqual([
        'user: Stored but never confirmed',
        'assistant: Stored but never confirmed either',
      ]);
    });

    it('delivers to an old server one message at a time', async () => {
      await scene.replaceServer({ generation: 'old' });
      const session = scene.host.startSession();
      await scene.turn(session, 'A question for an old server', 'An answer for an old server');
      expect(await scene.said(session, 2)).toEqual([
        'user: A question for an old server',
        'assistant: An answer for an old server',
      ]);
    });

    it('works in a home and a folder with an awkward name', async () => {
      await scene.reopen(ODD_NAMES.everything);
      const session = scene.host.startSession();
      await scene.turn(session, 'A question from an awkward place', 'An answer from an awkward place');
      expect(await scene.said(session, 2)).toEqual([
        'user: A question from an awkward place',
        'assistant: An answer from an awkward place',
      ]);
    });

    it('keeps conversations apart that run at the same time', async () => {
      const play = async (name: string): Promise<ConformanceSession> => {
        const session = scene.host.startSession();
        for (let turn = 1; turn <= 2; turn += 1) {
          await scene.turn(session, `${name} asks question ${turn}`, `${name} gets answer ${turn}`);
        }
        return session;
      };
      const names = ['Anna', 'Boris', 'Chen'];
      const sessions = await Promise.all(names.map(play));
      for (const [index, session] of sessions.entries()) {
        const name = names[index] ?? '';
        expect(await scene.said(session, 4)).toEqual([
          `user: ${name} asks question 1`,
          `assistant: ${name} gets answer 1`,
          `user: ${name} asks question 2`,
          `assistant: ${name} gets answer 2`,
        ]);
      }
    });
  });
}
