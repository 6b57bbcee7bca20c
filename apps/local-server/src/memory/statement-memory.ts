/** Makes a memory file out of something the user asked to remember. The same words always give the same file. */
import { boundedText, firstLine, storableText } from './bounded-text.ts';
import { fileName } from './event-memory.ts';
import type { MemoryDraft } from './event-memory.ts';

export type StatementCategory = 'preferences' | 'entities';

const STATEMENT_LIMIT = 8_000;

/** The memory of a statement; undefined when it is blank. `title` names the file, default: the first line. */
export function statementMemory(
  text: string,
  category: StatementCategory,
  about: { readonly title: string | undefined; readonly peerId: string | undefined; readonly now: number },
): MemoryDraft | undefined {
  const statement = boundedText(storableText(text).trim(), STATEMENT_LIMIT);
  if (statement === '') return undefined;
  const title = firstLine(storableText(about.title ?? statement), 80);
  return {
    path: `memories/${category}/${fileName(title, `${category}\n${about.peerId ?? ''}\n${statement.replace(/\s+/g, ' ')}`)}`,
    category,
    peerId: about.peerId,
    abstract: boundedText(statement.replace(/\s+/g, ' '), 240),
    content: statement,
    searchable: about.title === undefined ? statement : `${title}\n${statement}`,
    createdAt: about.now,
  };
}
