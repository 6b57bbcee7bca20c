/**
 * What Cursor makes of a hook's exit code and stdout, in the strictest reading that was reported: a gate (an event that
 * decides whether something may happen) takes an empty or an unexpected answer for a broken one and blocks the action,
 * whatever `failClosed` says.
 *
 * Facts: cursor.com/docs/hooks; client 3.20.17 (github.com/DietrichGebert/ponytail, docs/cursor-hooks.md); empty answers of
 * gates: github.com/stablyai/orca issues 15462 and 15619, github.com/aovestdipaperino/tokensave issue 187.
 */
import type { CursorEvent } from './hooks-file.ts';

/** A longer context is put into a file, which the model may open or not. */
export const INLINE_LIMIT = 10_000;
const DROPPED_ABOVE = 1_000_000;

export type HookVerdict =
  /** Had nothing to say, or said it in a form that the client logs and ignores. */
  | { readonly kind: 'nothing'; readonly ignored?: string }
  | { readonly kind: 'context'; readonly text: string }
  /** The action does not happen; the reason is what the model reads. */
  | { readonly kind: 'deny'; readonly reason: string }
  /** The same, but nobody meant it. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** A text that the client submits as the user's next prompt. */
  | { readonly kind: 'follow-up'; readonly text: string };

export interface HookOutcome {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const GATES: ReadonlySet<CursorEvent> = new Set([
  'preToolUse',
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
  'subagentStart',
]);

const STRINGS = ['user_message', 'agent_message', 'additional_context', 'followup_message'];

/** The keys that each event knows; the others say nothing that counts. */
const SCHEMAS: Readonly<Partial<Record<CursorEvent, readonly string[]>>> = {
  sessionStart: ['env', 'additional_context'],
  beforeSubmitPrompt: ['continue', 'user_message', 'additional_context'],
  preToolUse: ['permission', 'user_message', 'agent_message', 'updated_input', 'additional_context'],
  beforeShellExecution: ['permission', 'user_message', 'agent_message'],
  beforeMCPExecution: ['permission', 'user_message', 'agent_message'],
  beforeReadFile: ['permission', 'user_message'],
  subagentStart: ['permission', 'user_message'],
  postToolUse: ['additional_context', 'updated_mcp_tool_output'],
  postToolUseFailure: ['additional_context'],
  preCompact: ['user_message'],
  stop: ['followup_message'],
  subagentStop: ['followup_message'],
};

/** Judges one finished hook. */
export function judgeHook(event: CursorEvent, outcome: HookOutcome, failClosed = false): HookVerdict {
  const isGate = GATES.has(event);
  const failed = (reason: string): HookVerdict =>
    isGate && failClosed ? { kind: 'broken', reason } : { kind: 'nothing', ignored: reason };
  const broken = (reason: string): HookVerdict =>
    isGate ? { kind: 'broken', reason: `Hook returned invalid JSON: ${reason}` } : { kind: 'nothing', ignored: reason };
  if (outcome.timedOut) return failed('timed out');
  if (outcome.exitCode === 2) {
    return isGate || event === 'beforeSubmitPrompt'
      ? { kind: 'deny', reason: outcome.stderr.trim() }
      : { kind: 'nothing', ignored: 'exit code 2' };
  }
  if (outcome.exitCode !== 0) return failed(`exit code ${String(outcome.exitCode)}`);
  const text = outcome.stdout.trim();
  if (text === '') return isGate ? broken('no output') : { kind: 'nothing' };
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return broken('no JSON');
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return broken('no object');
  return judgeAnswer(event, answer as Readonly<Record<string, unknown>>, broken);
}

function judgeAnswer(
  event: CursorEvent,
  answer: Readonly<Record<string, unknown>>,
  broken: (reason: string) => HookVerdict,
): HookVerdict {
  const keys = SCHEMAS[event] ?? [];
  const foreign = Object.keys(answer).find((key) => !keys.includes(key));
  if (foreign !== undefined) return broken(`unknown key ${foreign}`);
  const wrong = STRINGS.find((key) => answer[key] !== undefined && typeof answer[key] !== 'string');
  if (wrong !== undefined) return broken(`${wrong} is no text`);
  if (GATES.has(event)) {
    const { permission } = answer;
    if (permission === 'deny') return { kind: 'deny', reason: textOf(answer, 'user_message') };
    if (permission !== 'allow' && !(permission === 'ask' && event === 'preToolUse')) return broken('permission');
  }
  if (event === 'beforeSubmitPrompt') {
    if (typeof answer['continue'] !== 'boolean') return { kind: 'nothing', ignored: 'continue is missing' };
    if (!answer['continue']) return { kind: 'deny', reason: textOf(answer, 'user_message') };
  }
  const followUp = textOf(answer, 'followup_message');
  if (followUp !== '') return { kind: 'follow-up', text: followUp };
  const context = textOf(answer, 'additional_context');
  if (context === '') return { kind: 'nothing' };
  if (context.length > DROPPED_ABOVE) return { kind: 'nothing', ignored: 'the context is too long' };
  if (context.length > INLINE_LIMIT) return { kind: 'nothing', ignored: 'the context is in a file' };
  return { kind: 'context', text: context };
}

function textOf(answer: Readonly<Record<string, unknown>>, key: string): string {
  const value = answer[key];
  return typeof value === 'string' ? value : '';
}

/** The answer of a hook that came with Claude Code's settings, in Cursor's own words; undefined when it is no such answer. */
export function translateClaudeAnswer(event: CursorEvent, stdout: string): string | undefined {
  // These hooks have always been allowed to say nothing.
  if (stdout.trim() === '') return event === 'preToolUse' ? '{"permission":"allow"}' : '';
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  if (typeof answer !== 'object' || answer === null) return undefined;
  const specific = (answer as Readonly<Record<string, unknown>>)['hookSpecificOutput'];
  // Without a decision of its own the call goes its way.
  if (typeof specific !== 'object' || specific === null) {
    return event === 'preToolUse' && Object.keys(answer).length === 0 ? '{"permission":"allow"}' : undefined;
  }
  const { permissionDecision, permissionDecisionReason, additionalContext } = specific as Readonly<
    Record<string, unknown>
  >;
  return JSON.stringify({
    ...(event === 'preToolUse' ? { permission: permissionDecision === 'deny' ? 'deny' : 'allow' } : {}),
    ...(event === 'beforeSubmitPrompt' ? { continue: true } : {}),
    ...(typeof permissionDecisionReason === 'string' ? { user_message: permissionDecisionReason } : {}),
    ...(typeof additionalContext === 'string' ? { additional_context: additionalContext } : {}),
  });
}
