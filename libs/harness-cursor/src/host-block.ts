/**
 * What Cursor itself mixes into the user's side of a conversation: in its record, what was typed stands in a `<user_query>`
 * and everything around that is the host's. Captured whole, opened files and skill bodies would become memories.
 */

/** For the core, for texts that come without the wrapper. Only names that nobody types by chance. */
export const HOST_TAGS: readonly string[] = [
  'attached-files',
  'manually-attached-skills',
  'open-and-recently-viewed-files',
  'system-notification',
];

/** What the client submits in the user's name when a background task has ended. */
export const HOST_NOISE: readonly RegExp[] = [
  /Briefly inform the user about the task result and perform any follow-up actions \(if needed\)\./g,
];

/** Blocks that stand before a prompt in records without the wrapper. */
const LEADING_BLOCK =
  /\s*<(timestamp|user_info|git_status|rules|agent_skills|agent_transcripts|project_layout|additional_data|attached_files|manually_attached_skills|open_and_recently_viewed_files|system_reminder|system_notification)\b[^>]{0,200}>/y;

const WRAPPER = /(?:^|[\n>])[ \t]*<user_query>/;
const WRAPPER_END = '</user_query>';

/** What the user typed, of a recorded message; empty when all of it is the host's. Linear. */
export function typedText(recorded: string): string {
  const wrapper = WRAPPER.exec(recorded);
  if (wrapper !== null) {
    const start = wrapper.index + wrapper[0].length;
    // The outermost pair: a prompt may talk about the tag.
    const end = recorded.lastIndexOf(WRAPPER_END);
    if (end >= start) return recorded.slice(start, end).trim();
  }
  return recorded.slice(lengthOfLeadingBlocks(recorded)).trim();
}

function lengthOfLeadingBlocks(text: string): number {
  for (let from = 0; ;) {
    LEADING_BLOCK.lastIndex = from;
    const tag = LEADING_BLOCK.exec(text);
    const closing = `</${tag?.[1] ?? ''}>`;
    const end = tag === null ? -1 : text.indexOf(closing, LEADING_BLOCK.lastIndex);
    // No further block, or one that is never closed and hence none.
    if (end === -1) return from;
    from = end + closing.length;
  }
}
