/** Where ZCode keeps a conversation's rollout file: known to every hook, while only some carry the parser. */
import { join } from 'node:path';
import type { TranscriptReader } from '../vendor/memory-core/hot.ts';

/** The client keeps letters, digits, `_` and `-`, joins the rest to one `-`, and cuts at 80 characters. */
function fileSegment(nativeId: string): string {
  return nativeId
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);
}

/** Candidate files, best first. */
export function locateRollout(context: Parameters<TranscriptReader['locate']>[0]): readonly string[] {
  const segment = fileSegment(context.nativeId);
  if (segment === '') return [];
  const folders = context.env['ZCODE_RUNTIME_ENV'] === 'development' ? ['debug', 'rollout'] : ['rollout', 'debug'];
  // The released client uses the home directory whatever ZCODE_DATA_BASE_DIR says; some builds made from its source do not.
  const base = context.env['ZCODE_DATA_BASE_DIR'];
  const roots = [join(context.home, '.zcode'), ...(base === undefined || base === '' ? [] : [base])];
  return roots.flatMap((root) => folders.map((folder) => join(root, 'cli', folder, `model-io-${segment}.jsonl`)));
}
