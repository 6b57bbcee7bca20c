/**
 * Makes a memory file out of a turn without a language model: the user's words in full, the answer up to a bound, tools
 * by name only. Tool output is what the machine said, not what is worth knowing next week, and it may hold secrets.
 */
import { createHash } from 'node:crypto';
import { boundedText, firstLine, storableText } from './bounded-text.ts';
import { messageText, toolNames } from './stored-message.ts';
import type { Turn } from './turns.ts';

const USER_TEXT_LIMIT = 8_000;
const ANSWER_LIMIT = 1_200;
const ABSTRACT_LIMIT = 240;

/** A memory before it is stored. `path` is relative to the user's own space. */
export interface MemoryDraft {
  readonly path: string;
  readonly category: string;
  readonly peerId: string | undefined;
  readonly abstract: string;
  readonly content: string;
  /** The text that is searched: the words of the memory, without the headings we add. */
  readonly searchable: string;
  readonly createdAt: number;
}

/** The event of a turn; undefined when nobody said anything (a turn of tool calls only). */
export function eventOfTurn(turn: Turn, identity: string): MemoryDraft | undefined {
  const said = (role: 'user' | 'assistant'): string =>
    storableText(
      turn.messages
        .filter((message) => message.role === role)
        .map(messageText)
        .filter((text) => text !== '')
        .join('\n\n'),
    ).trim();
  const question = boundedText(said('user'), USER_TEXT_LIMIT);
  const answer = boundedText(said('assistant'), ANSWER_LIMIT);
  const first = turn.messages[0];
  if (first === undefined || (question === '' && answer === '')) return undefined;

  const title = firstLine(question === '' ? answer : question, 80);
  const peerId = turn.messages.find((message) => message.peerId !== undefined)?.peerId;
  const when = new Date(first.createdAt);
  const day = when.toISOString().slice(0, 10);
  const tools = [...new Set(turn.messages.flatMap(toolNames))].map(storableText);
  const lines = [
    `# ${title}`,
    '',
    `Date: ${day} ${when.toISOString().slice(11, 16)} UTC`,
    ...(peerId === undefined ? [] : [`Workspace: ${peerId}`]),
    ...(tools.length === 0 ? [] : [`Tools: ${boundedText(tools.join(', '), 300)}`]),
    ...(question === '' ? [] : ['', `User: ${question}`]),
    ...(answer === '' ? [] : ['', `Assistant: ${answer}`]),
  ];
  return {
    path: `memories/events/${day}/${fileName(title, identity)}`,
    category: 'events',
    peerId,
    abstract: boundedText((question === '' ? answer : question).replace(/\s+/g, ' '), ABSTRACT_LIMIT),
    content: lines.join('\n'),
    searchable: `${question}\n${answer}`,
    createdAt: first.createdAt,
  };
}

/** `<words of the title>-<8 hex digits of the identity>.md`; letters of any script stay, so that a listing reads well. */
export function fileName(title: string, identity: string): string {
  const slug = [
    ...title
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-'),
  ]
    .slice(0, 40)
    .join('')
    .replace(/^-+|-+$/g, '');
  const id = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return `${slug === '' ? 'memory' : slug}-${id}.md`;
}
