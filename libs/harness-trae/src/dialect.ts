/**
 * The translation between TRAE's hook protocol and the handlers; it is the same in both editions. It keeps two failures
 * out: a payload that is taken for a subagent's because it names an agent, which every payload does, and an answer at the
 * end of a turn, which the client would take for the next question.
 */
import { firstString, isObject, looseRecord, looseText, shortHash } from '../vendor/memory-core/hot.ts';
import type { Dialect, HookEvent, HookEventKind, LooseRecord, Reply, SessionRef } from '../vendor/memory-core/hot.ts';
import { EVENTS } from './host-facts.ts';

/** What the model said last, the name in the vendor's reference first. */
const ANSWER_KEYS = ['last_assistant_message', 'text_content'];

/** The client's own name of its shell tool → a name that the guard knows. */
const SHELL_TOOLS: Readonly<Record<string, string>> = { RunCommand: 'run_command' };

function cwdOf(payload: LooseRecord): string {
  const roots = payload['workspace_roots'];
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined;
  return firstString(payload, ['cwd']) ?? (typeof root === 'string' ? root : '');
}

function sessionOf(payload: LooseRecord, cwd: string): SessionRef | undefined {
  const nativeId = firstString(payload, ['session_id', 'sessionId']);
  if (nativeId !== undefined) return { nativeId, origin: 'event' };
  return cwd === '' ? undefined : { nativeId: `dir-${shortHash(cwd, 16)}`, origin: 'directory-hash' };
}

/** `agent_id` names whoever works, the main agent too (`solo_agent`, `builder_v3`): it tells nothing about subagents. */
function toEvent(kind: HookEventKind, payload: LooseRecord): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const cwd = cwdOf(payload);
  const session = sessionOf(payload, cwd);
  if (session === undefined) return undefined;
  const base = { session, cwd };
  switch (kind) {
    case 'session-start':
      // The payload does not say whether the conversation begins or goes on.
      return { kind, ...base, source: 'startup' };
    case 'prompt':
      return { kind, ...base, prompt: looseText(payload['prompt']) };
    case 'tool-guard': {
      const toolName = firstString(payload, ['tool_name', 'toolName']);
      if (toolName === undefined) return undefined;
      const toolInput = looseRecord(payload['tool_input']) ?? looseRecord(payload['toolInput']) ?? {};
      return { kind, ...base, toolName: SHELL_TOOLS[toolName] ?? toolName, toolInput };
    }
    case 'turn-end': {
      const answer = ANSWER_KEYS.map((key) => looseText(payload[key])).find((text) => text !== '');
      const prompt = looseText(payload['prompt']);
      return {
        kind,
        ...base,
        ...(answer === undefined ? {} : { answer }),
        ...(prompt === '' ? {} : { prompt }),
      };
    }
    default:
      return undefined;
  }
}

function toOutput(kind: HookEventKind, reply: Reply): string {
  // At Stop `{"decision":"block"}` becomes a new question and nothing else is read.
  if (kind === 'turn-end') return '';
  const hookEventName = EVENTS.find((event) => event.kind === kind)?.nativeName;
  if (hookEventName === undefined) return '';
  const answer = (fields: LooseRecord): string => JSON.stringify({ hookSpecificOutput: { hookEventName, ...fields } });
  switch (reply.kind) {
    case 'nothing':
      return '';
    case 'context':
      return reply.text === '' ? '' : answer({ additionalContext: reply.text });
    case 'deny':
      if (kind !== 'tool-guard') return '';
      return answer({ permissionDecision: 'deny', permissionDecisionReason: reply.reason });
  }
}

export const traeDialect = { toEvent, toOutput } satisfies Dialect;
