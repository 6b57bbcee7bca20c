/**
 * The stdin and the environment of a hook of Claude Code, field by field as recorded from client 2.1.332. Kept apart from the
 * host so that a test can feed a single hook without playing a conversation.
 */
import { join } from 'node:path';
import type { ClaudeEvent } from './client-hooks.ts';

/** What every event carries. */
export interface HookSituation {
  readonly sessionId: string;
  readonly transcriptPath: string;
  readonly cwd: string;
  /** From the first prompt on. */
  readonly promptId?: string;
  /** For what happens inside a subagent: the parent's session and transcript, and this. */
  readonly agent?: { readonly id: string; readonly type: string };
}

/** What one event carries on top. */
export type HookDetail =
  | { readonly event: 'SessionStart'; readonly source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' }
  | { readonly event: 'UserPromptSubmit'; readonly prompt: string }
  | {
      readonly event: 'PreToolUse' | 'PostToolUse';
      readonly toolName: string;
      readonly toolInput: Readonly<Record<string, unknown>>;
      readonly toolUseId: string;
      readonly toolResponse?: unknown;
    }
  | { readonly event: 'Stop'; readonly answer: string }
  | { readonly event: 'SubagentStart' }
  | { readonly event: 'SubagentStop'; readonly answer: string; readonly agentTranscriptPath: string }
  | { readonly event: 'PreCompact' }
  | { readonly event: 'PostCompact'; readonly summary: string }
  | { readonly event: 'SessionEnd'; readonly reason: 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other' };

/** Events that say which permissions the conversation has. */
const WITH_PERMISSIONS: ReadonlySet<ClaudeEvent> = new Set([
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'SubagentStop',
]);

/** The exact text that the client writes to the hook's stdin. */
export function hookInput(situation: HookSituation, detail: HookDetail): string {
  const { sessionId, transcriptPath, cwd, promptId, agent } = situation;
  const effort = detail.event === 'Stop' || detail.event === 'SubagentStop' || 'toolName' in detail;
  return `${JSON.stringify({
    session_id: sessionId,
    transcript_path: transcriptPath,
    cwd,
    prompt_id: promptId,
    permission_mode: WITH_PERMISSIONS.has(detail.event) ? 'default' : undefined,
    agent_id: agent?.id,
    agent_type: agent?.type,
    effort: effort ? { level: 'medium' } : undefined,
    hook_event_name: detail.event,
    ...specifics(detail, cwd),
  })}\n`;
}

function specifics(detail: HookDetail, cwd: string): object {
  switch (detail.event) {
    case 'SessionStart':
      return { source: detail.source };
    case 'UserPromptSubmit':
      return { prompt: detail.prompt };
    case 'PreToolUse':
    case 'PostToolUse':
      return {
        tool_name: detail.toolName,
        tool_input: resolvedPaths(detail.toolInput, cwd),
        tool_use_id: detail.toolUseId,
        ...(detail.event === 'PostToolUse' ? { tool_response: detail.toolResponse, duration_ms: 12 } : {}),
      };
    case 'Stop':
      return {
        stop_hook_active: false,
        last_assistant_message: detail.answer,
        background_tasks: [],
        session_crons: [],
      };
    case 'SubagentStart':
      return {};
    case 'SubagentStop':
      return {
        stop_hook_active: false,
        agent_transcript_path: detail.agentTranscriptPath,
        last_assistant_message: detail.answer,
        background_tasks: [],
        session_crons: [],
      };
    case 'PreCompact':
      return { trigger: 'manual', custom_instructions: null };
    case 'PostCompact':
      return { trigger: 'manual', compact_summary: detail.summary };
    case 'SessionEnd':
      return { reason: detail.reason };
  }
}

/** The client makes the path of a file tool absolute before hooks see it, and takes an address for a relative path. */
function resolvedPaths(input: Readonly<Record<string, unknown>>, cwd: string): Readonly<Record<string, unknown>> {
  const path = input['file_path'];
  return typeof path === 'string' && !path.startsWith('/') ? { ...input, file_path: join(cwd, path) } : input;
}

/** The variables that the client adds to a hook's environment. */
export function hookEnvironment(
  { sessionId, cwd }: Pick<HookSituation, 'sessionId' | 'cwd'>,
  pluginRoot?: string,
): Readonly<Record<string, string>> {
  return {
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'sdk-cli',
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_PROJECT_DIR: cwd,
    ...(pluginRoot === undefined ? {} : { CLAUDE_PLUGIN_ROOT: pluginRoot }),
  };
}

/** The subject that a group's matcher is tested against. */
export function matcherSubject(detail: HookDetail, situation: HookSituation): string {
  if ('toolName' in detail) return detail.toolName;
  if (detail.event === 'SessionStart') return detail.source;
  if (detail.event === 'PreCompact' || detail.event === 'PostCompact') return 'manual';
  if (detail.event === 'SessionEnd') return detail.reason;
  return situation.agent?.type ?? '';
}
