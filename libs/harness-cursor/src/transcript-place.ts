/**
 * Where Cursor keeps the record of a conversation. Known to every hook, while only some carry the parser. The event names
 * the file on most events and says null on others, so that the place has to be worked out for those.
 */
import { basename, dirname, join } from 'node:path';
import type { TranscriptReader } from '../vendor/memory-core/hot.ts';

/** A subagent's file lies in a folder `subagents` of its parent's. */
const SUBAGENT_FILE = /(?:^|[\\/])([^\\/]+)[\\/]subagents[\\/]([^\\/]+)\.(?:jsonl|txt)$/;

/** Parent and id of the subagent whose record this is; undefined for the record of a whole conversation. */
export function subagentOf(path: string): { readonly parent: string; readonly id: string } | undefined {
  const [, parent, id] = SUBAGENT_FILE.exec(path) ?? [];
  return parent === undefined || id === undefined ? undefined : { parent, id };
}

/**
 * The record of a conversation where an event does not name it: below a folder named after the workspace, `/home/u/my.app`
 * being `home-u-my-app`. Undefined where the home is not known.
 */
export function expectedTranscript(
  nativeId: string,
  workspace: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const home = env['HOME'] || env['USERPROFILE'];
  const root = env['CURSOR_CONFIG_DIR'] || (home && join(home, '.cursor'));
  const slug = workspace.replace(/[^A-Za-z0-9]/g, '-').replace(/^-+/, '');
  return root && slug && join(root, 'projects', slug, 'agent-transcripts', nativeId, `${nativeId}.jsonl`);
}

/**
 * Candidate files, best first: as the event names it, then in the other layouts of the same folder. Builds have kept
 * `<id>/<id>.jsonl`, `<id>.jsonl` and, on Windows, `<id>.txt`.
 */
export function locateTranscript(context: Parameters<TranscriptReader['locate']>[0]): readonly string[] {
  const { nativeId, subagentId, transcriptPath } = context;
  if (transcriptPath === undefined) return [];
  const folders = folderForms(folderOf(transcriptPath, nativeId));
  const files =
    subagentId === undefined
      ? folders.flatMap((folder) => [
          join(folder, nativeId, `${nativeId}.jsonl`),
          join(folder, `${nativeId}.jsonl`),
          join(folder, `${nativeId}.txt`),
        ])
      : folders.map((folder) => join(folder, nativeId, 'subagents', `${subagentId}.jsonl`));
  const isAsked = subagentOf(transcriptPath)?.id === subagentId;
  return [...new Set([...(isAsked ? [transcriptPath] : []), ...files])];
}

/** The `agent-transcripts` folder that holds a named file. */
function folderOf(path: string, nativeId: string): string {
  const own = dirname(subagentOf(path) === undefined ? path : dirname(path));
  return basename(own) === nativeId ? dirname(own) : own;
}

/** Whether several odd characters of a workspace's path become one dash or several differs. */
function folderForms(folder: string): readonly string[] {
  const project = dirname(folder);
  return [folder, join(dirname(project), basename(project).replace(/-+/g, '-').replace(/-$/, ''), basename(folder))];
}
