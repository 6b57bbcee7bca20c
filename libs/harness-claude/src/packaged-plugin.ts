/**
 * The plugin for those who get it from a marketplace: it has no launcher of this machine to name, so its files stand for
 * any machine, and its programs lie inside it. What both forms say is said once, in `plugin-files.ts`.
 */
import { hookGroups } from './hook-table.ts';
import { manifest, marketplaceEntry, MARKETPLACE, marketplaceOf, PLUGIN } from './plugin-files.ts';
import type { JsonObject } from '../vendor/memory-core/hot.ts';

export { MARKETPLACE, PLUGIN };

const HOMEPAGE = 'https://github.com/volcengine/OpenViking';

/** What the manifest of a published plugin says besides. */
const PUBLISHED: JsonObject = {
  homepage: HOMEPAGE,
  repository: HOMEPAGE,
  keywords: ['memory', 'recall', 'mcp', 'openviking'],
};

/** The generated files, by path below the marketplace's root. Pure. */
export function packagedFiles(): ReadonlyMap<string, JsonObject> {
  const inPlugin = `plugins/${PLUGIN}`;
  return new Map<string, JsonObject>([
    ['.claude-plugin/marketplace.json', marketplaceOf({ ...marketplaceEntry(), ...PUBLISHED })],
    [`${inPlugin}/.claude-plugin/plugin.json`, { ...manifest(), ...PUBLISHED }],
    [
      `${inPlugin}/hooks/hooks.json`,
      { hooks: hookGroups((entry) => `sh "\${CLAUDE_PLUGIN_ROOT}/runtime/launch.sh" ${entry}`) },
    ],
    [
      `${inPlugin}/.mcp.json`,
      {
        mcpServers: {
          openviking: {
            type: 'stdio',
            // Started without a shell, on Windows as well: no script can look for the interpreter.
            command: '${OPENVIKING_NODE:-node}',
            args: ['${CLAUDE_PLUGIN_ROOT}/runtime/mcp-proxy.cjs'],
          },
        },
      },
    ],
  ]);
}
