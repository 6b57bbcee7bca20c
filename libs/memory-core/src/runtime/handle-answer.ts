/** Part of an answer, told before the turn ends: kept with the prompt for hosts whose turn end says nothing of it. */
import type { AnswerEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { boundText } from '../capture/bound.ts';
import { sanitiseBeginning, type OpenPassages } from '../privacy/pipeline.ts';
import { endsInKey } from '../privacy/redact.ts';
import { noteAnswer, pendingPrompts } from '../spool/journal.ts';
import { openSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

export function handleAnswer(event: AnswerEvent, environment: HookEnvironment): Reply {
  const open = openSession(event, environment);
  if (open === undefined || !open.settings.autoCapture || !open.settings.captureAssistantTurns) return NOTHING;
  const prompts = pendingPrompts(open.conversation);
  const prompt = event.turnId === undefined ? prompts.at(-1) : prompts.find(({ turnId }) => turnId === event.turnId);
  const { captureMaxLength } = open.settings;
  const bounded = boundText(event.text, captureMaxLength);
  // A private passage may begin in one part of an answer, fill others, and end in a later one; so may a private key.
  const last = prompt?.answers?.at(-1);
  const blocks: OpenPassages = { depth: last?.open ?? 0, key: endsInKey(last?.text ?? '') };
  const before = blocks.depth;
  // The filters have their turn at capture: some of them must not be applied twice.
  const options = { ...open.captured, role: 'assistant', filters: undefined, open: blocks } as const;
  const text = sanitiseBeginning(event.text, captureMaxLength, options) ?? '';
  if (text === '' && blocks.depth === before) return NOTHING;
  const turnId = prompt?.turnId ?? environment.bundles.loadSeldom().noteAnsweredTurn(event, open, environment);
  if (turnId !== undefined) noteAnswer(open.conversation, turnId, bounded, text, blocks.depth);
  return NOTHING;
}
