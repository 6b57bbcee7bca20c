/**
 * `viking://` names a memory, not a file. A file tool that gets such a path would fail, and a model that sees it fail
 * tends to conclude that the memory does not exist; it is told instead which tool reads it.
 */
import type { ToolGuardEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';

const SCHEME = 'viking://';
/** Arguments that hold a path, over all clients' file tools. A `pattern` is text to look for. */
const PATH_ARGUMENTS = [
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'notebookPath',
  'target_file',
  'absolute_path',
  'directory',
  'dir',
];
const READS = new Set(['read', 'view', 'readfile', 'read_file', 'cat', 'notebookread']);
const SEARCHES = new Set([
  'grep',
  'glob',
  'search',
  'codebase_search',
  'grep_search',
  'file_search',
  'ls',
  'list',
  'list_dir',
]);
const WRITES = new Set([
  'write',
  'edit',
  'multiedit',
  'create',
  'write_file',
  'edit_file',
  'search_replace',
  'notebookedit',
  'applypatch',
  'apply_patch',
]);
const DELETES = new Set(['delete', 'delete_file', 'deletefile']);
const SHELLS = new Set(['bash', 'shell', 'powershell', 'run_command', 'exec', 'run_terminal_cmd']);

/** Denies a file tool on a memory; leaves everything else alone, except for a note on a shell command that mentions one. */
export function handleToolGuard(event: ToolGuardEvent): Reply {
  const tool = event.toolName.toLowerCase();
  const input = event.toolInput;
  if (SHELLS.has(tool)) {
    const command = input['command'] ?? input['cmd'] ?? input['script'];
    if (typeof command !== 'string' || !command.includes(SCHEME)) return NOTHING;
    return {
      kind: 'context',
      text: 'viking:// addresses are memories on the OpenViking server: no shell program can open them. Use the OpenViking MCP tools: read for a known address, find or search for a topic, list for a folder.',
    };
  }
  const known = READS.has(tool) || SEARCHES.has(tool) || WRITES.has(tool) || DELETES.has(tool);
  if (!known) return NOTHING;
  const uri = PATH_ARGUMENTS.map((name) => input[name]).find(
    (value): value is string => typeof value === 'string' && value.trimStart().toLowerCase().startsWith(SCHEME),
  );
  // Glob takes its path inside the pattern: the folder before the first wildcard is what can be listed.
  const pattern =
    tool === 'glob' && typeof input['pattern'] === 'string' && input['pattern'].startsWith(SCHEME)
      ? input['pattern'].replace(/(?<=\/)[^/]*[*?[{].*/su, '')
      : undefined;
  const target = uri?.trim() ?? pattern;
  return target === undefined ? NOTHING : { kind: 'deny', reason: reasonFor(tool, target) };
}

function reasonFor(tool: string, uri: string): string {
  const shown = uri.length > 300 ? `${uri.slice(0, 300)}…` : uri;
  const quoted = JSON.stringify(shown);
  const what = `${shown} is a memory on the OpenViking server, not a file.`;
  if (WRITES.has(tool)) {
    return /\/skills?(\/|$)/u.test(uri)
      ? `${what} Skills are stored with the OpenViking MCP tool add_skill, for example add_skill(data=<the skill's text>).`
      : `${what} Store something with the OpenViking MCP tool remember, for example remember(content="…").`;
  }
  if (DELETES.has(tool)) {
    return `${what} What the user wants removed, the OpenViking MCP tool forget removes: forget(uri=${quoted}).`;
  }
  if (SEARCHES.has(tool)) {
    return `${what} Use the OpenViking MCP tool list for a folder, list(uri=${quoted}), or find for a topic, find(query="…", target_uri=${quoted}).`;
  }
  return `${what} Use the OpenViking MCP tool read: read(uris=[${quoted}]).`;
}
