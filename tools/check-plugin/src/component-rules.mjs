/** Rules about what the client loads from a plugin: hooks, MCP servers, skills, commands. */
import { finding } from './finding.mjs';
import { readFrontMatter } from './front-matter.mjs';
import { isObject, isText } from './loose.mjs';
import { textOf } from './plugin-files.mjs';

/** @typedef {import('./finding.mjs').Finding} Finding */
/** @typedef {import('./plugin-files.mjs').PluginFiles} PluginFiles */

const HOOKS_PATH = 'hooks/hooks.json';
export const MCP_PATH = '.mcp.json';
/** Names of environment variables that say where something is kept. */
const KEEPS_DATA = /DATA|STATE|CACHE|LOG|HOME|STORE/;

/**
 * @param {PluginFiles} plugin
 * @param {Record<string, unknown>} manifest
 * @returns {Finding[]}
 */
export function checkComponentFiles(plugin, manifest) {
  return [...checkHooks(plugin), ...checkServers(plugin, manifest), ...checkSkills(plugin), ...checkCommands(plugin)];
}

/**
 * @param {PluginFiles} plugin
 * @param {string} path
 * @returns {{ value?: unknown, found: Finding[] }}
 */
function parsed(plugin, path) {
  const text = textOf(plugin, path);
  if (text === undefined) return { found: [] };
  try {
    return { value: JSON.parse(text), found: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { found: [finding('json', path, `Not JSON, so the client drops the file: ${reason}`)] };
  }
}

/**
 * Variables in a text that the client does not fill in.
 *
 * @param {PluginFiles} plugin
 * @param {string} path
 * @param {string} text
 * @param {readonly string[]} configKeys
 * @returns {Finding[]}
 */
function checkVariables({ layout }, path, text, configKeys) {
  const plain = ['PLUGIN_ROOT', 'PLUGIN_DATA', 'PROJECT_DIR'].map((name) => `${layout.prefix}_${name}`);
  return [...text.matchAll(/\$\{([^}]*)\}/g)].flatMap(([whole, name = '']) => {
    if (plain.includes(name)) return [];
    if (layout.fillsDefaults && path === MCP_PATH && /^[A-Z_]+:-/.test(name)) return [];
    const key = /^user_config\.(.+)$/.exec(name)?.[1];
    if (key !== undefined && configKeys.includes(key)) return [];
    const known = [...plain, 'user_config.<key>'].map((variable) => `\${${variable}}`).join(', ');
    const why = key === undefined ? `the client fills in ${known} only` : 'the manifest declares no such option';
    return [finding('variable', path, `${whole} stays as it is: ${why}.`)];
  });
}

/**
 * Files of the plugin that a command line names and that are not there.
 *
 * @param {PluginFiles} plugin
 * @param {string} path
 * @param {Record<string, unknown>} holder
 * @returns {Finding[]}
 */
function checkCommandLine(plugin, path, holder) {
  return commandLine(holder).flatMap((word) =>
    [...word.matchAll(/\$\{(\w+)_PLUGIN_ROOT\}\/([\w./-]+)/g)].flatMap(([, prefix, file = '']) =>
      prefix !== plugin.layout.prefix || plugin.files.has(file)
        ? []
        : [finding('missing-file', path, `${file} is named here and is not in the plugin.`)],
    ),
  );
}

/** @param {Record<string, unknown>} holder */
function commandLine(holder) {
  return [holder['command'], ...(Array.isArray(holder['args']) ? holder['args'] : [])].map(String);
}

/**
 * @param {PluginFiles} plugin
 * @returns {Finding[]}
 */
function checkHooks(plugin) {
  const { value, found } = parsed(plugin, HOOKS_PATH);
  if (value === undefined) return found;
  const events = isObject(value) ? value['hooks'] : undefined;
  if (!isObject(events)) return [finding('hooks', HOOKS_PATH, 'The file must be {"hooks": {"<event>": […]}}.')];
  for (const [event, groups] of Object.entries(events)) {
    const { events: known } = plugin.layout;
    if (!known.includes(event)) {
      found.push(finding('hooks', HOOKS_PATH, `The client has no event ${event}. It has ${known.join(', ')}.`));
      continue;
    }
    for (const group of Array.isArray(groups) ? groups : [undefined]) {
      const handlers = isObject(group) ? group['hooks'] : undefined;
      if (!Array.isArray(handlers) || handlers.length === 0) {
        found.push(finding('hooks', HOOKS_PATH, `${event} must be a list of {"hooks": [handler, …]}.`));
        continue;
      }
      for (const handler of handlers) found.push(...checkHandler(plugin, event, handler));
    }
  }
  return found;
}

/**
 * @param {PluginFiles} plugin
 * @param {string} event
 * @param {unknown} handler
 * @returns {Finding[]}
 */
function checkHandler(plugin, event, handler) {
  if (!isObject(handler) || !['command', 'process'].includes(String(handler['type'])) || !isText(handler['command'])) {
    return [finding('hooks', HOOKS_PATH, `A handler of ${event} needs "type": "command" or "process", and a command.`)];
  }
  const found = [
    ...checkVariables(plugin, HOOKS_PATH, commandLine(handler).join(' '), []),
    ...checkCommandLine(plugin, HOOKS_PATH, handler),
  ];
  for (const key of ['timeout', 'timeoutMs']) {
    const limit = handler[key];
    if (limit !== undefined && !(typeof limit === 'number' && limit > 0)) {
      found.push(finding('hooks', HOOKS_PATH, `\`${key}\` of a handler of ${event} must be a positive number.`));
    }
  }
  return found;
}

/**
 * @param {PluginFiles} plugin
 * @param {Record<string, unknown>} manifest
 * @returns {Finding[]}
 */
function checkServers(plugin, manifest) {
  const { value, found } = parsed(plugin, MCP_PATH);
  if (value === undefined) return found;
  const servers = isObject(value) ? value['mcpServers'] : undefined;
  if (!isObject(servers)) return [finding('mcp', MCP_PATH, 'The file must be {"mcpServers": {"<name>": {…}}}.')];
  const configKeys = isObject(manifest['userConfig']) ? Object.keys(manifest['userConfig']) : [];
  for (const [name, server] of Object.entries(servers)) {
    const runs = isObject(server) && isText(server['command']);
    const calls = isObject(server) && isText(server['url']);
    if (!isObject(server) || runs === calls) {
      found.push(finding('mcp', MCP_PATH, `Server ${name} needs either a \`command\` (stdio) or a \`url\`.`));
      continue;
    }
    found.push(
      ...checkVariables(plugin, MCP_PATH, JSON.stringify(server), configKeys),
      ...checkCommandLine(plugin, MCP_PATH, server),
    );
    const environment = isObject(server['env']) ? server['env'] : {};
    for (const [variable, setting] of Object.entries(environment)) {
      if (KEEPS_DATA.test(variable) && String(setting).startsWith(`\${${plugin.layout.prefix}_PLUGIN_ROOT}`)) {
        const message = `${variable} keeps data in the plugin folder, which an update replaces: use \${${plugin.layout.prefix}_PLUGIN_DATA}.`;
        found.push(finding('data-folder', MCP_PATH, message));
      }
    }
  }
  return found;
}

/**
 * @param {PluginFiles} plugin
 * @returns {Finding[]}
 */
function checkSkills(plugin) {
  return [...plugin.files.keys()].flatMap((path) => {
    const folder = /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1];
    if (folder === undefined) return [];
    const head = readFrontMatter(textOf(plugin, path) ?? '')?.fields ?? {};
    /** @type {Finding[]} */
    const found = [];
    if (head['name'] !== folder) found.push(finding('skill', path, `\`name\` must be ${folder}, as the folder.`));
    const description = head['description'] ?? '';
    // The description is all the model sees when it decides whether to load the skill.
    if (!/\bwhen\b|当|时/i.test(description)) {
      found.push(finding('skill', path, '`description` must say when to use the skill, in words a user would say.'));
    }
    return found;
  });
}

/**
 * @param {PluginFiles} plugin
 * @returns {Finding[]}
 */
function checkCommands(plugin) {
  return [...plugin.files.keys()].flatMap((path) => {
    if (!/^commands\/.+\.md$/.test(path)) return [];
    const file = readFrontMatter(textOf(plugin, path) ?? '');
    /** @type {Finding[]} */
    const found = [];
    if (!isText(file?.fields['description'])) found.push(finding('command', path, 'The head needs a `description`.'));
    const hint = file?.fields['argument-hint'];
    if (hint !== undefined && !isText(hint)) found.push(finding('command', path, '`argument-hint` must not be empty.'));
    if (file?.body.includes('$ARGUMENTS') !== true) {
      found.push(finding('command', path, 'The text must use $ARGUMENTS, or what the user types after it is lost.'));
    }
    return found;
  });
}
