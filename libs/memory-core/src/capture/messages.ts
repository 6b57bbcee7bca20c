/** A turn's texts and tool calls → the messages that are kept: sanitised, cut, and only what may become a memory. */
import type { Message, MessagePart, ToolPart } from '../contract/message.ts';
import type { Settings } from '../contract/settings.ts';
import type { Sanitiser } from '../privacy/pipeline.ts';
import { cutText } from './cut.ts';
import { isMemorable } from './memorable.ts';

export interface TurnContent {
  readonly turnId: string;
  readonly peer?: string;
  /** Already sanitised when it comes from the journal. */
  readonly user?: { readonly text: string; readonly sanitised: boolean; readonly at: string };
  readonly assistant?: { readonly parts: readonly MessagePart[]; readonly at: string };
}

export type CaptureSettings = Pick<
  Settings,
  'captureAssistantTurns' | 'captureToolResults' | 'captureMaxLength' | 'captureToolMaxChars' | 'minQueryLength'
>;

/** At most two messages: the user's and the assistant's; none when nothing of the turn is worth keeping. */
export function buildMessages(content: TurnContent, settings: CaptureSettings, sanitiser: Sanitiser): Message[] {
  const messages: Message[] = [];
  const peer = content.peer === undefined ? {} : { peer_id: content.peer };
  if (content.user !== undefined) {
    const text = content.user.sanitised ? content.user.text : sanitiser.text('user', content.user.text);
    if (text !== undefined && isMemorable(text, settings.minQueryLength)) {
      messages.push({
        role: 'user',
        parts: [{ type: 'text', text: cutText(text, settings.captureMaxLength) }],
        turn_id: content.turnId,
        created_at: content.user.at,
        ...peer,
      });
    }
  }
  if (content.assistant !== undefined && settings.captureAssistantTurns) {
    const parts = content.assistant.parts.flatMap((part) => keepPart(part, settings, sanitiser));
    if (parts.length > 0) {
      messages.push({ role: 'assistant', parts, turn_id: content.turnId, created_at: content.assistant.at, ...peer });
    }
  }
  return messages;
}

function keepPart(part: MessagePart, settings: CaptureSettings, sanitiser: Sanitiser): MessagePart[] {
  if (part.type === 'tool') return settings.captureToolResults ? keepTool(part, settings, sanitiser) : [];
  const text = sanitiser.text('assistant', part.text);
  if (text === undefined || !isMemorable(text, 1)) return [];
  return [{ type: 'text', text: cutText(text, settings.captureMaxLength) }];
}

function keepTool(part: ToolPart, settings: CaptureSettings, sanitiser: Sanitiser): ToolPart[] {
  const output = sanitiser.text('assistant', part.tool_output) ?? '';
  return [
    {
      ...part,
      tool_input: sanitiser.deep('assistant', part.tool_input) as ToolPart['tool_input'],
      tool_output: cutText(output, settings.captureToolMaxChars),
    },
  ];
}
