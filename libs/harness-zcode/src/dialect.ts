/**
 * The translation between ZCode's hook protocol and the handlers. It keeps two failures out: a payload that a build
 * spells differently and is taken for garbage, and an answer that the client throws away (a key too many, a byte too many).
 */
import { HOST_NOISE, HOST_TAGS } from './host-block.ts';
import { hostFacts, OUTPUT_MAX_BYTES } from './host-facts.ts';
import { firstString, isObject, looseRecord, looseText, shortHash } from '../vendor/memory-core/hot.ts';
import type { Dialect, HookEvent, HookEventKind, LooseRecord, Reply, SessionRef } from '../vendor/memory-core/hot.ts';

/** Sessions of subagents: hooks are not meant to run inside them, and they are not the user's conversation. */
const SUBAGENT_PREFIX = 'sess_subagent_';

const SESSION_ID_IN_PATH =
  /(?:sess_(?:subagent_(?:agent_)?)?)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

const SESSION_SOURCES = ['startup', 'resume', 'clear', 'compact'] as const;

/** The best answer first: the preview is cut at 4,000 characters. */
const ANSWER_KEYS = [
  'last_assistant_message',
  'lastAssistantMessage',
  'responseText',
  'response_text',
  'responsePreview',
  'response_preview',
];

type Environment = Readonly<Record<string, string | undefined>>;

function sessionOf(payload: LooseRecord, env: Environment, cwd: string): SessionRef | undefined {
  // The host puts the same id into the hook's environment: as good as the event's own, where a build leaves that out.
  const nativeId = firstString(payload, ['session_id', 'sessionId']) ?? (env['ZCODE_SESSION_ID'] || undefined);
  if (nativeId !== undefined) return { nativeId, origin: 'event' };
  const path = firstString(payload, ['transcript_path', 'transcriptPath']);
  const inPath = path === undefined ? undefined : SESSION_ID_IN_PATH.exec(path)?.[0];
  if (inPath !== undefined) return { nativeId: inPath, origin: 'transcript-path' };
  if (cwd === '') return undefined;
  return { nativeId: `dir-${shortHash(cwd, 16)}`, origin: 'directory-hash' };
}

function toEvent(kind: HookEventKind, payload: LooseRecord, env: Environment): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const cwd = firstString(payload, ['cwd']) ?? (env['ZCODE_PROJECT_DIR'] || env['CLAUDE_PROJECT_DIR'] || '');
  const session = sessionOf(payload, env, cwd);
  if (session === undefined || session.nativeId.startsWith(SUBAGENT_PREFIX)) return undefined;
  const turnId = firstString(payload, ['turnId', 'turn_id']);
  const base = { session, cwd, ...(turnId === undefined ? {} : { turnId }) };
  switch (kind) {
    case 'session-start': {
      const source = SESSION_SOURCES.find((name) => name === payload['source']) ?? 'startup';
      return { kind, ...base, source };
    }
    case 'prompt':
      return { kind, ...base, prompt: looseText(payload['prompt']) };
    case 'tool-guard': {
      const toolName = firstString(payload, ['tool_name', 'toolName']);
      if (toolName === undefined) return undefined;
      const toolInput = looseRecord(payload['tool_input']) ?? looseRecord(payload['toolInput']) ?? {};
      return { kind, ...base, toolName, toolInput };
    }
    case 'turn-end': {
      const answer = firstString(payload, ANSWER_KEYS);
      return { kind, ...base, ...(answer === undefined ? {} : { answer }) };
    }
  }
}

const CUT_MARK = '\n… (cut to fit this client)\n';
const CLOSING_TAG = /<\/openviking-context>\s*$/;

/** Bytes that a text takes inside a JSON string, escapes included. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** The same for one code point, without building strings: quotes, controls and lone surrogates are written as escapes. */
function codePointBytes(codePoint: number): number {
  if (codePoint < 0x20) return [8, 9, 10, 12, 13].includes(codePoint) ? 2 : 6;
  if (codePoint < 0x80) return codePoint === 0x22 || codePoint === 0x5c ? 2 : 1;
  if (codePoint < 0x800) return 2;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 6;
  return codePoint < 0x10000 ? 3 : 4;
}

/**
 * The longest form of `text` that takes at most `budget` bytes inside a JSON string, cut between code points and marked;
 * the envelope's closing tag survives, or the model would read everything after it as recalled text.
 */
function fitted(text: string, budget: number): string {
  if (jsonBytes(text) <= budget) return text;
  const tail = CUT_MARK + (CLOSING_TAG.test(text) ? '</openviking-context>' : '');
  const body = text.replace(CLOSING_TAG, '');
  let left = budget - jsonBytes(tail);
  let end = 0;
  for (const character of body) {
    left -= codePointBytes(character.codePointAt(0) ?? 0);
    if (left < 0) break;
    end += character.length;
  }
  return body.slice(0, end).trimEnd() + tail;
}

/** One `hookSpecificOutput` with one free text, within the limit. */
function answer(fields: LooseRecord, textKey: string, text: string): string {
  const write = (value: string): string => JSON.stringify({ hookSpecificOutput: { ...fields, [textKey]: value } });
  return write(fitted(text, OUTPUT_MAX_BYTES - Buffer.byteLength(write(''))));
}

function toOutput(kind: HookEventKind, reply: Reply): string {
  // The client refuses a whole answer whose event name differs from the event it ran.
  const hookEventName = hostFacts.events.find((event) => event.kind === kind)?.nativeName;
  // At Stop the client injects nothing, and a decision there would start another model turn.
  if (kind === 'turn-end') return '';
  switch (reply.kind) {
    case 'nothing':
      return '';
    case 'context':
      // A guard can only deny: context on a tool call is not documented, and an answer that the client refuses is lost.
      if (kind === 'tool-guard' || reply.text === '') return '';
      return answer({ hookEventName }, 'additionalContext', reply.text);
    case 'deny':
      if (kind !== 'tool-guard') return '';
      return answer({ hookEventName, permissionDecision: 'deny' }, 'permissionDecisionReason', reply.reason);
  }
}

export const zcodeDialect = { toEvent, toOutput, hostTags: HOST_TAGS, hostNoise: HOST_NOISE } satisfies Dialect;
