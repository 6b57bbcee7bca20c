import { describe, expect, it } from '@jest/globals';
import { eventOfTurn, fileName } from './event-memory.ts';
import type { StoredMessage, StoredPart } from './stored-message.ts';

const AT = Date.UTC(2026, 7, 1, 10, 22);

function message(role: 'user' | 'assistant', ...parts: StoredPart[]): StoredMessage {
  return { id: 1, role, parts, turnId: 't', peerId: 'repo', createdAt: AT };
}
const text = (words: string): StoredPart => ({ type: 'text', text: words });

describe('eventOfTurn', () => {
  it('holds date, workspace, words and tool names, and no tool output', () => {
    const event = eventOfTurn(
      {
        key: 'turn:t',
        messages: [
          message('user', text('Deploy it\nto staging')),
          message('assistant', {
            type: 'tool',
            tool_name: 'shell',
            tool_input: { command: 'env' },
            tool_output: 'PASSWORD=hunter2',
          }),
          message('assistant', text('Done.')),
        ],
      },
      'identity',
    );
    expect(event).toMatchObject({
      category: 'events',
      peerId: 'repo',
      abstract: 'Deploy it to staging',
      createdAt: AT,
    });
    expect(event?.path).toMatch(/^memories\/events\/2026-08-01\/deploy-it-[0-9a-f]{8}\.md$/);
    expect(event?.content).toBe(
      '# Deploy it\n\nDate: 2026-08-01 10:22 UTC\nWorkspace: repo\nTools: shell\n\nUser: Deploy it\nto staging\n\nAssistant: Done.',
    );
    expect(JSON.stringify(event)).not.toMatch(/hunter2|command/);
  });

  it('bounds the answer without cutting a character in two', () => {
    const event = eventOfTurn(
      { key: 'k', messages: [message('user', text('q')), message('assistant', text('🙂'.repeat(5_000)))] },
      'identity',
    );
    const answer = event?.content.split('Assistant: ')[1] ?? '';
    expect([...answer]).toHaveLength(1_200);
    expect(answer).toMatch(/^(?:🙂)+…$/u);
  });

  it('is nothing where nobody said anything', () => {
    expect(
      eventOfTurn({ key: 'k', messages: [message('assistant', { type: 'tool', tool_name: 'x' })] }, 'i'),
    ).toBeUndefined();
    expect(eventOfTurn({ key: 'k', messages: [message('user', text('  \0 '))] }, 'i')).toBeUndefined();
  });
});

describe('fileName', () => {
  it('keeps letters of every script, never ends a folder, differs by identity', () => {
    expect(fileName('../../etc/passwd', 'a')).toMatch(/^etc-passwd-[0-9a-f]{8}\.md$/);
    expect(fileName('部署 到 测试环境！', 'a')).toMatch(/^部署-到-测试环境-[0-9a-f]{8}\.md$/);
    expect(fileName('🙂', 'a')).toMatch(/^memory-[0-9a-f]{8}\.md$/);
    expect(fileName('same', 'a')).not.toBe(fileName('same', 'b'));
  });
});
