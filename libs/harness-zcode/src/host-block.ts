/**
 * What ZCode itself mixes into conversation: reminders (where hook context comes back to the model), task notifications,
 * hook notes at the end of tool output. Captured, they would feed memory back into memory; taken out with too broad a
 * hand, a prompt that only names one of the tags would lose its rest.
 */
import { withoutBlocks } from '../vendor/memory-core/hot.ts';

const REMINDER = 'system-reminder';
const NOTIFICATION = 'task-notification';

/** For the core, which knows reminders and hook context from every host. */
export const HOST_TAGS: readonly string[] = [NOTIFICATION];

const REMINDERS: ReadonlySet<string> = new Set([REMINDER]);
const REMINDERS_AND_NOTIFICATIONS: ReadonlySet<string> = new Set([REMINDER, NOTIFICATION]);

export function withoutReminders(text: string): string {
  return withoutBlocks(text, REMINDERS);
}

/** True for a message that holds nothing but `<system-reminder>` blocks: the host's or ours, never the user's. */
export function isOnlyReminders(text: string): boolean {
  return text.trim() !== '' && withoutReminders(text).trim() === '';
}

/** True for a message that holds nothing but task notifications (and reminders). */
export function isOnlyNotifications(text: string): boolean {
  return withoutReminders(text).trim() !== '' && withoutBlocks(text, REMINDERS_AND_NOTIFICATIONS).trim() === '';
}

/**
 * Hook context where the build writes it without tags. Each pattern has at most one way to match from a given position, so
 * hostile text costs linear time; both kinds always stand last, so all that follows goes.
 */
export const HOST_NOISE: readonly RegExp[] = [
  // Sent as system text; numbered per hook.
  /(?:^|\n)(?:SessionStart|UserPromptSubmit|PreToolUse|PostToolUse|PostToolUseFailure|Stop) hook additional context: ?\n#1\n[\s\S]*$/g,
  // Appended to the output of a tool whose call a hook had something to say about.
  /\n{0,2}\[Hook additional context\]\n#1\n[\s\S]*$/g,
];
