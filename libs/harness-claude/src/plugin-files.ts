/**
 * Our plugin for Claude Code, in a marketplace of its own. The client runs a plugin of a directory marketplace from that
 * directory, so it lies in a permanent place, and its files name the launcher, which no upgrade moves.
 */
import { hookCommand, serverCommand } from './command-line.ts';
import { hookGroups } from './hook-table.ts';
import { VERSION } from './version.ts';
import type { JsonObject, OwnedFile, WiringContext } from '../vendor/memory-core/hot.ts';

export const PLUGIN = 'openviking-memory';
export const MARKETPLACE = 'openviking';

const DESCRIPTION = 'Long-term memory for Claude Code: recalls what matters before a prompt, remembers what was said.';
const README = `# OpenViking memory for Claude Code

Written by the OpenViking installer for this machine: the hooks and the MCP server start programs that lie beside this folder. Use
the installer to change or remove it, not the plugin commands, for it also takes out what the plugin leaves elsewhere. Inside a
session, \`/openviking-memory:ov\` says whether memory is connected and what was recalled last.
`;
const OWNER: JsonObject = { name: 'OpenViking' };

/** The plugin's own manifest. */
export function manifest(): JsonObject {
  return { name: PLUGIN, version: VERSION, description: DESCRIPTION, author: OWNER, license: 'Apache-2.0' };
}

/** How the marketplace lists the plugin. */
export function marketplaceEntry(): JsonObject {
  return { name: PLUGIN, source: `./plugins/${PLUGIN}`, description: DESCRIPTION, version: VERSION };
}

export function marketplaceOf(entry: JsonObject): JsonObject {
  return { name: MARKETPLACE, description: DESCRIPTION, owner: OWNER, plugins: [entry] };
}

/** The folder of the marketplace, absolute: beside the launcher. */
export function marketplaceFolder({ launcher, platform }: Pick<WiringContext, 'launcher' | 'platform'>): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return `${launcher.slice(0, launcher.lastIndexOf(separator))}${separator}marketplace`;
}

/** Every file of marketplace and plugin. With `only`, the plugin has no more than that. */
export function pluginFiles(context: WiringContext): readonly OwnedFile[] {
  const separator = context.platform === 'win32' ? '\\' : '/';
  const at = (path: string): string => [marketplaceFolder(context), ...path.split('/')].join(separator);
  const inPlugin = (path: string): string => at(`plugins/${PLUGIN}/${path}`);
  const json = (to: string, value: JsonObject): OwnedFile => ({
    kind: 'plugin',
    to,
    content: `${JSON.stringify(value, null, 2)}\n`,
  });
  const hooks = json(inPlugin('hooks/hooks.json'), {
    description: DESCRIPTION,
    hooks: hookGroups((entry) => hookCommand(context, entry)),
  });
  const server = json(inPlugin('.mcp.json'), { mcpServers: { openviking: serverCommand(context) } });
  const files: OwnedFile[] = [
    json(at('.claude-plugin/marketplace.json'), marketplaceOf(marketplaceEntry())),
    json(inPlugin('.claude-plugin/plugin.json'), manifest()),
  ];
  files.push({ kind: 'plugin', to: inPlugin('README.md'), content: README });
  if (context.only === 'hooks') return [...files, hooks];
  if (context.only === 'mcp') return [...files, server];
  return [
    ...files,
    hooks,
    server,
    { kind: 'plugin', from: 'skills/openviking-memory/SKILL.md', to: inPlugin('skills/openviking-memory/SKILL.md') },
    { kind: 'plugin', from: 'commands/ov.md', to: inPlugin('commands/ov.md') },
  ];
}
