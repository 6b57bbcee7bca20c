/** Part of an answer, told before the turn ends: kept with the prompt for hosts whose turn end says nothing of it. */
import type { AnswerEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { boundText } from '../capture/bound.ts';
import { sanitise } from '../privacy/pipeline.ts';
import { stripPrivate, type OpenBlocks } from '../privacy/private-tags.ts';
import { noteAnswer, pendingPrompts } from '../spool/journal.ts';
import { openSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

export function handleAnswer(event: AnswerEvent, environment: HookEnvironment): Reply {
  const open = openSession(event, environment);
  if (open === undefined || !open.settings.autoCapture || !open.settings.captureAssistantTurns) return NOTHING;
  const prompts = pendingPrompts(open.conversation);
  const prompt = event.turnId === undefined ? prompts.at(-1) : prompts.find(({ turnId }) => turnId === event.turnId);
  const bounded = boundText(event.text, open.settings.captureMaxLength);
  // A private passage may begin in one part of an answer, fill others, and end in a later one.
  const blocks: OpenBlocks = { depth: prompt?.answers?.at(-1)?.open ?? 0 };
  const before = blocks.depth;
  // The filters have their turn at capture: some of them must not be applied twice.
  const text = sanitise(bounded, { ...open.captured, role: 'assistant', filters: undefined, open: blocks }) ?? '';
  if (bounded.length < event.text.length) stripPrivate(event.text.slice(bounded.length), blocks);
  if (text === '' && blocks.depth === before) return NOTHING;
  const turnId = prompt?.turnId ?? environment.bundles.loadSeldom().noteAnsweredTurn(event, open, environment);
  if (turnId !== undefined) noteAnswer(open.conversation, turnId, bounded, text, blocks.depth);
  return NOTHING;
}
