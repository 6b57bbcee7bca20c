/**
 * What TRAE makes of a hook's exit code and stdout, read as strictly as anything published allows: a key that is not
 * documented fails the answer, so that a harness which passes here says nothing that a build may trip over.
 */
import { isObject } from '@openviking/memory-core/testing';
import type { HookRun } from '@openviking/memory-core/testing';
import type { TraeEvent } from './hook-file.ts';

export type HookVerdict =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'context'; readonly text: string }
  | { readonly kind: 'deny'; readonly reason: string }
  /** Stop: the text becomes the next question. */
  | { readonly kind: 'asks-again'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

const TOP_LEVEL = ['continue', 'stopReason', 'decision', 'reason', 'hookSpecificOutput'];
const SPECIFIC: Readonly<Record<TraeEvent, readonly string[]>> = {
  SessionStart: ['additionalContext'],
  UserPromptSubmit: ['additionalContext'],
  PreToolUse: ['additionalContext', 'permissionDecision', 'permissionDecisionReason', 'updatedInput'],
  PostToolUse: ['additionalContext'],
  Stop: [],
  Notification: [],
};

/** Judges one finished handler. */
export function judgeHook(
  event: TraeEvent,
  { exitCode, timedOut, stdout }: Pick<HookRun, 'exitCode' | 'timedOut' | 'stdout'>,
): HookVerdict {
  const failed = (reason: string): HookVerdict => ({ kind: 'failed', reason });
  if (timedOut) return failed('timed out');
  if (exitCode !== 0) return failed(`exit code ${String(exitCode)}`);
  if (stdout === '') return { kind: 'nothing' };
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    return failed('stdout is no JSON');
  }
  if (!isObject(answer)) return failed('stdout is no object');
  const foreign = Object.keys(answer).find((key) => !TOP_LEVEL.includes(key));
  if (foreign !== undefined) return failed(`unknown key "${foreign}"`);
  if (answer['decision'] === 'block') return { kind: 'asks-again', reason: String(answer['reason'] ?? '') };
  const specific = answer['hookSpecificOutput'];
  if (specific === undefined) return { kind: 'nothing' };
  if (!isObject(specific)) return failed('hookSpecificOutput');
  if (specific['hookEventName'] !== event) return failed(`hookEventName is not ${event}`);
  const extra = Object.keys(specific).find((key) => key !== 'hookEventName' && !SPECIFIC[event].includes(key));
  if (extra !== undefined) return failed(`unknown key "hookSpecificOutput.${extra}"`);
  const { permissionDecision, permissionDecisionReason, additionalContext } = specific;
  if (permissionDecision === 'deny') return { kind: 'deny', reason: String(permissionDecisionReason ?? '') };
  if (additionalContext === undefined || additionalContext === '') return { kind: 'nothing' };
  return typeof additionalContext === 'string'
    ? { kind: 'context', text: additionalContext }
    : failed('additionalContext');
}
