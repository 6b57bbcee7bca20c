/**
 * Notices that a client has thrown our hooks away. Some clients save their own list of hooks over the file, and from then
 * on nothing is recalled or captured and nothing says so: the MCP server is the one sign of life that is left, and it looks.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../fs/json-object.ts';
import type { HomePaths } from '../fs/home-paths.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { parseTolerantJson } from '../settings/tolerant-json.ts';

/** A larger file is not looked into, in bytes: the client is waiting for its answer. */
const LARGEST = 1024 * 1024;

/**
 * The file that held our hooks and holds none of them any more; undefined when they are there, or where that cannot be told
 * (no installation, another format than JSON, a file that does not parse). Goes by the installer's receipt alone: it says
 * which entries were written where.
 */
export function fileWithoutHooks(paths: HomePaths, harness: string): string | undefined {
  const receipt = readJsonObject(join(paths.root, 'install', 'receipts', `${harness}.json`));
  const configs = Array.isArray(receipt?.['configs']) ? receipt['configs'].filter(isObject) : [];
  for (const { path, record } of configs) {
    const written = isObject(record) && Array.isArray(record['written']) ? record['written'].filter(isObject) : [];
    if (typeof path !== 'string' || written.length === 0) continue;
    const content = contentOf(path);
    if (content === undefined) continue;
    const states = written.map((entry) => stateOf(content, entry));
    // What is an object there is an entry of a map, the server itself: it says nothing about the hooks.
    const hooks = states.filter((state) => state !== 'entry');
    if (hooks.length > 0 && hooks.every((state) => state === 'gone')) return path;
  }
  return undefined;
}

function stateOf(content: unknown, { path, value }: Readonly<Record<string, unknown>>): 'there' | 'gone' | 'entry' {
  let node = content;
  for (const key of Array.isArray(path) ? path : []) node = isObject(node) ? node[String(key)] : undefined;
  if (isObject(node)) return 'entry';
  const command = isObject(value) ? value['command'] : undefined;
  if (typeof command !== 'string') return 'there';
  return Array.isArray(node) && JSON.stringify(node).includes(JSON.stringify(command)) ? 'there' : 'gone';
}

function contentOf(path: string): unknown {
  try {
    const status = statSync(path);
    if (!status.isFile() || status.size > LARGEST) return undefined;
    const parsed = parseTolerantJson(readFileSync(path, 'utf8'));
    return parsed.ok ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}
