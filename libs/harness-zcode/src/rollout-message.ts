/**
 * One message of a recorded model request. Builds write the same thing in four shapes (their own, AI SDK blocks, chat
 * completions, Responses items); here they become one, so that the turn assembly never looks at a spelling.
 */
import { isOnlyNotifications, isOnlyReminders } from './host-block.ts';
import { toolArguments } from './loose-json.ts';
import { firstString, isObject } from '../vendor/memory-core/hot.ts';
import type { LooseRecord } from '../vendor/memory-core/hot.ts';

export interface RecordedToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: LooseRecord;
}

export interface RecordedToolOutput {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface RecordedMessage {
  readonly role: 'user' | 'assistant' | 'tool' | 'other';
  /** Visible text; reasoning is never part of it. */
  readonly text: string;
  /**
   * Whether a user message can have opened a turn: `prompt` typed by the user, `notification` put there by the host
   * (a finished background task), `no` for reminders, tool results and compact summaries.
   */
  readonly opens: 'prompt' | 'notification' | 'no';
  readonly calls: readonly RecordedToolCall[];
  readonly outputs: readonly RecordedToolOutput[];
  /** A Responses item that belongs to the assistant message before it. */
  readonly continues: boolean;
}

/** `id` last: beside one of the others it names the item, not the call. */
const CALL_ID_KEYS = ['toolCallId', 'call_id', 'tool_call_id', 'tool_use_id', 'id'];
const TEXT_BLOCKS = ['text', 'input_text', 'output_text'];
const CALL_BLOCKS = ['tool-call', 'tool_use', 'tool_call'];
const OUTPUT_BLOCKS = ['tool-result', 'tool_result'];
const SILENT_BLOCKS = ['reasoning', 'thinking', 'redacted_thinking'];

/** A tool call in any of the shapes that records use; undefined without an id, because nothing could be paired to it. */
export function recordedToolCall(value: unknown): RecordedToolCall | undefined {
  if (!isObject(value)) return undefined;
  const id = firstString(value, CALL_ID_KEYS);
  const called = isObject(value['function']) ? value['function'] : value;
  const name = firstString(called, ['name', 'toolName']);
  if (id === undefined || name === undefined) return undefined;
  return { id, name, input: toolArguments(called['input'] ?? called['args'] ?? called['arguments']) };
}

/** A tool's output as text: strings as they are, text blocks joined, anything else as JSON. */
function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) {
    const texts = value
      .map((block: unknown) => (typeof block === 'string' ? block : isObject(block) ? block['text'] : undefined))
      .filter((text) => typeof text === 'string');
    return texts.length > 0 ? texts.join('\n') : JSON.stringify(value);
  }
  // AI SDK: { type: 'text' | 'json' | 'content' | 'error-text' | 'error-json', value }.
  if (isObject(value) && typeof value['type'] === 'string' && 'value' in value) return outputText(value['value']);
  return JSON.stringify(value);
}

/** A tool output in any of the shapes that records use. */
export function recordedToolOutput(value: unknown): RecordedToolOutput | undefined {
  if (!isObject(value)) return undefined;
  const callId = firstString(value, CALL_ID_KEYS);
  if (callId === undefined) return undefined;
  const output = value['output'] ?? value['content'] ?? value['result'];
  const outputType = isObject(output) ? output['type'] : undefined;
  const isError =
    value['isError'] === true ||
    value['is_error'] === true ||
    (typeof outputType === 'string' && outputType.startsWith('error-'));
  return { callId, text: outputText(output), isError };
}

function present<T>(value: T | undefined): value is T {
  return value !== undefined;
}

const NOTHING_RECORDED: RecordedMessage = {
  role: 'other',
  text: '',
  opens: 'no',
  calls: [],
  outputs: [],
  continues: false,
};

function isCompactSummary(message: LooseRecord): boolean {
  return isObject(message['semantics']) && message['semantics']['kind'] === 'compact_summary';
}

function userMessage(message: LooseRecord, blocks: readonly unknown[] | undefined): RecordedMessage {
  const content = message['content'];
  const texts = blocks === undefined ? [typeof content === 'string' ? content : ''] : blockTexts(blocks);
  // A reminder in a block of its own is not the user's; merged into the text it stays, and the core cleans it.
  const own = texts.length > 1 ? texts.filter((text) => !isOnlyReminders(text)) : texts;
  const text = own.join('\n');
  const outputs = (blocks ?? []).filter((block) => isOneOf(block, OUTPUT_BLOCKS)).map(recordedToolOutput);
  const attachment = (blocks ?? []).some(
    (block) => isObject(block) && ![...TEXT_BLOCKS, ...OUTPUT_BLOCKS, ...SILENT_BLOCKS].includes(String(block['type'])),
  );
  const empty = text.trim() === '' || isOnlyReminders(text);
  const opens =
    isCompactSummary(message) || (empty && !attachment)
      ? 'no'
      : !empty && isOnlyNotifications(text)
        ? 'notification'
        : 'prompt';
  return { ...NOTHING_RECORDED, role: 'user', text: empty ? '' : text, opens, outputs: outputs.filter(present) };
}

function isOneOf(block: unknown, types: readonly string[]): block is LooseRecord {
  return isObject(block) && typeof block['type'] === 'string' && types.includes(block['type']);
}

function blockTexts(blocks: readonly unknown[]): string[] {
  return blocks
    .map((block) => (typeof block === 'string' ? block : isOneOf(block, TEXT_BLOCKS) ? block['text'] : undefined))
    .filter((text) => typeof text === 'string');
}

function assistantMessage(message: LooseRecord, blocks: readonly unknown[] | undefined): RecordedMessage {
  const content = message['content'];
  const listed = message['toolCalls'] ?? message['tool_calls'];
  const calls = [
    ...(blocks ?? []).filter((block) => isOneOf(block, CALL_BLOCKS)),
    ...(Array.isArray(listed) ? (listed as unknown[]) : []),
  ].map(recordedToolCall);
  const seen = new Set<string>();
  return {
    ...NOTHING_RECORDED,
    role: 'assistant',
    text: blocks === undefined ? (typeof content === 'string' ? content : '') : blockTexts(blocks).join(''),
    // Some builds write the calls twice: as blocks and at the message.
    calls: calls.filter(present).filter((call) => !seen.has(call.id) && seen.add(call.id)),
  };
}

/** Any recorded message or item; what is not understood reads as a message that says nothing. */
export function recordedMessage(value: unknown): RecordedMessage {
  if (!isObject(value)) return NOTHING_RECORDED;
  if (value['type'] === 'function_call') {
    const call = recordedToolCall(value);
    return call === undefined
      ? NOTHING_RECORDED
      : { ...NOTHING_RECORDED, role: 'assistant', calls: [call], continues: true };
  }
  if (value['type'] === 'function_call_output') {
    const output = recordedToolOutput(value);
    return output === undefined ? NOTHING_RECORDED : { ...NOTHING_RECORDED, role: 'tool', outputs: [output] };
  }
  const content = value['content'];
  const blocks = Array.isArray(content) ? (content as unknown[]) : undefined;
  switch (value['role']) {
    case 'user':
      return userMessage(value, blocks);
    case 'assistant':
      return assistantMessage(value, blocks);
    case 'tool': {
      const inside = (blocks ?? []).filter((block) => isOneOf(block, OUTPUT_BLOCKS));
      const outputs = (inside.length > 0 ? inside : [value]).map(recordedToolOutput).filter(present);
      return { ...NOTHING_RECORDED, role: 'tool', outputs };
    }
    default:
      return NOTHING_RECORDED;
  }
}
