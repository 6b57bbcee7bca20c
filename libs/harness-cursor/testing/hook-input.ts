/**
 * What Cursor sends a hook: payload and environment, as documented at cursor.com/docs/hooks and as captured from 3.9.16,
 * whose payloads name no transcript where this fake names none.
 */
import type { CursorEvent } from './hooks-file.ts';

export const CURSOR_VERSION = '3.20.17';

/** Event-specific part of a payload. */
export type HookDetail =
  | { readonly event: 'sessionStart' }
  | { readonly event: 'beforeSubmitPrompt'; readonly prompt: string }
  | {
      readonly event: 'preToolUse' | 'postToolUse';
      readonly toolName: string;
      readonly toolInput: Readonly<Record<string, unknown>>;
      readonly toolOutput?: string;
    }
  | { readonly event: 'afterAgentResponse'; readonly text: string }
  | { readonly event: 'stop'; readonly status: 'completed' | 'aborted' | 'error' }
  | {
      readonly event: 'subagentStop';
      readonly type: string;
      readonly task: string;
      readonly summary: string;
      readonly transcriptPath: string | null;
    }
  | { readonly event: 'preCompact' }
  | { readonly event: 'sessionEnd' };

export interface HookSituation {
  readonly conversationId: string;
  /** Empty before the first prompt. */
  readonly generationId: string;
  readonly workspaceRoots: readonly string[];
  readonly transcriptPath: string | null;
}

/** Before the first tool has run, the client names no transcript. */
const WITHOUT_TRANSCRIPT: ReadonlySet<CursorEvent> = new Set(['sessionStart', 'beforeSubmitPrompt']);

/** The payload as the client writes it to stdin. */
export function hookInput(situation: HookSituation, detail: HookDetail): string {
  const { conversationId, generationId, workspaceRoots, transcriptPath } = situation;
  const common = {
    conversation_id: conversationId,
    generation_id: generationId,
    model: 'composer-2.5-fast',
    model_id: 'composer-2.5',
    session_id: conversationId,
    hook_event_name: detail.event,
    cursor_version: CURSOR_VERSION,
    workspace_roots: workspaceRoots,
    user_email: 'user@example.com',
    transcript_path: WITHOUT_TRANSCRIPT.has(detail.event) ? null : transcriptPath,
  };
  return `${JSON.stringify({ ...common, ...specific(detail) })}\n`;
}

function specific(detail: HookDetail): object {
  switch (detail.event) {
    case 'sessionStart':
      return { is_background_agent: false, composer_mode: 'agent' };
    case 'beforeSubmitPrompt':
      return { composer_mode: 'agent', prompt: detail.prompt, attachments: [] };
    case 'preToolUse':
      return { tool_name: detail.toolName, tool_input: detail.toolInput, tool_use_id: 'tool_1', cwd: '' };
    case 'postToolUse':
      return {
        tool_name: detail.toolName,
        tool_input: detail.toolInput,
        tool_output: JSON.stringify({ output: detail.toolOutput ?? '', exitCode: 0 }),
        tool_use_id: 'tool_1',
        duration: 12.5,
        cwd: '',
      };
    case 'afterAgentResponse':
      return { text: detail.text };
    case 'stop':
      return { status: detail.status, loop_count: 0 };
    case 'subagentStop':
      return {
        subagent_type: detail.type,
        status: 'completed',
        task: detail.task,
        description: detail.task.slice(0, 40),
        summary: detail.summary,
        duration_ms: 1200,
        message_count: 2,
        tool_call_count: 0,
        loop_count: 0,
        modified_files: [],
        agent_transcript_path: detail.transcriptPath,
      };
    case 'preCompact':
      return {
        trigger: 'manual',
        context_usage_percent: 92.1,
        context_tokens: 184_200,
        context_window_size: 200_000,
        message_count: 13,
        messages_to_compact: 11,
        is_first_compaction: true,
      };
    case 'sessionEnd':
      return { reason: 'user_close', duration_ms: 60_000, is_background_agent: false, final_status: 'completed' };
  }
}

/** What the client adds to a hook's environment. */
export function hookEnvironment(situation: Pick<HookSituation, 'workspaceRoots'>): Record<string, string> {
  const root = situation.workspaceRoots[0] ?? '';
  return {
    CURSOR_VERSION,
    CURSOR_PROJECT_DIR: root,
    CLAUDE_PROJECT_DIR: root,
    CURSOR_USER_EMAIL: 'user@example.com',
  };
}
