/** The memory tools a model gets, named and shaped as an OpenViking server names and shapes them. */
import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { OpenVikingError } from '@openviking/memory-core/full';
import { findMemories, readFile } from '../backend.ts';
import type { Backend, MatchedContext } from '../backend.ts';
import { Failure } from '../http/failure.ts';
import { statementMemory } from '../memory/statement-memory.ts';
import { PROFILE_PATH } from '../store/memory-store.ts';
import { pathOfUri, uriOfPath } from '../viking-uri.ts';

const searchShape = {
  query: z.string().describe('What to look for, in any language'),
  target_uri: z.string().default('').describe('Only below this viking:// address'),
  limit: z.number().int().min(1).max(100).default(10),
  min_score: z.number().min(0).max(1).default(0.35).describe('0 to 1; lower it when nothing is found'),
};

export function registerTools(server: McpServer, backend: Backend, peerId: string | undefined): void {
  const readOnly = { readOnlyHint: true, openWorldHint: false };
  const found = (request: { query: string; target_uri: string; limit: number; min_score: number }): CallToolResult =>
    answer(() =>
      hitList(
        findMemories(backend, {
          query: request.query,
          targetUris: [request.target_uri],
          limit: request.limit,
          minimumScore: request.min_score,
          peerId,
        }),
      ),
    );

  server.registerTool(
    'find',
    {
      description: 'Searches memory by words. Answers addresses, scores and abstracts.',
      inputSchema: searchShape,
      annotations: readOnly,
    },
    found,
  );
  server.registerTool(
    'search',
    {
      description:
        'Searches memory by words; on this server the same as find. Answers addresses, scores and abstracts.',
      inputSchema: { ...searchShape, session_id: z.string().optional().describe('Accepted, has no effect here') },
      annotations: readOnly,
    },
    found,
  );
  server.registerTool(
    'read',
    {
      description: 'Reads memory files by their viking:// addresses.',
      inputSchema: { uris: z.union([z.string(), z.array(z.string()).min(1).max(50)]) },
      annotations: readOnly,
    },
    ({ uris }) =>
      answer(() => {
        if (typeof uris === 'string') return readFile(backend, uris, peerId);
        return uris
          .map((uri) => {
            try {
              return `=== ${uri} ===\n${readFile(backend, uri, peerId)}`;
            } catch (error) {
              return `=== ${uri} ===\n(${reason(error)})`;
            }
          })
          .join('\n\n');
      }),
  );
  server.registerTool(
    'list',
    {
      description: 'Lists a folder of memory, newest first.',
      inputSchema: {
        uri: z.string().default('viking://~/memories').describe('Folder, e.g. viking://~/memories/preferences'),
        recursive: z.boolean().default(false),
      },
      annotations: readOnly,
    },
    ({ uri, recursive }) =>
      answer(() => {
        const path = pathOfUri(uri);
        const entries = path === undefined ? undefined : backend.memories.list(path, { recursive, limit: 500 });
        if (entries === undefined) throw new Failure('NOT_FOUND', `There is no folder at ${uri}.`);
        if (entries.length === 0) return `${uri} is empty.`;
        return entries
          .map((entry) =>
            entry.isFolder
              ? `[folder] ${uriOfPath(entry.path)}`
              : `[file] ${uriOfPath(entry.path)}${entry.abstract === '' ? '' : `\n    ${entry.abstract}`}`,
          )
          .join('\n');
      }),
  );
  server.registerTool(
    'remember',
    {
      description:
        'Stores something for good: a preference of the user, a fact, a decision. Write full sentences that make sense without this conversation.',
      inputSchema: {
        messages: z
          .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() }))
          .min(1)
          .max(50)
          .optional()
          .describe('What to remember, one statement per message'),
        content: z.string().optional().describe('A single statement, instead of messages'),
        category: z
          .enum(['preference', 'entity'])
          .default('preference')
          .describe('preference: how the user wants things; entity: a fact about a thing, person or project'),
        title: z.string().optional().describe('Short name, e.g. of the entity'),
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ messages, content, category, title }) =>
      answer(() => {
        const statements = [...(content === undefined ? [] : [content]), ...(messages ?? []).map((one) => one.content)];
        const now = backend.now();
        const stored = backend.database.transaction(() =>
          statements.flatMap((statement) => {
            const memory = statementMemory(statement, category === 'entity' ? 'entities' : 'preferences', {
              title,
              peerId,
              now,
            });
            if (memory === undefined) return [];
            backend.memories.put(memory, memory.path, undefined, now);
            return [uriOfPath(memory.path)];
          }),
        );
        if (stored.length === 0)
          throw new Failure('INVALID_ARGUMENT', 'There is nothing to remember: give messages or content.');
        return `Remembered:\n${stored.join('\n')}`;
      }),
  );
  server.registerTool(
    'forget',
    {
      description:
        'Deletes a memory file by its viking:// address, or with recursive a whole folder. Cannot be undone.',
      inputSchema: { uri: z.string(), recursive: z.boolean().default(false) },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    },
    ({ uri, recursive }) =>
      answer(() => {
        const path = pathOfUri(uri);
        if (path === PROFILE_PATH)
          throw new Failure(
            'INVALID_ARGUMENT',
            'The profile is made of the files in viking://~/memories/preferences: forget those.',
          );
        const removed = path === undefined ? 0 : backend.memories.forget(path, recursive);
        if (removed === 0)
          throw new Failure(
            'NOT_FOUND',
            recursive ? `There is nothing below ${uri}.` : `There is no file at ${uri}. For a folder pass recursive.`,
          );
        return `Forgotten: ${removed} ${removed === 1 ? 'file' : 'files'}.`;
      }),
  );
  server.registerTool(
    'health',
    { description: 'Tells whether the memory server works, and how much it holds.', annotations: readOnly },
    () =>
      answer(
        () => `OpenViking local server ${backend.version} is healthy and holds ${backend.memories.count()} memories.`,
      ),
  );
}

function hitList(hits: readonly MatchedContext[]): string {
  if (hits.length === 0) return 'Nothing was found. Try other words, or a lower min_score.';
  return hits
    .map((hit) => `- [${hit.category} ${Math.round(hit.score * 100)}%] ${hit.uri}\n    ${hit.abstract}`)
    .join('\n');
}

/** The text `work` gives, or its refusal as a tool error: the model shall read it, the connection shall not break. */
function answer(work: () => string): CallToolResult {
  try {
    return { content: [{ type: 'text', text: work() }] };
  } catch (error) {
    return { content: [{ type: 'text', text: reason(error) }], isError: true };
  }
}

function reason(error: unknown): string {
  if (error instanceof Failure) return error.message;
  if (OpenVikingError.is(error)) return error.next === undefined ? error.message : `${error.message} ${error.next}`;
  throw error;
}
