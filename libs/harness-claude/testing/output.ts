/**
 * What Claude Code makes of a hook's exit code and stdout. It forgives much and says nothing when it drops an answer; what
 * would make it run the model again, and again, is an error here.
 *
 * Facts: client 2.1.332, each rule tried with a hook that gives that answer.
 */
import { isObject } from '@openviking/memory-core/testing';
import type { ClaudeEvent } from './client-hooks.ts';

/** Longest context that the model gets whole, in UTF-16 code units. */
export const CONTEXT_LIMIT = 10_000;
const PREVIEW_LENGTH = 2_000;

export type HookVerdict =
  /** Ran and had nothing to say to the model, or said it in a form that the client drops. */
  | { readonly kind: 'nothing'; readonly dropped?: string }
  | { readonly kind: 'context'; readonly text: string }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface HookJudgement {
  readonly verdict: HookVerdict;
  /** A line for the user. */
  readonly notice?: string;
}

export interface HookOutcome {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Events whose hooks may add a context. At the two stops it starts another model turn. */
const TAKES_CONTEXT: ReadonlySet<ClaudeEvent> = new Set([
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'SubagentStart',
]);
const STOPS: ReadonlySet<ClaudeEvent> = new Set(['Stop', 'SubagentStop']);
const TAKES_PLAIN_TEXT: ReadonlySet<ClaudeEvent> = new Set(['SessionStart', 'UserPromptSubmit']);

/** Judges one finished handler. Throws where the real client would go on with the turn that has just ended. */
export function judgeHook(event: ClaudeEvent, outcome: HookOutcome): HookJudgement {
  const verdict = (value: HookVerdict): HookJudgement => ({ verdict: value });
  if (outcome.timedOut) return verdict({ kind: 'failed', reason: 'timed out' });
  if (outcome.exitCode === 2) return verdict(blocked(event, outcome.stderr.trim()));
  if (outcome.exitCode !== 0) return verdict({ kind: 'failed', reason: `exit code ${String(outcome.exitCode)}` });
  const text = outcome.stdout.trim();
  if (text === '') return verdict({ kind: 'nothing' });
  const answer = text.startsWith('{') ? parsed(text) : undefined;
  if (answer !== undefined) return judgeAnswer(event, answer);
  if (TAKES_PLAIN_TEXT.has(event)) return verdict({ kind: 'context', text: shown(text) });
  return verdict({ kind: 'nothing', dropped: 'plain text' });
}

function judgeAnswer(event: ClaudeEvent, answer: Readonly<Record<string, unknown>>): HookJudgement {
  const notice = typeof answer['systemMessage'] === 'string' ? { notice: answer['systemMessage'] } : {};
  const { decision } = answer;
  if (decision !== undefined && decision !== 'approve' && decision !== 'block') {
    return { verdict: { kind: 'nothing', dropped: 'an answer with an unknown decision' } };
  }
  if (decision === 'block') return { verdict: blocked(event, String(answer['reason'] ?? '')), ...notice };
  const specific = answer['hookSpecificOutput'];
  if (!isObject(specific)) return { verdict: { kind: 'nothing' }, ...notice };
  if (specific['hookEventName'] !== event) {
    return { verdict: { kind: 'nothing', dropped: `an answer for ${String(specific['hookEventName'])}` }, ...notice };
  }
  if (event === 'PreToolUse' && specific['permissionDecision'] === 'deny') {
    return { verdict: { kind: 'deny', reason: String(specific['permissionDecisionReason'] ?? '') }, ...notice };
  }
  const context = specific['additionalContext'];
  if (typeof context !== 'string' || context === '') return { verdict: { kind: 'nothing' }, ...notice };
  if (STOPS.has(event)) throw new Error(`a context at ${event} makes the client run the model again`);
  if (!TAKES_CONTEXT.has(event)) return { verdict: { kind: 'nothing', dropped: `a context at ${event}` }, ...notice };
  return { verdict: { kind: 'context', text: shown(context) }, ...notice };
}

function blocked(event: ClaudeEvent, reason: string): HookVerdict {
  if (STOPS.has(event)) throw new Error(`a hook that blocks ${event} makes the client run the model again`);
  return event === 'PreToolUse' ? { kind: 'deny', reason } : { kind: 'block', reason };
}

/** A context that is too long goes to a file, and the model gets its name. */
function shown(context: string): string {
  if (context.length <= CONTEXT_LIMIT) return context;
  return `<persisted-output>\nOutput too large. Full output saved to: /tool-results/hook.txt\n\n${context.slice(0, PREVIEW_LENGTH)}\n</persisted-output>`;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
