/**
 * Starts a plugin's stdio servers and speaks one line of JSON-RPC with each. That a server frames its messages by lines
 * and keeps stdout clean cannot be read from its code; a client that meets anything else marks the server dead.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MCP_PATH } from './component-rules.mjs';
import { finding } from './finding.mjs';
import { isObject, isText } from './loose.mjs';
import { contentHash, readPluginFiles, textOf } from './plugin-files.mjs';

/** @typedef {import('./finding.mjs').Finding} Finding */

const PATIENCE_MS = 10_000;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'check-plugin', version: '0' } },
};

/**
 * @param {import('./plugin-files.mjs').PluginFiles} plugin
 * @returns {Promise<Finding[]>}
 */
export async function probeStdioServers(plugin) {
  /** @type {unknown} */
  let configuration;
  try {
    configuration = JSON.parse(textOf(plugin, MCP_PATH) ?? '{}');
  } catch {
    return [];
  }
  const servers = isObject(configuration) && isObject(configuration['mcpServers']) ? configuration['mcpServers'] : {};
  /** @type {Finding[]} */
  const found = [];
  for (const [name, server] of Object.entries(servers)) {
    if (isObject(server) && isText(server['command'])) found.push(...(await probe(plugin, name, server)));
  }
  return found;
}

/**
 * @param {import('./plugin-files.mjs').PluginFiles} plugin
 * @param {string} name
 * @param {Record<string, unknown>} server
 * @returns {Promise<Finding[]>}
 */
async function probe(plugin, name, server) {
  const { prefix } = plugin.layout;
  const home = mkdtempSync(join(tmpdir(), 'check-plugin-'));
  /** @type {Record<string, string>} */
  const variables = {
    [`${prefix}_PLUGIN_ROOT`]: plugin.root,
    [`${prefix}_PLUGIN_DATA`]: home,
    [`${prefix}_PROJECT_DIR`]: home,
  };
  const filled = (/** @type {unknown} */ value) =>
    String(value).replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (whole, key, otherwise) => variables[key] ?? otherwise ?? whole,
    );
  const settings = Object.entries(isObject(server['env']) ? server['env'] : {});
  const command = filled(server['command']);
  const child = spawn(
    // The same Node.js as this check, so that the answer does not depend on what else is installed.
    command === 'node' ? process.execPath : command,
    (Array.isArray(server['args']) ? server['args'] : []).map(filled),
    {
      cwd: home,
      env: {
        PATH: process.env['PATH'] ?? '',
        ...(process.env['SystemRoot'] === undefined ? {} : { SystemRoot: process.env['SystemRoot'] }),
        HOME: home,
        USERPROFILE: home,
        ...variables,
        ...Object.fromEntries(settings.map(([key, value]) => [key, filled(value)])),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  try {
    const line = await firstLine(child);
    if (line === undefined) {
      return [finding('stdio', MCP_PATH, `Server ${name} did not answer \`initialize\` with a line on stdout.`)];
    }
    if (!isAnswer(line)) {
      return [
        finding(
          'stdio',
          MCP_PATH,
          `Server ${name} wrote something on stdout that is no JSON-RPC: ${line.slice(0, 80)}`,
        ),
      ];
    }
    if (contentHash(readPluginFiles(plugin.root, plugin.layout)) !== contentHash(plugin)) {
      return [
        finding('data-folder', MCP_PATH, `Server ${name} wrote into the plugin folder: use \${${prefix}_PLUGIN_DATA}.`),
      ];
    }
    return [];
  } finally {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  }
}

/**
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} child
 * @returns {Promise<string | undefined>}
 */
function firstLine(child) {
  return new Promise((resolve) => {
    let text = '';
    const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    const finish = (/** @type {string | undefined} */ line) => {
      clearTimeout(timer);
      resolve(line);
    };
    child.on('error', () => finish(undefined));
    child.on('close', () => finish(undefined));
    child.stdin.on('error', () => finish(undefined));
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) finish(text.slice(0, end));
    });
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  });
}

/** @param {string} line */
function isAnswer(line) {
  try {
    /** @type {unknown} */
    const message = JSON.parse(line);
    return isObject(message) && message['jsonrpc'] === '2.0';
  } catch {
    return false;
  }
}
