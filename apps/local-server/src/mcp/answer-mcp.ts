/** One MCP request, one server object: without sessions nothing may live longer than the request. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Backend } from '../backend.ts';
import { registerTools } from './tools.ts';

/** Answers `request`, whose body is already parsed. */
export async function answerMcp(
  backend: Backend,
  request: Request,
  body: unknown,
  peerId: string | undefined,
): Promise<Response> {
  const server = new McpServer(
    { name: 'openviking-local', version: backend.version },
    {
      instructions:
        "The user's long-term memory. Use find or search for what was said before, read to open a viking:// address, " +
        'remember when the user states a preference or asks to remember something.',
    },
  );
  registerTools(server, backend, peerId);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    // Closing first would end the answer before it is made; handleRequest resolves with the whole JSON answer.
    await server.close();
  }
}
