/** What of a conversation reaches the server: all of it, once, in order, and nothing that was never said. */
import { describe, expect, it } from '@jest/globals';
import type { EventBinding } from '../../src/contract/harness.ts';
import { runHook } from '../hook-driver.ts';
import { AT_ONCE_MS, doubledAfterMs, inTime } from '../in-time.ts';
import { messageText } from '../stub/store.ts';
import { searchTree } from '../tree-search.ts';
import { waitUntil } from '../wait-until.ts';
import type { Scene } from './scene.ts';

export function captureConformance(scene: Scene): void {
  const { tools, declaration } = scene.options;

  describe('capture', () => {
    it('stores a turn once: what was asked and said, under one turn id', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'Please count the files in src.', 'There are 42 files in src.');
      expect(await scene.said(session, 2)).toEqual([
        'user: Please count the files in src.',
        'assistant: There are 42 files in src.',
      ]);
      expect(new Set(scene.server.conversation(session.serverSessionId).map(({ turn_id }) => turn_id)).size).toBe(1);
    });

    scene.demand('tool-results', 'stores what was done, with its result', async () => {
      const session = scene.host.startSession();
      await session.prompt('Please count the files in src.');
      await session.tool(tools.shell, { command: 'ls src | wc -l' }, '42');
      await session.answer('There are 42 files in src.');
      const messages = await scene.settled(session, 2);
      expect(messages.map((message) => message.role)).toEqual(['user', 'assistant']);
      expect(messageText(messages[1] ?? { role: '' })).toContain('There are 42 files in src.');
      expect(messages[1]?.parts?.find((part) => part['type'] === 'tool')).toMatchObject({
        tool_name: tools.shell,
        tool_input: { command: 'ls src | wc -l' },
        tool_output: '42',
        tool_status: 'completed',
      });
    });

    scene.demand('continued-turn', 'stores the rest of a turn that another hook has made go on', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'Please paint the fence and the gate.', 'The fence is painted.');
      expect(await scene.settled(session, 2)).toHaveLength(2);
      await session.answer('The gate is painted, too.');
      expect(await scene.said(session, 3)).toEqual([
        'user: Please paint the fence and the gate.',
        'assistant: The fence is painted.',
        'assistant: The gate is painted, too.',
      ]);
      await session.answer('The gate is painted, too.');
      await scene.turn(session, 'And the shed?', 'The shed as well.');
      expect(await scene.said(session, 5)).toHaveLength(5);
    });

    it('stores what the user adds while a turn goes on after its end', async () => {
      const session = scene.host.startSession();
      await scene.turn(session, 'Please paint the fence and the gate.', 'The fence is painted.');
      expect(await scene.settled(session, 2)).toHaveLength(2);
      await session.remark('And oil the hinges of the gate, please.');
      await session.answer('The gate is painted and oiled.');
      await scene.turn(session, 'And the shed?', 'The shed as well.');
      expect(await scene.said(session, 6)).toEqual([
        'user: Please paint the fence and the gate.',
        'assistant: The fence is painted.',
        'user: And oil the hinges of the gate, please.',
        'assistant: The gate is painted and oiled.',
        'user: And the shed?',
        'assistant: The shed as well.',
      ]);
    });

    it.each([{ enabled: false }, { autoCapture: false }])(
      'never learns what was said while memory was switched off: %j',
      async (off) => {
        const session = scene.host.startSession();
        await scene.turn(session, 'The harbour has four cranes.', 'Four cranes, noted.');
        expect(await scene.settled(session, 2)).toHaveLength(2);
        scene.configure(off);
        await scene.turn(session, 'The safe opens with the year of the flood.', 'I keep the flood to myself.');
        await session.prompt('And the cellar is behind the flood wall.');
        session.abort();
        // Some clients run their hooks for it a moment later.
        await scene.quiet();
        scene.configure();
        await scene.turn(session, 'How many cranes has the harbour?', 'The harbour has four.');
        expect(await scene.said(session, 4)).toEqual([
          'user: The harbour has four cranes.',
          'assistant: Four cranes, noted.',
          'user: How many cranes has the harbour?',
          'assistant: The harbour has four.',
        ]);
        expect(searchTree(scene.home.at('.openviking'), 'flood')).toEqual([]);
      },
    );

    it.each([{ enabled: false }, { autoCapture: false }])(
      'forgets a turn that is under way when memory is switched off, and stores none that begins before it is on: %j',
      async (off) => {
        const session = scene.host.startSession();
        scene.configure(off);
        await session.prompt('The cellar is behind the flood wall.');
        scene.configure();
        await session.answer('The flood wall it is.');
        await scene.turn(session, 'The harbour has four cranes.', 'Four cranes, noted.');
        expect(await scene.settled(session, 2)).toHaveLength(2);
        await session.prompt('The safe opens with the year of the flood.');
        scene.configure(off);
        await session.answer('I keep the flood to myself.');
        scene.configure();
        await session.answer('And go on about the flood.');
        await session.answer('And on about the flood.');
        scene.configure(off);
        await session.prompt('So when was the flood?');
        scene.configure();
        await session.answer('The flood was long ago.');
        await session.answer('The flood was in May.');
        await scene.turn(session, 'How many cranes has the harbour?', 'The harbour has four.');
        expect(await scene.said(session, 4)).toEqual([
          'user: The harbour has four cranes.',
          'assistant: Four cranes, noted.',
          'user: How many cranes has the harbour?',
          'assistant: The harbour has four.',
        ]);
        expect(searchTree(scene.home.at('.openviking'), 'flood')).toEqual([]);
      },
    );

    it('makes what was said in one conversation known in the next', async () => {
      const first = scene.host.startSession();
      await scene.turn(
        first,
        'Remember that our staging database is called heron.',
        'I will remember that the staging database is heron.',
      );
      await scene.remembered(first, 2);
      await waitUntil('a commit', () => (scene.stored(first)?.commits.length ?? 0) > 0);
      const { injected } = await scene.host.startSession().prompt('What is the staging database called?');
      expect(injected).toContain('heron');
    });

    it('adds turn after turn and sends none twice, also after a restart of the client', async () => {
      let session = scene.host.startSession();
      const expected: string[] = [];
      for (let turn = 1; turn <= 4; turn += 1) {
        if (turn === 3) session = session.resume();
        await scene.turn(session, `Question number ${turn} about the parser`, `Answer number ${turn} about the parser`);
        expected.push(`user: Question number ${turn} about the parser`);
        expected.push(`assistant: Answer number ${turn} about the parser`);
      }
      expect(await scene.said(session, expected.length)).toEqual(expected);
    });

    it('tells a question that is asked twice from an event that comes twice', async () => {
      const session = scene.host.startSession();
      for (const answer of ['It has not changed yet.', 'Now it has changed a bit.']) {
        await scene.turn(session, 'Is there anything new about it?', answer);
        await scene.quiet();
      }
      expect(await scene.said(session, 4)).toEqual([
        'user: Is there anything new about it?',
        'assistant: It has not changed yet.',
        'user: Is there anything new about it?',
        'assistant: Now it has changed a bit.',
      ]);
    });

    it('stores a turn once although each of its events comes twice', async () => {
      const first = (kind: EventBinding['kind']) => declaration.events.find((event) => event.kind === kind);
      const texts = await inTime(AT_ONCE_MS, async () => {
        await scene.replaceServer({});
        await scene.reopen('twice');
        for (const binding of [first('prompt'), first('answer'), first('turn-end')]) {
          if (binding === undefined) continue;
          const invocation = scene.host.invocation(binding);
          await Promise.all([runHook(invocation), runHook(invocation)]);
        }
        await waitUntil('the turn', () => scene.server.requestsTo('POST', /\/messages/).length > 0);
        await scene.quiet();
        const messages = [...scene.server.store.sessions.values()].flatMap((stored) => stored.messages);
        return { tookMs: doubledAfterMs(messages), found: messages.map(messageText) };
      });
      expect(texts.length).toBeGreaterThan(0);
      expect(new Set(texts).size).toBe(texts.length);
    });

    it('keeps the prompt of a turn that the user stopped', async () => {
      const session = scene.host.startSession();
      await session.prompt('This one is stopped half way');
      session.abort();
      await scene.turn(session, 'And this one is finished', 'It is finished now');
      expect(await scene.said(session, 3)).toEqual([
        'user: This one is stopped half way',
        'user: And this one is finished',
        'assistant: It is finished now',
      ]);
    });

    scene.demand('missed-turn-end', 'catches up on a turn whose end no hook was told of', async () => {
      const session = scene.host.startSession();
      await session.prompt('The window is closed after this one');
      await scene.able(session, 'missTurnEnd')('It was answered all the same');
      const later = session.resume();
      await scene.turn(later, 'And it is opened again', 'Welcome back to it');
      expect(await scene.said(session, 4)).toEqual([
        'user: The window is closed after this one',
        'assistant: It was answered all the same',
        'user: And it is opened again',
        'assistant: Welcome back to it',
      ]);
    });

    it('never stores what it added itself', async () => {
      const text = 'For JavaScript the pnpm package manager is preferred.';
      const uri = 'viking://~/memories/p.md';
      scene.server.store.memories.push({ uri, category: 'preferences', abstract: text, text });
      scene.server.store.profile = 'Profile of a careful person.';
      const session = scene.host.startSession();
      const { injected } = await session.prompt(
        'Which package manager? <openviking-context>pasted block</openviking-context> Tell me.',
      );
      expect(injected).toContain(text);
      await session.tool(tools.shell, { command: 'cat log' }, `before ${injected} after`);
      await session.answer('You prefer pnpm, as far as I know.');
      const stored = JSON.stringify(await scene.settled(session, 2));
      for (const foreign of [text, 'careful person', 'pasted block', 'openviking-context', 'system-reminder']) {
        expect(stored).not.toContain(foreign);
      }
      expect(stored).toContain('Which package manager?');
      expect(stored).toContain('Tell me.');
    });

    it.each([
      ['nested', '<openviking-context>one <openviking-context>two</openviking-context> three</openviking-context>'],
      ['in capitals', '<OPENVIKING-CONTEXT source="prompt">one two three</OPENVIKING-CONTEXT>'],
      ['of an older version', '<relevant-memories>\none two three\n</relevant-memories>'],
      ['never closed', '\n<openviking-context source="prompt">\none two three'],
    ])('takes an injected block out of a prompt: %s', async (_name, block) => {
      const session = scene.host.startSession();
      await scene.turn(session, `What about the parser? ${block}`, 'The parser is quite all right.');
      const [user, assistant] = await scene.said(session, 2);
      expect(user?.trimEnd()).toBe('user: What about the parser?');
      expect(assistant).toBe('assistant: The parser is quite all right.');
    });

    it('lets no private text and no key leave the hook', async () => {
      const session = scene.host.startSession();
      const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);
      // A word that no hash, time or id can hold by chance: the search below reads every file.
      const hidden = 'quokka-parade';
      await session.prompt(`Deploy it <private>launch word ${hidden}</private> with token ${token} please`);
      await session.tool(tools.shell, { command: 'cat notes' }, `notes <private>word ${hidden}</private> end`);
      await session.answer(`Deployed. <Private>the word was ${hidden}</private> Anything else to do?`);
      const stored = await scene.said(session, 2);
      expect(stored[0]).toMatch(/Deploy it .* please/);
      expect(stored[1]).toMatch(/Deployed\. .*Anything else to do\?/);
      const traces = [...scene.server.requests.map((request) => request.bodyText), ...stored];
      for (const trace of traces) {
        expect(trace).not.toContain(hidden);
        expect(trace).not.toContain(token);
      }
      for (const secret of [hidden, token]) {
        expect(searchTree(scene.home.at('.openviking'), secret)).toEqual([]);
      }
    });

    it('carries every script and survives broken characters', async () => {
      const session = scene.host.startSession();
      const prompt = '请记住 👨‍👩‍👧‍👦 e\u0301 مرحبا נ \ud83d tail \u0000 end';
      await scene.turn(session, prompt, '好的，已经记住了 🦄 \udc00 fin');
      const stored = await scene.said(session, 2);
      expect(stored[0]).toMatch(/^user: 请记住 👨‍👩‍👧‍👦 e\u0301 مرحبا נ .{0,3}tail .{0,3}end$/u);
      expect(stored[1]).toMatch(/^assistant: 好的，已经记住了 🦄 .{0,3}fin$/u);
    });
  });
}
