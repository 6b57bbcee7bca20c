/**
 * The declaration of Claude Code: everything about the client that can be said as data, read by the installer (what to write
 * where) and by the runtime (how the host behaves), so that the two cannot drift apart.
 *
 * A build with plugins gets ours, registered by its own commands; an older one gets hooks and server in its files.
 */
import { clientPaths } from './client-paths.ts';
import { hookCommand, serverCommand } from './command-line.ts';
import { checkSettings, checkState } from './config-rules.ts';
import { hookOperations } from './hook-table.ts';
import { hostFacts } from './host-facts.ts';
import { ownerOf } from './ownership.ts';
import { MARKETPLACE, marketplaceFolder, PLUGIN, pluginFiles } from './plugin-files.ts';
import { CLAUDE_RULES } from './rule-codes.ts';
import type {
  ConfigFile,
  TreeOperation,
  EntrySwitch,
  HarnessDeclaration,
  ManagedFile,
  OwnedFile,
  PluginRegistration,
  ProjectServerList,
  WiringContext,
} from '../vendor/memory-core/hot.ts';

/** First build with plugins. Older ones answer `plugin --help` with the help of the whole program, and success. */
const PLUGINS_SINCE = [2, 0, 12];

/** Without it a plugin command reports its use to the vendor, and leaves what it could not send in the user's folder. */
const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };

const ID = `${PLUGIN}@${MARKETPLACE}`;

/** Source: the client's reference of hooks. `if` counts for tools alone; at any other event a hook with it never runs. */
const SWITCHES: readonly EntrySwitch[] = [
  { of: 'hook', key: 'async', values: [true], effect: 'unheard' },
  { of: 'hook', key: 'asyncRewake', values: [true], effect: 'unheard' },
  { of: 'hook', key: 'if', effect: 'limited' },
  { of: 'server', key: 'disabled', values: [true], effect: 'off' },
];

/** Names of our server in the client's list of those that are off in a project: from its own file, and from our plugin. */
const OFF_IN_PROJECTS: ProjectServerList = {
  at: ['projects'],
  key: 'disabledMcpServers',
  names: ['openviking', `plugin:${PLUGIN}:openviking`],
};

/**
 * Source: the client's reference of settings, and client 2.1.332 itself. A policy that comes from a server, a configuration
 * profile or the registry lies in no file.
 */
const MANAGED: readonly ManagedFile[] = (
  [
    ['/etc/claude-code', '/', 'linux'],
    ['/Library/Application Support/ClaudeCode', '/', 'darwin'],
    ['C:\\Program Files\\ClaudeCode', '\\', 'win32'],
  ] as const
).map(([folder, separator, os]) => ({
  path: `${folder}${separator}managed-settings.json`,
  dropIns: `${folder}${separator}managed-settings.d`,
  os: [os],
  offSwitches: [{ key: 'disableAllHooks' }, { key: 'allowManagedHooksOnly', exceptPlugins: 'enabledPlugins' }],
}));

/** What the shell installer registered under other names than ours. */
const REPLACED = [
  ['plugin', 'uninstall', 'claude-code-memory-plugin@openviking-plugins-local'],
  ['plugin', 'uninstall', `${PLUGIN}@openviking-plugins-local`],
  ['plugin', 'marketplace', 'remove', 'openviking-plugins-local'],
];

export const declaration: HarnessDeclaration = {
  ...hostFacts,
  documentation: [
    { title: 'Claude Code hooks', url: 'https://code.claude.com/docs/en/hooks' },
    { title: 'Claude Code plugin commands', url: 'https://code.claude.com/docs/en/plugins/cli-reference' },
  ],
  detection: [
    { kind: 'command', command: 'claude' },
    { kind: 'path', path: '~/.claude' },
    { kind: 'path', path: '~/.claude.json' },
  ],
  versionProbes: [
    {
      kind: 'command',
      command: 'claude',
      args: ['--version'],
      pattern: '^v?(\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?)',
      variables: QUIET,
    },
  ],
  wiring,
  restart: {
    en: 'Start Claude Code anew, or run /reload-plugins in a session that is open.',
    zh: '请重新启动 Claude Code，或在已打开的会话中运行 /reload-plugins。',
  },
  restartWithoutPlugin: { en: 'Start Claude Code anew.', zh: '请重新启动 Claude Code。' },
  packagedNode: 'OPENVIKING_NODE',
  rules: CLAUDE_RULES,
  projectFiles: [
    { path: '.claude/settings.json', offSwitch: ['disableAllHooks'] },
    { path: '.claude/settings.local.json', offSwitch: ['disableAllHooks'] },
  ],
  managedFiles: MANAGED,
  absent: [],
};

interface Wiring {
  readonly files: readonly ConfigFile[];
  readonly owned: readonly OwnedFile[];
  readonly registration?: PluginRegistration;
}

function wiring(context: WiringContext): Wiring {
  const commands = hasPlugins(context) ? (context.pluginCommands ?? []) : [];
  return commands.length > 0 ? asPlugin(context, commands) : asEntries(context);
}

/** A plugin has everything in it but the status line. */
function asPlugin(context: WiringContext, commands: readonly string[]): Wiring {
  const paths = clientPaths(context);
  const folder = marketplaceFolder(context);
  return {
    files: configFiles(context, { hooks: [], servers: [] }),
    owned: pluginFiles(context),
    registration: {
      plugin: PLUGIN,
      marketplace: MARKETPLACE,
      folder,
      commands,
      probe: ['plugin', '--help'],
      variables: QUIET,
      replaces: REPLACED,
      add: [
        ['plugin', 'marketplace', 'add', folder],
        ['plugin', 'install', ID],
      ],
      remove: [
        ['plugin', 'uninstall', ID],
        ['plugin', 'marketplace', 'remove', MARKETPLACE],
      ],
      list: ['plugin', 'list', '--json'],
      rewrites: [paths.settings],
      leavesBehind: [paths.plugin('cache', MARKETPLACE), paths.plugin('data', `${PLUGIN}-${MARKETPLACE}`)],
    },
  };
}

/** For builds without plugins. */
function asEntries(context: WiringContext): Wiring {
  const { only } = context;
  const paths = clientPaths(context);
  const hooks = only === 'mcp' ? [] : hookOperations(context);
  const servers = only === 'hooks' ? [] : [serverOperation(context)];
  const extras: readonly OwnedFile[] = [
    { kind: 'skill', from: 'skills/openviking-memory/SKILL.md', to: paths.skill },
    { kind: 'command', from: 'commands/ov.md', to: paths.command },
  ];
  return { files: configFiles(context, { hooks, servers }), owned: only === undefined ? extras : [] };
}

/**
 * The files that any form of the wiring has entries in. What this form does not want there is withdrawn, so that a build
 * that gets plugins is not left with every hook twice.
 */
function configFiles(
  context: WiringContext,
  wanted: { readonly hooks: readonly TreeOperation[]; readonly servers: readonly TreeOperation[] },
): readonly ConfigFile[] {
  const paths = clientPaths(context);
  const statusLine = statusLineOperation(context);
  const wantsStatusLine = context.statusLine === true;
  const file = (
    path: string,
    check: ConfigFile['check'],
    operations: readonly TreeOperation[],
    withdrawn: readonly TreeOperation[],
  ): ConfigFile => ({
    format: 'json',
    path,
    create: operations.length > 0 ? 'always' : 'if-present',
    operations,
    withdrawn,
    check,
    switches: SWITCHES,
    unmatched: ['UserPromptSubmit', 'Stop'],
    owns: ownerOf,
  });
  return [
    file(
      paths.settings,
      checkSettings,
      [...wanted.hooks, ...(wantsStatusLine ? [statusLine] : [])],
      [...(wanted.hooks.length > 0 ? [] : hookOperations(context)), ...(wantsStatusLine ? [] : [statusLine])],
    ),
    {
      ...file(paths.state, checkState, wanted.servers, wanted.servers.length > 0 ? [] : [serverOperation(context)]),
      offInProjects: OFF_IN_PROJECTS,
    },
  ];
}

function serverOperation(context: WiringContext): TreeOperation {
  return {
    kind: 'entry',
    path: ['mcpServers', 'openviking'],
    value: serverCommand(context),
    userKeys: [{ key: 'env' }, { key: 'timeout' }, { key: 'alwaysLoad' }],
  };
}

/** A status line of the user's own is not recognised as ours, and stays. */
function statusLineOperation(context: WiringContext): TreeOperation {
  return {
    kind: 'entry',
    path: ['statusLine'],
    value: { type: 'command', command: hookCommand(context, 'statusline') },
    userKeys: [{ key: 'padding' }, { key: 'refreshInterval' }],
  };
}

function hasPlugins({ clientVersion }: WiringContext): boolean {
  const parts = clientVersion?.split(/[-+]/)[0]?.split('.').map(Number);
  if (parts === undefined) return true;
  for (const [index, wanted] of PLUGINS_SINCE.entries()) {
    const have = parts[index] ?? 0;
    if (have !== wanted) return have > wanted;
  }
  return true;
}
