/** Where Claude Code keeps the record of a conversation: known to every hook, while only some carry the parser. */
import { dirname, join } from 'node:path';
import type { TranscriptReader } from '../vendor/memory-core/hot.ts';

type Place = Parameters<TranscriptReader['locate']>[0];

/**
 * Candidate files, best first: the one that the event names, then the one that the client would use for the project that the
 * hook runs in. A subagent has a file of its own, in a folder beside that of its parent and named like it.
 */
export function locateTranscript({ nativeId, subagentId, transcriptPath, home, env }: Place): readonly string[] {
  const named = transcriptPath === undefined ? [] : [transcriptPath];
  const project = env['CLAUDE_PROJECT_DIR'] ?? '';
  const usual =
    project === '' || !/^[\w-]+$/.test(nativeId)
      ? []
      : [join(configFolder(home, env), 'projects', project.replace(/[^a-zA-Z0-9]/g, '-'), `${nativeId}.jsonl`)];
  const files = [...named, ...usual];
  if (subagentId === undefined) return files;
  if (!/^[\w-]+$/.test(subagentId)) return [];
  const file = `agent-${subagentId}.jsonl`;
  // The events of a subagent name its own file when it ends and its parent's when it starts.
  return files.map((path) => (path.endsWith(file) ? path : join(dirname(path), nativeId, 'subagents', file)));
}

/** `CLAUDE_CONFIG_DIR` moves the whole folder. */
function configFolder(home: string, env: Place['env']): string {
  const moved = env['CLAUDE_CONFIG_DIR'] ?? '';
  return moved === '' ? join(home, '.claude') : moved;
}
