/**
 * The translation between Claude Code's hook protocol and the handlers. It keeps three failures out: a subagent's event that
 * is taken for its parent's, an answer that the client drops without a word (a wrong event name, a context too long), and
 * one that starts another model turn (anything said at Stop).
 */
import { fittedText } from './fitted-text.ts';
import { CONTEXT_MAX_LENGTH, hostFacts } from './host-facts.ts';
import { HOST_TAGS, isOnlyHostBlocks } from './host-block.ts';
import { filledString, isObject, shortHash } from '../vendor/memory-core/hot.ts';
import type { Dialect, HookEvent, HookEventKind, LooseRecord, Reply, SessionRef } from '../vendor/memory-core/hot.ts';

const SESSION_ID_IN_PATH = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

const SESSION_SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork'] as const;

/** Who wrote a prompt, where a build says so; all others are the client's own wake-ups and notices. */
const USER_SOURCES: readonly unknown[] = [undefined, 'user', 'sdk'];

/** Entries of the events that tell of a subagent itself. */
const SUBAGENT_ENTRIES: ReadonlySet<string> = new Set(['subagent-start', 'subagent-stop']);

/** Events at which the client shows the model what a hook adds. */
const TAKES_CONTEXT: ReadonlySet<HookEventKind> = new Set(['session-start', 'prompt', 'tool-guard']);

/**
 * Before its hooks run, the client makes a relative path absolute, and takes a memory's address for one: `viking://a` comes
 * as `/project/viking:/a`.
 */
const RESOLVED_ADDRESS = /^(?:[\\/]|[a-z]:[\\/]).*?[\\/]viking:[\\/]+(.*)$/i;
/** No path is longer; what a tool writes may be, and costs time to look at. */
const LONGEST_PATH = 4_096;

type Environment = Readonly<Record<string, string | undefined>>;

function sessionOf(payload: LooseRecord, env: Environment, cwd: string): SessionRef | undefined {
  // The host puts the same id into the hook's environment: as good as the event's own.
  const nativeId = filledString(payload, 'session_id') ?? (env['CLAUDE_CODE_SESSION_ID'] || undefined);
  if (nativeId !== undefined) return { nativeId, origin: 'event' };
  const inPath = SESSION_ID_IN_PATH.exec(filledString(payload, 'transcript_path') ?? '')?.[0];
  if (inPath !== undefined) return { nativeId: inPath, origin: 'transcript-path' };
  return cwd === '' ? undefined : { nativeId: `dir-${shortHash(cwd, 16)}`, origin: 'directory-hash' };
}

/** The subagent that an event is about or happens in. */
function subagentOf(payload: LooseRecord): SessionRef['subagent'] {
  const id = filledString(payload, 'agent_id');
  const type = filledString(payload, 'agent_type');
  return id === undefined ? undefined : { id, ...(type === undefined ? {} : { type }) };
}

/**
 * Whether this hook has to do with the event. What happens inside a subagent is told by that subagent's own events; a
 * subagent without a type is the client's own (it summarises with some, and starts them without an event).
 */
function concerns(kind: HookEventKind, entry: string, subagent: SessionRef['subagent']): boolean {
  if (SUBAGENT_ENTRIES.has(entry)) return subagent?.type !== undefined;
  return subagent === undefined || kind === 'tool-guard';
}

function toEvent(kind: HookEventKind, payload: LooseRecord, env: Environment, entry: string): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  // Where the conversation was started: the payload's own folder follows every `cd` of the model's shell, and what is
  // switched off for a project must not be switched on by one.
  const cwd = env['CLAUDE_PROJECT_DIR'] || (filledString(payload, 'cwd') ?? '');
  const conversation = sessionOf(payload, env, cwd);
  const subagent = subagentOf(payload);
  if (conversation === undefined || !concerns(kind, entry, subagent)) return undefined;
  const session = subagent === undefined ? conversation : { ...conversation, subagent };
  const turnId = filledString(payload, 'prompt_id');
  const transcriptPath =
    (subagent && filledString(payload, 'agent_transcript_path')) ?? filledString(payload, 'transcript_path');
  const base = {
    session,
    cwd,
    ...(turnId === undefined ? {} : { turnId }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
  };
  switch (kind) {
    case 'session-start':
      return { kind, ...base, source: SESSION_SOURCES.find((name) => name === payload['source']) ?? 'startup' };
    case 'prompt': {
      const prompt = filledString(payload, 'prompt') ?? '';
      if (!USER_SOURCES.includes(payload['source']) || isOnlyHostBlocks(prompt)) return undefined;
      return { kind, ...base, prompt };
    }
    case 'tool-guard': {
      const toolName = filledString(payload, 'tool_name');
      if (toolName === undefined) return undefined;
      const input = payload['tool_input'];
      return { kind, ...base, toolName, toolInput: isObject(input) ? withAddresses(input) : {} };
    }
    case 'turn-end': {
      const answer = filledString(payload, 'last_assistant_message');
      return { kind, ...base, ...(answer === undefined ? {} : { answer }) };
    }
    case 'pre-compact':
    case 'session-end':
      return { kind, ...base };
    case 'answer':
      return undefined;
  }
}

/** A tool's arguments with memory addresses as the model wrote them. */
function withAddresses(input: LooseRecord): LooseRecord {
  const entries = Object.entries(input).map(([key, value]) => [key, address(value)] as const);
  return entries.every(([key, value]) => value === input[key]) ? input : Object.fromEntries(entries);
}

function address(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > LONGEST_PATH) return value;
  const path = RESOLVED_ADDRESS.exec(value)?.[1];
  return path === undefined ? value : `viking://${path.replaceAll('\\', '/')}`;
}

function toOutput(kind: HookEventKind, reply: Reply, entry: string): string {
  // At the other events the client shows nothing to anybody, or takes what it gets as a reason to go on working.
  if (!TAKES_CONTEXT.has(kind)) return '';
  // Under another event's name the client drops the context without a word.
  const hookEventName = hostFacts.events.find((event) => event.entry === entry)?.nativeName;
  if (reply.kind === 'deny') {
    if (kind !== 'tool-guard') return '';
    const permissionDecisionReason = fittedText(reply.reason, CONTEXT_MAX_LENGTH);
    return JSON.stringify({
      hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason },
    });
  }
  const additionalContext = reply.kind === 'context' ? fittedText(reply.text, CONTEXT_MAX_LENGTH) : '';
  const answer = {
    ...(reply.notice === undefined || reply.notice === '' ? {} : { systemMessage: reply.notice }),
    ...(additionalContext === '' ? {} : { hookSpecificOutput: { hookEventName, additionalContext } }),
  };
  return Object.keys(answer).length === 0 ? '' : JSON.stringify(answer);
}

export const claudeDialect: Dialect = { toEvent, toOutput, hostTags: HOST_TAGS };
