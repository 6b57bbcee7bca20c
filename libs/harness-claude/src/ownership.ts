/**
 * Tells ours from everybody else's in the client's configuration: what is taken for ours is edited and removed, and what is
 * ours and not recognised runs a second time beside the new one.
 */
import { isObject } from '../vendor/memory-core/hot.ts';
import type { JsonValue } from '../vendor/memory-core/hot.ts';

/** Names of the packages and folders of predecessors, as their command lines spell them. */
const PREDECESSOR = /\/(?:claude-code-memory-plugin|openviking-memory|openviking-claude|memory-plugin-marketplace)\//;
const OLD_SCRIPT = /\/(?:scripts|servers)\/[\w-]+\.m?js(?=$|["'\s])/;
/** The installer's folder for this client, with the scripts that an earlier one kept in it. */
const OLD_FOLDER = /\/agent-integrations\/claude\/(?:scripts|servers)\/[^/]*\.mjs/;
const LAUNCHER = /\/\.openviking\/agent-integrations\/claude\/launch(?:\.cmd)?(?![\w.-])/;

/**
 * Whose a handler, a server or the status line is: `current` runs our launcher, `earlier` a script of a predecessor.
 * `name` is the key of an entry.
 */
export function ownerOf(value: JsonValue, name?: string): 'current' | 'earlier' | undefined {
  if (!isObject(value)) return undefined;
  const args = Array.isArray(value['args']) ? (value['args'] as readonly JsonValue[]) : [];
  const line = [value['command'], ...args]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .replaceAll('\\', '/');
  if (LAUNCHER.test(line)) return 'current';
  if (OLD_FOLDER.test(line) || line.includes("OPENVIKING_INTEGRATION_ID='openviking-memory'")) return 'earlier';
  if (PREDECESSOR.test(line) && OLD_SCRIPT.test(line)) return 'earlier';
  return name === 'openviking' || name === 'ov-mcp-server' ? oldServer(value['url']) : undefined;
}

/** A server of our name at any other address is somebody else's. */
function oldServer(url: JsonValue | undefined): 'earlier' | undefined {
  if (typeof url !== 'string') return undefined;
  const isLocal = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):1933\/mcp$/.test(url);
  return isLocal || /^https:\/\/[^/]+\/openviking\/mcp$/.test(url) ? 'earlier' : undefined;
}
