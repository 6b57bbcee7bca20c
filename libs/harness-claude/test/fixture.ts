/** Reads the recordings of the real client. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TranscriptLine } from '../vendor/memory-core/hot.ts';

const FOLDER = join(import.meta.dirname, 'fixtures');

/** The stdin of one hook. */
export function hookPayload(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(FOLDER, 'hooks', `${name}.json`), 'utf8')) as Record<string, unknown>;
}

/** The record of one conversation, as text. */
export function transcriptText(name: string): string {
  return readFileSync(join(FOLDER, 'transcripts', `${name}.jsonl`), 'utf8');
}

/** The complete lines of a text, with the byte offsets at which they start. */
export function linesOf(text: string): TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  let offset = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    lines.push({ offset, text: line });
    offset += Buffer.byteLength(line) + 1;
  }
  return lines;
}

/** A member of the first row that has it. */
export function firstMember(text: string, key: string): string {
  const found = new RegExp(`"${key}":"([^"]+)"`).exec(text)?.[1];
  if (found === undefined) throw new Error(`no row has ${key}`);
  return found;
}
