/** One line of the record as cursor-agent and the editor write it: a message, or the mark of a turn's end. */
import { isObject, parseObject } from '../vendor/memory-core/hot.ts';

export interface RecordedMessage {
  readonly role: 'user' | 'assistant';
  /** All its text. */
  readonly text: string;
  /** Byte offset of its line. */
  readonly offset: number;
}

/** Undefined for what is neither. Never throws. */
export function readRecordLine(line: string, offset: number): RecordedMessage | 'turn-ended' | undefined {
  const start = line.startsWith('\uFEFF') ? 1 : 0;
  if (line[start] !== '{') return undefined;
  const record = parseObject(line.slice(start));
  if (record === undefined) return undefined;
  if (record['type'] === 'turn_ended') return 'turn-ended';
  const { role, message } = record;
  if ((role !== 'user' && role !== 'assistant') || !isObject(message)) return undefined;
  return { role, text: textOf(message['content']), offset };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isObject(part) && part['type'] === 'text' ? part['text'] : undefined))
    .filter((text): text is string => typeof text === 'string' && text !== '')
    .join('\n');
}
