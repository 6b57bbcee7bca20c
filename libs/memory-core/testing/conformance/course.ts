/** The course of a conversation beyond its turns: copied, summarised, ended, and with subagents at work in it. */
import { describe, expect } from '@jest/globals';
import { searchTree } from '../tree-search.ts';
import { waitUntil } from '../wait-until.ts';
import type { Scene } from './scene.ts';

export function courseConformance(scene: Scene): void {
  describe('course of a conversation', () => {
    scene.demand('fork', 'stores of a copied conversation only what is new', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'The original question about heron', 'The original answer about heron');
      await scene.settled(session, 2);
      const copy = scene.able(session, 'fork')();
      expect(copy.serverSessionId).not.toBe(session.serverSessionId);
      await scene.turn(copy, 'A question in the copy', 'An answer in the copy');
      expect(await scene.said(copy, 2)).toEqual(['user: A question in the copy', 'assistant: An answer in the copy']);
      expect(await scene.said(session, 2)).toEqual([
        'user: The original question about heron',
        'assistant: The original answer about heron',
      ]);
    });

    scene.demand('pre-compact', 'commits what was said before the client replaces it with a summary', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'The staging database is called heron.', 'Noted: staging is called heron.');
      await scene.able(session, 'compact')('SUMMARY of all that was said');
      const stored = await waitUntil('a commit', () => {
        const known = scene.stored(session);
        return known !== undefined && known.commits.length > 0 ? known : undefined;
      });
      expect(stored.messages).toHaveLength(2);
      expect(stored.live).toEqual([]);
    });

    scene.demand('pre-compact', 'never stores the summary, nor what the summary replaced once more', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'The question before the summary', 'The answer before the summary');
      await scene.able(session, 'compact')('SUMMARY of all that was said');
      await scene.turn(session, 'The question after it', 'The answer after it');
      expect(await scene.said(session, 4)).toEqual([
        'user: The question before the summary',
        'assistant: The answer before the summary',
        'user: The question after it',
        'assistant: The answer after it',
      ]);
    });

    scene.demand('overview-after-compact', 'tells the model after a summary what was archived', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'The staging database is called heron.', 'Noted: staging is called heron.');
      await scene.settled(session, 2);
      await scene.untilStartsAgain();
      const { injected } = await scene.able(session, 'compact')('SUMMARY of all that was said');
      expect(injected).toContain('2 earlier messages');
    });

    scene.demand('session-end', 'makes memory of a conversation that ends', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'One short question only', 'And one short answer');
      await scene.settled(session, 2);
      await scene.able(session, 'end')();
      await waitUntil('a commit', () => (scene.stored(session)?.commits.length ?? 0) > 0);
      await scene.quiet();
      expect(scene.stored(session)?.live).toEqual([]);
    });

    scene.demand('session-end', 'keeps what was said when the server is away as the conversation ends', async () => {
      const session = scene.host.startSession();
      await session.prompt('A question before the end');
      await scene.server.goDown();
      await session.answer('An answer before the end');
      await scene.able(session, 'end')();
      await scene.server.comeBack();
      await scene.host.startSession().prompt('good morning to you');
      expect(await scene.said(session, 2)).toEqual([
        'user: A question before the end',
        'assistant: An answer before the end',
      ]);
      await waitUntil('a commit', () => (scene.stored(session)?.commits.length ?? 0) > 0);
    });

    scene.demand('subagent-events', 'keeps a subagent in a session of its own', async () => {
      const session = scene.host.startSession();
      await session.prompt('Have somebody look into the parser.');
      const subagent = await scene.able(session, 'subagent')('Look into the parser.', 'The lexer drops a token.');
      await session.answer('The lexer has a defect.');
      expect(subagent.serverSessionId.startsWith(`${session.serverSessionId}__subagent-`)).toBe(true);
      const of = await scene.said(subagent.serverSessionId, 1);
      expect(of.join('\n')).toContain('The lexer drops a token.');
      const parent = await scene.said(session, 2);
      expect(parent).toHaveLength(2);
      expect(parent[0]).toBe('user: Have somebody look into the parser.');
      expect(parent[1]).toContain('The lexer has a defect.');
      expect(of.join('\n')).not.toContain('The lexer has a defect.');
    });

    scene.demand('subagent-events', 'never learns what a subagent did that began while memory was off', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'The harbour has four cranes.', 'Four cranes, noted.');
      await scene.settled(session, 2);
      for (const isSubagentOn of [false, true]) {
        scene.configure({ enabled: false });
        await session.prompt('Have somebody read the flood protocol.');
        if (isSubagentOn) scene.configure();
        const subagent = await scene.able(session, 'subagent')(
          'Read the flood protocol.',
          'The flood came at night.',
          () => scene.configure(),
        );
        await session.answer('The flood came at night, it says.');
        await scene.quiet();
        expect(scene.server.conversation(subagent.serverSessionId)).toEqual([]);
      }
      await session.prompt('Have somebody count the cranes.');
      const counted = await scene.able(session, 'subagent')('Count the cranes.', 'There are four of them.');
      await session.answer('There are still four cranes.');
      expect(await scene.said(session, 4)).toEqual([
        'user: The harbour has four cranes.',
        'assistant: Four cranes, noted.',
        'user: Have somebody count the cranes.',
        expect.stringContaining('There are still four cranes.'),
      ]);
      expect((await scene.said(counted.serverSessionId, 1)).join('\n')).toContain('There are four of them.');
      expect(searchTree(scene.home.at('.openviking'), 'flood')).toEqual([]);
    });

    scene.demand('subagent-events', 'leaves subagents out where the user wants that', async () => {
      scene.configure({ skipSubagentSessions: true });
      const session = scene.host.startSession();
      await session.prompt('Have somebody look into the parser.');
      const subagent = await scene.able(session, 'subagent')('Look into the parser.', 'The lexer drops a token.');
      await session.answer('The lexer has a defect.');
      await scene.settled(session, 2);
      expect(subagent.injected).toBe('');
      expect(scene.server.conversation(subagent.serverSessionId)).toEqual([]);
    });
  });
}
