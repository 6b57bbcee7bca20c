/** What differs between the clients whose plugins are checked: the rest of the rules is the same for all. */

/**
 * @typedef {object} Layout
 * @property {string} manifest Path of the manifest below the plugin.
 * @property {string} marketplace Path of the marketplace's file below the folder that is published.
 * @property {string} prefix Of the variables that the client fills in.
 * @property {readonly string[]} events
 * @property {boolean} fillsDefaults `${NAME:-default}` is filled in from the environment in a server's command line.
 * @property {boolean} hasCategories Marketplace entries are listed by category.
 */

/** @type {Readonly<Record<'zcode' | 'claude', Layout>>} */
export const LAYOUTS = {
  zcode: {
    manifest: '.zcode-plugin/plugin.json',
    marketplace: 'marketplace.json',
    prefix: 'ZCODE',
    events: [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'PostToolUseFailure',
      'Stop',
    ],
    fillsDefaults: false,
    hasCategories: true,
  },
  claude: {
    manifest: '.claude-plugin/plugin.json',
    marketplace: '.claude-plugin/marketplace.json',
    prefix: 'CLAUDE',
    events: [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'Stop',
      'PreCompact',
      'PostCompact',
      'SessionEnd',
      'SubagentStart',
      'SubagentStop',
    ],
    fillsDefaults: true,
    hasCategories: false,
  },
};
