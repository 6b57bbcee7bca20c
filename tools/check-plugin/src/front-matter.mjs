/**
 * The head of a skill or command: `key: value` lines between two `---`. The client reads no more than that from it, and a
 * value that only a full YAML parser understands would be lost there too.
 *
 * @param {string} text
 * @returns {{ fields: Record<string, string>, body: string } | undefined} Undefined when the file has no head.
 */
export function readFrontMatter(text) {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text);
  if (match === null) return undefined;
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of (match[1] ?? '').split(/\r?\n/)) {
    const pair = /^([A-Za-z][\w-]*):\s*(.*)$/.exec(line);
    if (pair?.[1] !== undefined) fields[pair[1]] = (pair[2] ?? '').trim().replace(/^(['"])([\s\S]*)\1$/, '$2');
  }
  return { fields, body: match[2] ?? '' };
}
