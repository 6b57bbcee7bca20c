/**
 * Reads the few values that identity needs out of a git configuration file, without starting git: a process per prompt
 * would cost more than the whole hook. Syntax: https://git-scm.com/docs/git-config#_syntax (no includes).
 */
export interface GitConfigEntry {
  /** `section`, or `section.subsection`, then `.key`; section and key in lower case. */
  readonly name: string;
  readonly value: string;
}

/** All entries in order of appearance. Lines that are no valid syntax are passed over. */
export function parseGitConfig(text: string): readonly GitConfigEntry[] {
  const entries: GitConfigEntry[] = [];
  let section = '';
  // A backslash at the end of a line continues the value on the next.
  for (const line of text
    .replace(/^\ufeff/, '')
    .replace(/\\\r?\n/g, '')
    .split(/\r?\n/)) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) {
      const name = (header[1] ?? '').toLowerCase();
      section = header[2] === undefined ? name : `${name}.${header[2].replace(/\\(.)/g, '$1')}`;
    }
    const assignment = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=(.*)$/.exec(
      header === null ? line : line.slice(header[0].length),
    );
    if (assignment !== null && section !== '') {
      entries.push({ name: `${section}.${(assignment[1] ?? '').toLowerCase()}`, value: unquote(assignment[2] ?? '') });
    }
  }
  return entries;
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Quotes removed, escapes resolved, comment and outer blanks cut off. */
function unquote(raw: string): string {
  let value = '';
  let kept = 0;
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const character = raw.charAt(at);
    if (character === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (!quoted && (character === '#' || character === ';')) {
      break;
    } else if (character === '\\') {
      at += 1;
      const escaped = raw.charAt(at);
      value += ESCAPED[escaped] ?? escaped;
      kept = value.length;
    } else if (quoted || !/\s/.test(character)) {
      value += character;
      kept = value.length;
    } else if (value !== '') {
      value += character;
    }
  }
  return value.slice(0, kept);
}
