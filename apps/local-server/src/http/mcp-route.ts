/**
 * The MCP endpoint: streamable HTTP, without sessions, answers as JSON. The SDK is loaded at the first call: most
 * requests come from hooks, which wait for this server to start and never speak MCP.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Backend } from '../backend.ts';
import { failureEnvelope } from './failure.ts';

export function mcpRoute(app: FastifyInstance, backend: Backend): void {
  app.post('/mcp', async (request, reply) => {
    const { answerMcp } = await import('../mcp/answer-mcp.ts');
    const response = await answerMcp(backend, webRequest(request), request.body, request.actorPeer);
    void reply.code(response.status);
    response.headers.forEach((value, name) => void reply.header(name, value));
    return reply.send(await response.text());
  });
  // No server-sent stream and no session to end here; clients expect exactly this status then.
  for (const method of ['GET', 'DELETE'] as const)
    app.route({
      method,
      url: '/mcp',
      handler: async (_request, reply) =>
        reply.code(405).header('allow', 'POST').send(failureEnvelope('METHOD_NOT_ALLOWED', 'Use POST.')),
    });
}

function webRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  return new Request(`http://127.0.0.1${request.url}`, { method: request.method, headers });
}
