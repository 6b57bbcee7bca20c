/** Blocks that this conversation has already been given: the same prompt sent again costs no second request. */
import { join } from 'node:path';
import { readJsonObject } from '../fs/read-json.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { isObject } from '../fs/json-object.ts';

const KEPT = 20;

interface Kept {
  readonly prompt: string;
  readonly block: string;
}

/** The block fetched for the prompt with this hash; undefined when it was never asked. */
export function rememberedBlock(folder: string, prompt: string): string | undefined {
  return readKept(folder).find((kept) => kept.prompt === prompt)?.block;
}

export function rememberBlock(folder: string, prompt: string, block: string): void {
  const kept = [...readKept(folder).filter((entry) => entry.prompt !== prompt), { prompt, block }].slice(-KEPT);
  writeFileAtomic(join(folder, 'recalled.json'), JSON.stringify({ kept }));
}

function readKept(folder: string): Kept[] {
  const kept = readJsonObject(join(folder, 'recalled.json'))?.['kept'];
  if (!Array.isArray(kept)) return [];
  return kept.filter(isObject).flatMap((entry) => {
    const { prompt, block } = entry;
    return typeof prompt === 'string' && typeof block === 'string' ? [{ prompt, block }] : [];
  });
}
