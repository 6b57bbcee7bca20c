/**
 * The stdin of a ZCode hook: one JSON value and a newline, every field in both spellings, undefined fields left out.
 * Kept apart from the host so that a test can feed a single hook without playing a conversation.
 */
/** What every event carries. */
export interface HookSituation {
  readonly sessionId: string;
  readonly turnId?: string;
  readonly traceId: string;
  readonly cwd: string;
  /** A throw-away file that is gone once the hook has returned. */
  readonly transcriptPath: string;
}

/** What one event carries on top. */
export type HookDetail =
  | { readonly event: 'SessionStart'; readonly source: 'startup' | 'resume' }
  | { readonly event: 'UserPromptSubmit'; readonly prompt: string }
  | {
      readonly event: 'PreToolUse';
      readonly toolName: string;
      readonly toolInput: Readonly<Record<string, unknown>>;
      readonly toolCallId: string;
    }
  | {
      readonly event: 'PostToolUse';
      readonly toolName: string;
      readonly toolInput: Readonly<Record<string, unknown>>;
      readonly toolCallId: string;
      readonly toolResponse: unknown;
    }
  | { readonly event: 'Stop'; readonly answer: string; readonly toolCallCount: number };

/** The client's preview of an answer, in characters. */
const PREVIEW_LENGTH = 4_000;

/** The exact text that the client writes to the hook's stdin. */
export function hookInput(situation: HookSituation, detail: HookDetail): string {
  const agent = detail.event === 'SessionStart' || detail.event === 'UserPromptSubmit' || detail.event === 'Stop';
  const camel = {
    agentName: agent ? 'zcode-agent' : undefined,
    cwd: situation.cwd,
    hookEventName: detail.event,
    mode: 'build',
    model: detail.event === 'SessionStart' ? 'stub/stub-model' : undefined,
    prompt: detail.event === 'UserPromptSubmit' ? detail.prompt : undefined,
    sessionId: situation.sessionId,
    source: detail.event === 'SessionStart' ? detail.source : undefined,
    timestamp: new Date().toISOString(),
    traceId: situation.traceId,
    turnId: situation.turnId,
  };
  const snake = {
    agent_type: agent ? 'zcode-agent' : undefined,
    hook_event_name: detail.event,
    permission_mode: 'build',
    session_id: situation.sessionId,
    transcript_path: situation.transcriptPath,
    transcriptPath: situation.transcriptPath,
  };
  const [own, ownSnake] = specifics(detail);
  return `${JSON.stringify({ ...camel, ...own, ...snake, ...ownSnake })}\n`;
}

function specifics(detail: HookDetail): readonly [object, object] {
  switch (detail.event) {
    case 'SessionStart':
    case 'UserPromptSubmit':
      return [{}, {}];
    case 'PreToolUse':
      return [
        {
          riskLevel: 'medium',
          sideEffectScope: 'workspace',
          toolCallId: detail.toolCallId,
          toolInput: detail.toolInput,
          toolName: detail.toolName,
        },
        { tool_name: detail.toolName, tool_input: detail.toolInput, tool_use_id: detail.toolCallId },
      ];
    case 'PostToolUse':
      return [
        {
          toolCallId: detail.toolCallId,
          toolInput: detail.toolInput,
          toolName: detail.toolName,
          toolResponse: detail.toolResponse,
          toolResultPreview: JSON.stringify(detail.toolResponse),
        },
        {
          tool_name: detail.toolName,
          tool_input: detail.toolInput,
          tool_use_id: detail.toolCallId,
          tool_response: detail.toolResponse,
        },
      ];
    case 'Stop':
      return [
        {
          responsePreview: detail.answer.slice(0, PREVIEW_LENGTH),
          responseText: detail.answer,
          stopHookActive: false,
          toolCallCount: detail.toolCallCount,
        },
        { last_assistant_message: detail.answer, stop_hook_active: false },
      ];
  }
}

/** The one line of the throw-away transcript file. */
export function transcriptText(detail: HookDetail): string {
  const line = (role: string, text: string): string =>
    `${JSON.stringify({ message: { content: [{ text, type: 'text' }], role } })}\n`;
  if (detail.event === 'UserPromptSubmit') return line('user', detail.prompt);
  if (detail.event === 'Stop') return line('assistant', detail.answer);
  return '';
}

/** The variables that the client adds to a hook's environment. */
export function hookEnvironment(sessionId: string, cwd: string): Readonly<Record<string, string>> {
  return {
    ZCODE_SESSION_ID: sessionId,
    ZCODE_PROJECT_DIR: cwd,
    CLAUDE_SESSION_ID: sessionId,
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_PROJECT_DIR: cwd,
  };
}

/** The subject that a group's matcher is tested against. */
export function matcherSubject(detail: HookDetail): string | undefined {
  if (detail.event === 'PreToolUse' || detail.event === 'PostToolUse') return detail.toolName;
  if (detail.event === 'SessionStart') return detail.source;
  return undefined;
}
