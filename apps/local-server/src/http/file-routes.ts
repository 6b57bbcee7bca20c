/** Reading memory files and listing folders. */
import { z } from 'zod';
import type { FastifyInstance } from 'fastify';
import { readFile } from '../backend.ts';
import type { Backend } from '../backend.ts';
import { boundedText } from '../memory/bounded-text.ts';
import { pathOfUri, uriOfPath } from '../viking-uri.ts';
import { Failure, envelope, validated } from './failure.ts';

const flag = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((value) => value === 'true' || value === '1');
const readQuery = z.object({ uri: z.string() });
const listQuery = z.object({
  uri: z.string().default('viking://~'),
  output: z.string().optional(),
  recursive: flag,
  simple: flag,
  abs_limit: z.coerce.number().int().min(0).max(100_000).default(256),
  node_limit: z.coerce.number().int().min(1).max(100_000).default(1_000),
});

export function fileRoutes(app: FastifyInstance, backend: Backend): void {
  app.get('/content/read', async (request) => {
    const { uri } = validated(readQuery, request.query, 'query');
    return envelope(readFile(backend, uri, request.actorPeer));
  });

  app.get('/fs/ls', async (request) => {
    const query = validated(listQuery, request.query, 'query');
    const path = pathOfUri(query.uri);
    const listing =
      path === undefined
        ? undefined
        : backend.memories.list(path, { recursive: query.recursive, limit: query.node_limit });
    if (path === undefined || listing === undefined)
      throw new Failure('NOT_FOUND', `There is no folder at ${query.uri}.`);
    if (query.simple) return envelope(listing.map((entry) => uriOfPath(entry.path)));
    return envelope(
      listing.map((entry) => ({
        name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
        rel_path: path === '' ? entry.path : entry.path.slice(path.length + 1),
        uri: uriOfPath(entry.path),
        isDir: entry.isFolder,
        size: entry.size,
        modTime: new Date(entry.updatedAt).toISOString(),
        abstract: boundedText(entry.abstract, query.abs_limit),
      })),
    );
  });

  // Skills need a language model to be of use; the catalogue is there, and empty, so that clients need no special case.
  app.get('/skills', async () => envelope({ skills: [], total: 0 }));
}
