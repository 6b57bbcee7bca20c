/**
 * One row of Claude Code's record of a conversation. Most rows are not conversation: attachments, copies of whole model
 * requests (with everything that hooks added), bookkeeping. Here each becomes one of the few things that the assembly of
 * turns knows, or nothing; whatever is not understood is left out.
 *
 * Row shapes: recorded from the client, version 2.1.332, see `test/fixtures/`. The file is the client's own and without a
 * promise: every member may be missing or of another type.
 */
import { isOnlyHostBlocks } from './host-block.ts';
import { filledString, isObject, parseObject } from '../vendor/memory-core/hot.ts';
import type { LooseRecord } from '../vendor/memory-core/hot.ts';

export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly input: LooseRecord;
}

export interface RecordedOutput {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

interface RowBase {
  /** Identity of the row: one that the file repeats is the same row. */
  readonly uuid?: string;
  /** ISO time. */
  readonly at?: string;
}

export interface UserRow extends RowBase {
  readonly kind: 'user';
  /** Identity of the prompt that this row belongs to; builds of old have none. */
  readonly promptId?: string;
  /** What the user wrote; absent where the client wrote it, or there is no text. */
  readonly text?: string;
  readonly outputs: readonly RecordedOutput[];
  /** The user stopped the model. */
  readonly interrupts: boolean;
}

export interface AssistantRow extends RowBase {
  readonly kind: 'assistant';
  /** One message is spread over several rows. */
  readonly messageId?: string;
  readonly blocks: readonly (RecordedCall | string)[];
  readonly outputs: readonly RecordedOutput[];
  /** `cut`: the row was written before the message was complete. */
  readonly stop: 'final' | 'goes-on' | 'cut';
}

/** Something the user wrote while the model was at work: it belongs to the turn that is under way. */
export interface RemarkRow extends RowBase {
  readonly kind: 'remark';
  readonly text: string;
}

/** An answer that was given in another conversation: this one began as its copy, and all rows so far are copies. */
export interface CopiedRow {
  readonly kind: 'copied';
}

export type TranscriptRow = UserRow | AssistantRow | RemarkRow | CopiedRow;

/** Whose record is read. */
export interface RowReader {
  readonly nativeId: string;
  /** In the file of a subagent. */
  readonly subagentId?: string;
}

/** What the client writes for a picture that a tool returned; the picture itself is no text to remember. */
const IMAGE_MARK = '[image]';
const INTERRUPTION = '[Request interrupted by user';
/** The model has nothing more to do, or may not. */
const GOES_ON: readonly unknown[] = ['tool_use', 'pause_turn'];

/** Rows that stand in the file for the client's own use. */
const ASIDE_MARKS = ['isCompactSummary', 'isVirtual', 'isVisibleInTranscriptOnly'];

/** Most of a file are copies of requests and snapshots, some of them very long: they are not worth parsing. */
const MAY_BE_CONVERSATION = /"type":\s*"(?:user|assistant)"|"queued_command"/;

/** A line's text → its row; undefined for everything that is not conversation. */
export function readRow(line: string, reader: RowReader): TranscriptRow | undefined {
  if (!MAY_BE_CONVERSATION.test(line)) return undefined;
  const row = parseObject(line);
  if (row === undefined) return undefined;
  const type = row['type'];
  if (type !== 'user' && type !== 'assistant' && type !== 'attachment') return undefined;
  if (!isOfThisRecord(row, reader) || ASIDE_MARKS.some((mark) => row[mark] === true)) return undefined;
  if (type === 'attachment') return readRemark(row);
  if (isOther(row['requestSessionId'], reader)) return { kind: 'copied' };
  const message = row['message'];
  if (!isObject(message)) return undefined;
  return type === 'user' ? readUser(row, message) : readAssistant(row, message);
}

/**
 * False for a row that says itself that it is another conversation's, by session or by a note of where it came from, and for
 * those of subagents: builds of old kept them, marked, in the file of their parent.
 */
function isOfThisRecord(row: LooseRecord, reader: RowReader): boolean {
  if (isOther(row['sessionId'], reader) || isObject(row['forkedFrom'])) return false;
  const { subagentId } = reader;
  if (subagentId === undefined) return row['isSidechain'] !== true;
  return row['agentId'] === undefined ? row['isSidechain'] === true : row['agentId'] === subagentId;
}

/**
 * A fork begins with rows of the conversation that it was made from. They carry the fork's session id, and its prompts even
 * the id of the fork's first one; what tells is the session that an answer was requested for.
 */
function isOther(sessionId: unknown, { nativeId }: RowReader): boolean {
  return typeof sessionId === 'string' && sessionId !== '' && sessionId !== nativeId;
}

function base(row: LooseRecord): RowBase {
  const uuid = filledString(row, 'uuid');
  const at = filledString(row, 'timestamp');
  return {
    ...(uuid === undefined ? {} : { uuid }),
    ...(at === undefined || Number.isNaN(Date.parse(at)) ? {} : { at }),
  };
}

function readUser(row: LooseRecord, message: LooseRecord): UserRow | undefined {
  if (message['role'] !== 'user') return undefined;
  const blocks = contentBlocks(message['content']);
  const texts = blocks.flatMap((block) => (block['type'] === 'text' ? (filledString(block, 'text') ?? []) : []));
  const interrupts = texts.some((text) => text.startsWith(INTERRUPTION));
  const text = texts.join('\n');
  const isTyped = !interrupts && text.trim() !== '' && isByUser(row) && !isOnlyHostBlocks(text);
  const promptId = filledString(row, 'promptId');
  return {
    kind: 'user',
    ...base(row),
    ...(promptId === undefined ? {} : { promptId }),
    ...(isTyped ? { text } : {}),
    outputs: blocks.flatMap((block) => (block['type'] === 'tool_result' ? readOutput(block) : [])),
    interrupts,
  };
}

/** False for what the client adds to a prompt, and for prompts that it makes itself: notices, wake-ups, other agents. */
function isByUser(row: LooseRecord): boolean {
  if (row['isMeta'] === true || row['promptSource'] === 'system') return false;
  const origin = row['origin'];
  return !isObject(origin) || origin['kind'] === 'human';
}

function readAssistant(row: LooseRecord, message: LooseRecord): AssistantRow | undefined {
  if (message['role'] !== 'assistant') return undefined;
  const messageId = filledString(message, 'id');
  // An error of the API, or the gap that a stopped turn left, is written as if the model had said it.
  const isSynthetic = row['isApiErrorMessage'] === true || message['model'] === '<synthetic>';
  const blocks = isSynthetic ? [] : contentBlocks(message['content']);
  const spoken = blocks.flatMap((block): (RecordedCall | string)[] => {
    const text = block['type'] === 'text' ? filledString(block, 'text') : undefined;
    if (text !== undefined) return [text];
    return block['type'] === 'tool_use' || block['type'] === 'server_tool_use' ? readCall(block) : [];
  });
  const reason = message['stop_reason'];
  // Thinking that comes before the answer carries the answer's reason to stop.
  const isWhole = typeof reason === 'string' && row['isAbortedMidStream'] !== true;
  const ends = isWhole && !GOES_ON.includes(reason) && (spoken.length > 0 || isSynthetic);
  return {
    kind: 'assistant',
    ...base(row),
    ...(messageId === undefined ? {} : { messageId }),
    blocks: spoken,
    outputs: blocks.flatMap((block) => (/_tool_result$/.test(String(block['type'])) ? readOutput(block) : [])),
    stop: ends ? 'final' : isWhole ? 'goes-on' : 'cut',
  };
}

function readRemark(row: LooseRecord): RemarkRow | undefined {
  const attachment = row['attachment'];
  if (!isObject(attachment) || attachment['type'] !== 'queued_command') return undefined;
  if (attachment['commandMode'] !== 'prompt' || !isByUser(attachment)) return undefined;
  const text = contentBlocks(attachment['prompt'])
    .flatMap((block) => filledString(block, 'text') ?? [])
    .join('\n');
  return text.trim() === '' || isOnlyHostBlocks(text) ? undefined : { kind: 'remark', ...base(row), text };
}

function readCall(block: LooseRecord): RecordedCall[] {
  const id = filledString(block, 'id');
  const name = filledString(block, 'name');
  if (id === undefined || name === undefined) return [];
  const input = block['input'];
  return [{ id, name, input: isObject(input) ? input : {} }];
}

function readOutput(block: LooseRecord): RecordedOutput[] {
  const callId = filledString(block, 'tool_use_id');
  if (callId === undefined) return [];
  const text = contentBlocks(block['content'])
    .flatMap((part) => (part['type'] === 'image' ? IMAGE_MARK : (filledString(part, 'text') ?? [])))
    .join('\n');
  return [{ callId, text, isError: block['is_error'] === true }];
}

/** Content is one text or a list of blocks. */
function contentBlocks(content: unknown): readonly LooseRecord[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
}
