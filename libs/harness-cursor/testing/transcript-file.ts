/**
 * The client's record of a conversation, written the way the client writes it: one JSON object a line, what was typed in a
 * wrapper behind what the host adds, no ids, calls of tools without their results, and a mark at a turn's end. Builds move
 * the file and rewrite it whole.
 *
 * Facts: cursor-agent 2026.09.10 (github.com/receptron/mulmoterminal); github.com/vshulcz/deja-vu docs/registry/cursor.md.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `<id>/<id>.jsonl` of today, or `<id>.jsonl` of earlier builds. */
export type TranscriptLayout = 'folder' | 'flat';

export interface RecordedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The folder of one workspace's records below the client's own. */
export function transcriptsFolder(home: string, workspace: string): string {
  const slug = workspace.replace(/[^A-Za-z0-9]/g, '-').replace(/^-+/, '');
  return join(home, '.cursor', 'projects', slug, 'agent-transcripts');
}

export class TranscriptFile {
  readonly path: string;
  readonly #isKept: boolean;
  #lines: string[] = [];

  /** With `isKept` false nothing is written: transcripts can be switched off. */
  constructor(path: string, isKept = true) {
    this.path = path;
    this.#isKept = isKept;
  }

  /** What is typed, behind what hooks and the host have added. */
  user(text: string, added: readonly string[] = []): void {
    const content = [
      ...added.map((context) => `<system_reminder>\n${context}\n</system_reminder>`),
      `<timestamp>Monday, Nov 30, 2026, 11:42 PM (UTC+0)</timestamp>\n<user_query>\n${text}\n</user_query>`,
    ];
    this.#append({ role: 'user', message: { content: content.map((part) => ({ type: 'text', text: part })) } });
  }

  assistant(text: string, calls: readonly RecordedCall[] = []): void {
    const content = [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ name, input }) => ({ type: 'tool_use', name, input })),
    ];
    this.#append({ role: 'assistant', message: { content } });
  }

  endTurn(status: 'success' | 'aborted' | 'error'): void {
    this.#append({ type: 'turn_ended', status });
  }

  /** Writes the file anew, with another byte at the front: every offset is another one. */
  rewrite(): void {
    this.#lines = [JSON.stringify({ type: 'session_meta', rewritten: true }), ...this.#lines];
    this.#write();
  }

  /** The same under the same path after the client has thrown the first `count` lines away. */
  dropFirst(count: number): void {
    this.#lines = this.#lines.slice(count);
    this.#write();
  }

  #append(line: object): void {
    const text = JSON.stringify(line);
    this.#lines.push(text);
    if (!this.#isKept) return;
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `${text}\n`);
  }

  #write(): void {
    writeFileSync(this.path, this.#lines.map((line) => `${line}\n`).join(''));
  }
}
