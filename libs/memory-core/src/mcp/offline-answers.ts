/**
 * What the client hears while the server cannot be reached. A client that gets an error to `initialize` marks the server
 * dead until it is restarted; one that gets an empty tool list and, later, `tools/list_changed` recovers by itself.
 */
import { METHOD_NOT_FOUND, type JsonRpcError } from './failure.ts';

/** Revisions whose `initialize` this proxy can answer by itself, newest first. */
const KNOWN_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** The result of `initialize` in place of the server's. `reason` reaches the model as instructions. */
export function offlineInitializeResult(requestedVersion: unknown, reason: string): Record<string, unknown> {
  const protocolVersion =
    typeof requestedVersion === 'string' && KNOWN_REVISIONS.includes(requestedVersion)
      ? requestedVersion
      : KNOWN_REVISIONS[0];
  return {
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'openviking', title: 'OpenViking memory', version: '0' },
    instructions: `The OpenViking memory tools are not available yet. ${reason} They appear by themselves once the server answers.`,
  };
}

/** The answer to a request that needs no server, or undefined when only the server can answer it. */
export function offlineAnswer(
  method: string,
): { readonly result: unknown } | { readonly error: JsonRpcError } | undefined {
  switch (method) {
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: [] } };
    case 'resources/list':
    case 'resources/templates/list':
    case 'prompts/list':
      // Not among the capabilities that were answered.
      return { error: { code: METHOD_NOT_FOUND, message: `${method} is not available.` } };
    default:
      return undefined;
  }
}
