/** A turn's texts and tool calls → the messages that are kept: sanitised, cut, and only what may become a memory. */
import type { Message, MessagePart, ToolPart } from '../contract/message.ts';
import type { Settings } from '../contract/settings.ts';
import {
  sanitiseBeginning,
  sanitiseDeep,
  type OpenPassages,
  type SanitiseOptions,
  type SanitiseRules,
} from '../privacy/pipeline.ts';
import { redactSecrets } from '../privacy/redact.ts';
import { cutText } from './cut.ts';
import { isMemorable } from './memorable.ts';

export interface TurnContent {
  readonly turnId: string;
  readonly peer?: string | undefined;
  /** Already sanitised when it comes from the journal; `unsearched`: but for secrets, which were to be kept then. */
  readonly user?: {
    readonly text: string;
    readonly sanitised: boolean;
    readonly unsearched?: boolean;
    readonly at: string;
  };
  /** `open`: private blocks that the turn had left open when it was captured last; then those that it leaves open now. */
  readonly assistant?: { readonly parts: readonly MessagePart[]; readonly at: string; readonly open?: OpenPassages };
}

export type CaptureSettings = Pick<
  Settings,
  'captureAssistantTurns' | 'captureToolResults' | 'captureMaxLength' | 'captureToolMaxChars' | 'minQueryLength'
>;

/** At most two messages: the user's and the assistant's; none when nothing of the turn is worth keeping. */
export function buildMessages(content: TurnContent, settings: CaptureSettings, rules: SanitiseRules): Message[] {
  const messages: Message[] = [];
  const peer = content.peer === undefined ? {} : { peer_id: content.peer };
  if (content.user !== undefined) {
    const text = userText(content.user, settings, rules);
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
    const options: PartOptions = { ...rules, role: 'assistant', open: content.assistant.open ?? { depth: 0 } };
    const parts = content.assistant.parts.flatMap((part) => keepPart(part, settings, options));
    if (parts.length > 0) {
      messages.push({ role: 'assistant', parts, turn_id: content.turnId, created_at: content.assistant.at, ...peer });
    }
  }
  return messages;
}

function userText(
  { text, sanitised, unsearched }: NonNullable<TurnContent['user']>,
  { captureMaxLength }: CaptureSettings,
  rules: SanitiseRules,
): string | undefined {
  if (!sanitised) return sanitiseBeginning(text, captureMaxLength, { ...rules, role: 'user' });
  // Redaction was switched on since the prompt was noted.
  return unsearched === true && rules.redact ? redactSecrets(text) : text;
}

/** One for all parts of a message: a private passage may begin in one and end in another. */
type PartOptions = SanitiseOptions & Required<Pick<SanitiseOptions, 'open'>>;

function keepPart(part: MessagePart, settings: CaptureSettings, options: PartOptions): MessagePart[] {
  if (part.type === 'tool') return settings.captureToolResults ? keepTool(part, settings, options) : [];
  const text = sanitiseBeginning(part.text, settings.captureMaxLength, options);
  if (text === undefined || !isMemorable(text, 1)) return [];
  return [{ type: 'text', text: cutText(text, settings.captureMaxLength) }];
}

/** Tools of our own server, whatever a client puts around its name. */
const OURS = /openviking/i;

function keepTool(part: ToolPart, settings: CaptureSettings, options: PartOptions): ToolPart[] {
  const input = sanitiseDeep(part.tool_input, options);
  // What memory has answered is in memory: stored again, it would grow with every question.
  const output = OURS.test(part.tool_name)
    ? ''
    : (sanitiseBeginning(part.tool_output, settings.captureToolMaxChars, options) ?? '');
  return [{ ...part, tool_input: input, tool_output: cutText(output, settings.captureToolMaxChars) }];
}
