/**
 * What ZCode makes of a hook's exit code and stdout. The strictest published reading: one unknown key fails the whole
 * answer, and a byte too many loses it without a word.
 *
 * Facts: ZCode runtime 0.16.9 (`core/src/hooks/output`), shipped bundles of 3.9 to 3.14.
 */
import type { ZcodeEvent } from './config.ts';

/** All contexts of one event together, in characters. */
export const CONTEXT_LIMIT = 24_000;

export type HookVerdict =
  /** Ran and had nothing to say, or said it in a form that the client ignores. */
  | { readonly kind: 'nothing'; readonly ignored?: string }
  | { readonly kind: 'context'; readonly text: string }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'allow'; readonly text?: string }
  /** The prompt or the end of the turn is held up. */
  | { readonly kind: 'block'; readonly reason: string }
  /** The client logs `hook.run.failed` and goes on without the hook. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface HookOutcome {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const TOP_LEVEL = [
  'continue',
  'stopReason',
  'suppressOutput',
  'systemMessage',
  'decision',
  'reason',
  'hookSpecificOutput',
];
const SPECIFIC: Readonly<Record<ZcodeEvent, readonly string[]>> = {
  SessionStart: ['additionalContext'],
  UserPromptSubmit: ['additionalContext'],
  PreToolUse: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  PermissionRequest: ['decision'],
  PostToolUse: ['additionalContext'],
  PostToolUseFailure: ['additionalContext'],
  Stop: ['additionalContext'],
};

/** Judges one finished handler. */
export function judgeHook(event: ZcodeEvent, outcome: HookOutcome, maxOutputBytes: number): HookVerdict {
  if (outcome.timedOut) return { kind: 'failed', reason: 'timed out' };
  if (outcome.exitCode === 2) {
    const reason = outcome.stderr.trim() || outcome.stdout.trim();
    return event === 'PreToolUse' || event === 'PermissionRequest'
      ? { kind: 'deny', reason }
      : { kind: 'block', reason };
  }
  if (outcome.exitCode !== 0) return { kind: 'failed', reason: `exit code ${String(outcome.exitCode)}` };
  if (outcome.stdout === '') return { kind: 'nothing' };
  if (Buffer.byteLength(outcome.stdout) > maxOutputBytes) {
    return { kind: 'nothing', ignored: `stdout is longer than ${maxOutputBytes} bytes` };
  }
  const text = outcome.stdout.trim();
  if (!text.startsWith('{')) return { kind: 'nothing', ignored: 'stdout is no JSON object' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'nothing', ignored: 'stdout is broken JSON' };
  }
  return judgeAnswer(event, value as Readonly<Record<string, unknown>>);
}

function judgeAnswer(event: ZcodeEvent, answer: Readonly<Record<string, unknown>>): HookVerdict {
  const failed = (reason: string): HookVerdict => ({ kind: 'failed', reason: `stdout failed the schema: ${reason}` });
  const foreign = Object.keys(answer).find((key) => !TOP_LEVEL.includes(key));
  if (foreign !== undefined) return failed(`unknown key "${foreign}"`);
  const decision = answer['decision'];
  if (decision !== undefined && decision !== 'approve' && decision !== 'block') return failed('decision');
  if (decision === 'block') {
    const reason = answer['reason'];
    return typeof reason === 'string' && reason !== '' ? { kind: 'block', reason } : failed('block without a reason');
  }
  if (answer['continue'] === false) return { kind: 'block', reason: String(answer['stopReason'] ?? '') };
  if (!('hookSpecificOutput' in answer)) return { kind: 'nothing' };
  const specific = answer['hookSpecificOutput'];
  if (typeof specific !== 'object' || specific === null || Array.isArray(specific)) return failed('hookSpecificOutput');
  const { hookEventName, additionalContext, permissionDecision, permissionDecisionReason } = specific as Record<
    string,
    unknown
  >;
  if (hookEventName !== event) return failed(`hookEventName is ${JSON.stringify(hookEventName)}, not ${event}`);
  const extra = Object.keys(specific).find((key) => key !== 'hookEventName' && !SPECIFIC[event].includes(key));
  if (extra !== undefined) return failed(`unknown key "hookSpecificOutput.${extra}"`);
  if (additionalContext !== undefined && typeof additionalContext !== 'string') return failed('additionalContext');
  if (permissionDecision !== undefined) {
    if (permissionDecision === 'deny') return { kind: 'deny', reason: String(permissionDecisionReason ?? '') };
    if (permissionDecision !== 'allow' && permissionDecision !== 'ask') return failed('permissionDecision');
    return { kind: 'allow', ...(additionalContext === undefined ? {} : { text: additionalContext }) };
  }
  if (additionalContext === undefined || additionalContext === '') return { kind: 'nothing' };
  return { kind: 'context', text: additionalContext };
}

/** The one message that the model gets for all contexts of an event; undefined when there are none. */
export function wrapContexts(event: ZcodeEvent, contexts: readonly string[]): string | undefined {
  if (contexts.length === 0) return undefined;
  const joined = contexts.join('\n\n').slice(0, CONTEXT_LIMIT);
  const harmless = joined.replace(/<(\/?)system-reminder>/gi, '&lt;$1system-reminder&gt;');
  return `<system-reminder>\nContext added by a ${event} hook:\n${harmless}\n</system-reminder>`;
}
