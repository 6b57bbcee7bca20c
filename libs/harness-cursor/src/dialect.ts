/**
 * The translation between Cursor's hook protocol and the handlers. It keeps two failures out: a payload whose identity
 * lies elsewhere than in another build and is taken for garbage, and an answer that a gate does not understand, for then
 * Cursor blocks what the user wanted to do.
 */
import { CONTEXT_MAX_LENGTH } from './host-facts.ts';
import { HOST_NOISE, HOST_TAGS } from './host-block.ts';
import { expectedTranscript, subagentOf } from './transcript-place.ts';
import { filledString, isObject, parseObject, shortHash } from '../vendor/memory-core/hot.ts';
import type { Dialect, HookEvent, HookEventKind, Reply, SessionRef } from '../vendor/memory-core/hot.ts';

type Payload = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Tools under names that the guard knows. */
const TOOL_NAMES: Readonly<Record<string, string>> = { StrReplace: 'Edit' };
/** Their arguments, likewise. */
const ARGUMENT_NAMES: Readonly<Record<string, string>> = { target_directory: 'path', glob_pattern: 'pattern' };

/** The conversation's folder. A tool's `cwd` is where its shell stands, and most events have none. */
function workspaceOf(payload: Payload, env: Environment): string {
  const roots = payload['workspace_roots'];
  const root: unknown = Array.isArray(roots)
    ? roots.find((value) => typeof value === 'string' && value !== '')
    : undefined;
  const path =
    (root as string | undefined) ??
    filledString(payload, 'cwd') ??
    (env['CURSOR_PROJECT_DIR'] || env['CLAUDE_PROJECT_DIR'] || '');
  // Windows roots come as the path of a URI, `/c:/work`.
  return /^\/[A-Za-z]:(?:[\\/]|$)/.test(path) ? path.slice(1) : path;
}

function sessionOf(payload: Payload, transcriptPath: string | undefined, cwd: string): SessionRef | undefined {
  const inside = transcriptPath === undefined ? undefined : subagentOf(transcriptPath);
  // Hooks that run inside a subagent name the subagent's own conversation.
  if (inside !== undefined) {
    return { nativeId: inside.parent, origin: 'event', subagent: { id: inside.id } };
  }
  const nativeId = filledString(payload, 'conversation_id') ?? filledString(payload, 'session_id');
  if (nativeId !== undefined) return { nativeId, origin: 'event' };
  const inPath = transcriptPath === undefined ? undefined : UUID.exec(transcriptPath)?.[0];
  if (inPath !== undefined) return { nativeId: inPath, origin: 'transcript-path' };
  return cwd === '' ? undefined : { nativeId: `dir-${shortHash(cwd, 16)}`, origin: 'directory-hash' };
}

/** The subagent whose end is reported to its parent; undefined where nothing tells it apart. */
function endedSubagent(payload: Payload): { session: SessionRef; transcriptPath?: string } | undefined {
  const path = filledString(payload, 'agent_transcript_path');
  const place = path === undefined ? undefined : subagentOf(path);
  const parent =
    filledString(payload, 'parent_conversation_id') ?? place?.parent ?? filledString(payload, 'conversation_id');
  const id = place?.id ?? filledString(payload, 'subagent_id') ?? filledString(payload, 'tool_call_id');
  if (parent === undefined || id === undefined) return undefined;
  const type = filledString(payload, 'subagent_type');
  const subagent = { id, ...(type === undefined ? {} : { type }) };
  return {
    session: { nativeId: parent, origin: 'event', subagent },
    ...(path === undefined ? {} : { transcriptPath: path }),
  };
}

function toEvent(kind: HookEventKind, payload: Payload, env: Environment, entry: string): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const cwd = workspaceOf(payload, env);
  const turnId = filledString(payload, 'generation_id');
  if (entry === 'subagent-stop') {
    const ended = endedSubagent(payload);
    const answer = filledString(payload, 'summary');
    if (ended === undefined) return undefined;
    return { kind: 'turn-end', cwd, ...ended, ...(answer === undefined ? {} : { answer }) };
  }
  const named = filledString(payload, 'transcript_path') ?? (env['CURSOR_TRANSCRIPT_PATH'] || undefined);
  const session = sessionOf(payload, named, cwd);
  if (session === undefined) return undefined;
  const transcriptPath = named ?? expectedTranscript(session.nativeId, cwd, env);
  const base = {
    session,
    cwd,
    ...(turnId === undefined ? {} : { turnId }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
  };
  switch (kind) {
    case 'session-start':
      // The client does not say whether a conversation begins or goes on.
      return { kind, ...base, source: 'startup' };
    case 'prompt':
      return { kind, ...base, prompt: filledString(payload, 'prompt') ?? '' };
    case 'tool-guard': {
      const toolName = filledString(payload, 'tool_name');
      if (toolName === undefined) return undefined;
      return {
        kind,
        ...base,
        toolName: TOOL_NAMES[toolName] ?? toolName,
        toolInput: argumentsOf(payload['tool_input']),
      };
    }
    case 'answer': {
      const answer = filledString(payload, 'text');
      return answer === undefined ? undefined : { kind, ...base, text: answer };
    }
    case 'turn-end':
    case 'pre-compact':
    case 'session-end':
      return { kind, ...base };
  }
}

/** Some builds send a tool's arguments as JSON text. */
function argumentsOf(value: unknown): Payload {
  const input = isObject(value) ? value : typeof value === 'string' ? (parseObject(value) ?? {}) : {};
  return Object.fromEntries(Object.entries(input).map(([key, member]) => [ARGUMENT_NAMES[key] ?? key, member]));
}

const CUT_MARK = '\n… (cut to fit this client)\n';
const CLOSING_TAG = /<\/openviking-context>\s*$/;

/**
 * `context` within the client's limit, cut between code points and marked; the envelope's closing tag survives, or the
 * model would read everything after it as recalled text.
 */
function fitted(context: string): string {
  if (context.length <= CONTEXT_MAX_LENGTH) return context;
  const tail = CUT_MARK + (CLOSING_TAG.test(context) ? '</openviking-context>' : '');
  const end = CONTEXT_MAX_LENGTH - tail.length;
  const isHalf = (context.codePointAt(end - 1) ?? 0) > 0xffff;
  return context.slice(0, isHalf ? end - 1 : end).trimEnd() + tail;
}

function toOutput(kind: HookEventKind, reply: Reply): string {
  switch (kind) {
    case 'session-start':
      return reply.kind === 'context' ? JSON.stringify({ additional_context: fitted(reply.text) }) : '';
    case 'prompt':
      // The context is not in the client's documentation of this event, `continue` is: without it a build that checks
      // only what is documented would take the answer for a refusal.
      return reply.kind === 'context' ? JSON.stringify({ continue: true, additional_context: fitted(reply.text) }) : '';
    case 'tool-guard':
      return verdict(reply);
    default:
      // Words at a turn's end would be submitted as the user's next message; the rest has no channel.
      return '';
  }
}

/**
 * What a gate says; when there is nothing to say the declaration's `silence` stands in. The reason stands twice: documented
 * is that `agent_message` reaches the model, observed with 3.9.16 was that `user_message` does.
 */
function verdict(reply: Reply): string {
  switch (reply.kind) {
    case 'deny':
      return JSON.stringify({ permission: 'deny', user_message: reply.reason, agent_message: reply.reason });
    case 'context':
      return JSON.stringify({ permission: 'allow', additional_context: fitted(reply.text) });
    case 'nothing':
      return '';
  }
}

export const cursorDialect: Dialect = { toEvent, toOutput, hostTags: HOST_TAGS, hostNoise: HOST_NOISE };
