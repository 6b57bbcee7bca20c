/**
 * Where Cursor keeps the record of a conversation. Known to every hook, while only some carry the parser. The event names
 * the file on most events and says null on others, so that the place has to be worked out for those.
 */
import { basename, dirname, join } from 'node:path';
import type { TranscriptReader } from '../vendor/memory-core/hot.ts';

type Context = Parameters<TranscriptReader['locate']>[0];

/** A subagent's file lies in a folder `subagents` of its parent's. */
const SUBAGENT_FILE = /(?:^|[\\/])([^\\/]+)[\\/]subagents[\\/]([^\\/]+)\.(?:jsonl|txt)$/;

/** Parent and id of the subagent whose record this is; undefined for the record of a whole conversation. */
export function subagentOf(path: string): { readonly parent: string; readonly id: string } | undefined {
  const [, parent, id] = SUBAGENT_FILE.exec(path) ?? [];
  return parent === undefined || id === undefined ? undefined : { parent, id };
}

/**
 * Candidate files, best first: as the event names it, in the other layouts of the same folder, then below the folders that
 * the workspace's path may have become. Builds have kept `<id>/<id>.jsonl`, `<id>.jsonl` and, on Windows, `<id>.txt`.
 */
export function locateTranscript(context: Context): readonly string[] {
  const { nativeId, subagentId, transcriptPath } = context;
  const named = transcriptPath === undefined ? [] : besides(transcriptPath, nativeId);
  const folders = [...named, ...workedOut(context)];
  const files =
    subagentId === undefined
      ? folders.flatMap((folder) => [
          join(folder, nativeId, `${nativeId}.jsonl`),
          join(folder, `${nativeId}.jsonl`),
          join(folder, `${nativeId}.txt`),
        ])
      : folders.map((folder) => join(folder, nativeId, 'subagents', `${subagentId}.jsonl`));
  const isAsked = transcriptPath !== undefined && subagentOf(transcriptPath)?.id === subagentId;
  return [...new Set([...(isAsked ? [transcriptPath] : []), ...files])];
}

/** The `agent-transcripts` folder of a named file. */
function besides(path: string, nativeId: string): readonly string[] {
  const own = subagentOf(path) === undefined ? dirname(path) : dirname(dirname(path));
  return [basename(own) === nativeId ? dirname(own) : own];
}

function workedOut({ home, env }: Context): readonly string[] {
  const project = env['CURSOR_PROJECT_DIR'] || env['CLAUDE_PROJECT_DIR'] || '';
  if (project === '') return [];
  const roots = [...new Set([env['CURSOR_CONFIG_DIR'] || join(home, '.cursor'), join(home, '.cursor')])];
  return roots.flatMap((root) => slugs(project).map((slug) => join(root, 'projects', slug, 'agent-transcripts')));
}

/** `/home/u/my.app` → `home-u-my-app`. Whether several odd characters in a row become one dash differs. */
function slugs(path: string): readonly string[] {
  const single = path.replace(/[^A-Za-z0-9]/g, '-').replace(/^-+/, '');
  return [...new Set([single, single.replace(/-+/g, '-').replace(/-$/, '')])].filter((slug) => slug !== '');
}
