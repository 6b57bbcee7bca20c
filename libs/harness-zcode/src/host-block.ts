/**
 * The blocks that ZCode itself mixes into conversation: reminders (where hook context comes back to the model), task
 * notifications, hook notes at the end of tool output. Captured, they would feed memory back into memory.
 */

/** Text at depth 0 of a tag: blocks of that name are dropped, nested ones too, an unclosed one to the end of the text. */
export function withoutBlocks(text: string, tagName: string): string {
  if (!text.includes('<')) return text;
  const tag = new RegExp(`<(/?)${tagName}(?:\\s[^<>]{0,200})?>`, 'gi');
  let kept = '';
  let depth = 0;
  let from = 0;
  for (const match of text.matchAll(tag)) {
    const closing = match[1] === '/';
    if (depth === 0 && !closing) kept += text.slice(from, match.index);
    if (!closing) depth += 1;
    else if (depth > 0) {
      depth -= 1;
      if (depth === 0) from = match.index + match[0].length;
    }
  }
  return depth === 0 ? kept + text.slice(from) : kept;
}

export function withoutReminders(text: string): string {
  return withoutBlocks(text, 'system-reminder');
}

/** True for a message that holds nothing but `<system-reminder>` blocks: the host's or ours, never the user's. */
export function isOnlyReminders(text: string): boolean {
  return text.trim() !== '' && withoutReminders(text).trim() === '';
}

/** True for a message that holds nothing but task notifications (and reminders). */
export function isOnlyNotifications(text: string): boolean {
  const rest = withoutReminders(text);
  return rest.trim() !== '' && withoutBlocks(rest, 'task-notification').trim() === '';
}

/**
 * What the core removes from every captured text and tool output, on top of its own blocks. Each pattern has at most one
 * way to match from a given position, so hostile text costs linear time; an unclosed block is dropped to the end.
 */
export const HOST_NOISE: readonly RegExp[] = [
  ...['system-reminder', 'task-notification', 'hook_context'].map(
    (name) => new RegExp(`<${name}(?:\\s[^<>]{0,200})?>(?:[\\s\\S]*?</${name}\\s{0,20}>|[\\s\\S]*$)`, 'gi'),
  ),
  // Where the build sends hook context as system text, without tags; numbered per hook, always last in its message.
  /(?:^|\n)(?:SessionStart|UserPromptSubmit|PreToolUse|PostToolUse|PostToolUseFailure|Stop) hook additional context: ?\n#1\n[\s\S]*$/g,
  // Appended to the output of a tool whose call a hook had something to say about.
  /\n{0,2}\[Hook additional context\]\n#1\n[\s\S]*$/g,
];
