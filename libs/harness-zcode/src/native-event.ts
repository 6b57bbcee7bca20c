/**
 * ZCode's names of the four events that are wired. In one place because the client refuses a whole answer whose
 * `hookEventName` differs from the event it ran.
 */
import type { HookEventKind } from '../vendor/memory-core/hot.ts';

/** Our event kind → the client's event name (https://zcode.z.ai/en/docs/hooks). */
export const NATIVE_EVENT_NAME = {
  'session-start': 'SessionStart',
  prompt: 'UserPromptSubmit',
  'tool-guard': 'PreToolUse',
  'turn-end': 'Stop',
} as const satisfies Record<HookEventKind, string>;
