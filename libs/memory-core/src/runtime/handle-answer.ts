/** Part of an answer, told before the turn ends: kept with the prompt for hosts whose turn end says nothing of it. */
import type { AnswerEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { boundText } from '../capture/bound.ts';
import { sanitise } from '../privacy/pipeline.ts';
import { noteAnswer, pendingPrompts } from '../spool/journal.ts';
import { openSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

export function handleAnswer(event: AnswerEvent, environment: HookEnvironment): Reply {
  const open = openSession(event, environment);
  if (open === undefined || !open.settings.autoCapture || !open.settings.captureAssistantTurns) return NOTHING;
  const bounded = boundText(event.text, open.settings.captureMaxLength);
  // The filters have their turn at capture: some of them must not be applied twice.
  const text = sanitise(bounded, { ...open.captured, role: 'assistant', filters: undefined }) ?? '';
  if (text === '') return NOTHING;
  const prompts = pendingPrompts(open.conversation);
  const prompt = event.turnId === undefined ? prompts.at(-1) : prompts.find(({ turnId }) => turnId === event.turnId);
  const turnId = prompt?.turnId ?? environment.bundles.loadSeldom().noteAnsweredTurn(event, open, environment);
  if (turnId !== undefined) noteAnswer(open.conversation, turnId, bounded, text);
  return NOTHING;
}
