/**
 * The declaration of ZCode: everything about the client that can be said as data, read by the installer (what to write
 * where) and by the runtime (how the host behaves), so that the two cannot drift apart.
 */
import { isObject } from '../vendor/memory-core/hot.ts';
import type {
  ConfigFile,
  TreeOperation,
  EntrySwitch,
  EventBinding,
  HarnessDeclaration,
  JsonObject,
  JsonValue,
  OwnedFile,
  WiringContext,
} from '../vendor/memory-core/hot.ts';
import { checkZcodeConfig } from './config-rules.ts';
import { hostFacts } from './host-facts.ts';
import { ZCODE_RULES } from './rule-codes.ts';

/** The mark of ours inside a handler: an unknown key is tolerated there, and nowhere else in `hooks`. */
const OWNER_KEY = 'managedBy';
const OWNER = 'openviking-memory';

/** Source: the public 0.16.9 runtime; a hook that runs in the background has its output thrown away. */
const SWITCHES: readonly EntrySwitch[] = [
  { of: 'hook', key: 'async', values: [true], effect: 'unheard' },
  { of: 'server', key: 'enabled', values: [false], effect: 'off' },
];

/** First runtime whose `process` handlers were seen to work: no shell, hence no quoting. */
const PROCESS_HANDLERS_SINCE = '0.16.9';

export const declaration: HarnessDeclaration = {
  ...hostFacts,
  documentation: [
    { title: 'ZCode hooks', url: 'https://zcode.z.ai/en/docs/hooks' },
    {
      title: 'ZCode plugin development',
      url: 'https://github.com/zai-org/zcode-plugins/blob/main/docs/PLUGIN_DEVELOPMENT.md',
    },
  ],
  detection: [
    { kind: 'path', path: '~/.zcode' },
    { kind: 'path', path: '/Applications/ZCode.app', os: ['darwin'] },
    { kind: 'command', command: 'zcode' },
  ],
  versionProbes: [
    // The community command line prints two lines, `zcode-app-cli X` and `zcode-runtime Y`; hooks are the runtime's.
    { kind: 'command', command: 'zcode', args: ['--version'], pattern: 'zcode-runtime\\s+v?(\\d+\\.\\d+\\.\\d+)' },
    // The public source tagged v3.14.3 carries runtime 0.16.9; older desktop builds stay unknown.
    {
      kind: 'property-list',
      path: '/Applications/ZCode.app/Contents/Info.plist',
      implies: [{ atLeast: '3.14.3', runtime: '0.16.9' }],
    },
  ],
  wiring,
  plugin: {
    name: 'openviking-memory',
    enabledAt: ['plugins', 'enabledPlugins'],
    folder: '~/.zcode/cli/plugins/cache',
    registry: '~/.zcode/cli/plugins/installed_plugins.json',
    removal: {
      en: 'Switch it off or remove it on the Plugins page of ZCode’s settings, and quit ZCode.',
      zh: '请在 ZCode 设置的插件页面停用或移除它，然后退出 ZCode。',
    },
  },
  restart: {
    en: 'Start a new ZCode conversation: hooks and MCP servers are read when one begins.',
    zh: '请新建一个 ZCode 会话：钩子和 MCP 服务器在会话开始时读取。',
  },
  trust: {
    en: 'Do not save on the Hooks page of ZCode’s settings: it replaces every hook that is not in its own list.',
    zh: '请勿在 ZCode 设置的 Hooks 页面点击保存：它会覆盖不在其列表中的所有钩子。',
  },
  rules: ZCODE_RULES,
  projectFiles: [{ path: '.zcode/config.json' }, { path: 'zcode.json' }],
  absent: [
    {
      capability: 'visible-notice',
      reason: 'No output of a hook is shown to the user; any unknown key loses the answer.',
      zh: '钩子的输出不会显示给用户；任何未知的键都会使整个答复失效。',
    },
    {
      capability: 'session-end',
      reason: 'The client has no event for it: every turn end commits.',
      zh: '客户端没有相应事件：每轮结束时提交。',
    },
    {
      capability: 'pre-compact',
      reason: 'The client has no event for it, and an unknown event drops the whole file.',
      zh: '客户端没有相应事件，而未知事件会使整个文件被忽略。',
    },
    { capability: 'overview-after-compact', reason: 'No event follows a compaction.', zh: '压缩之后没有任何事件。' },
    {
      capability: 'fork',
      reason: 'No event says that a conversation is a copy of another.',
      zh: '没有事件表明一个会话是另一个会话的副本。',
    },
    { capability: 'subagent-events', reason: 'Hooks do not run inside subagents.', zh: '子代理内不运行钩子。' },
    {
      capability: 'guard-note',
      reason: 'A guard can only deny with a reason; extra context on a tool call is not documented.',
      zh: '守卫只能附理由拒绝；对工具调用附加上下文未见于文档。',
    },
  ],
};

/**
 * The files and entries for this machine. `config.json` is what the desktop application and the engine read;
 * `setting.json` belongs to a community build that imports `config.json` once and skips that import when the file exists
 * already: creating it would lose the user's import.
 */
function wiring(context: WiringContext): { files: readonly ConfigFile[]; owned: readonly OwnedFile[] } {
  const paths = pathsOf(context);
  const operations = operationsOf(context);
  const file = (path: string, create: ConfigFile['create']): ConfigFile => ({
    format: 'json',
    path,
    create,
    operations,
    check: checkZcodeConfig,
    switches: SWITCHES,
    unmatched: ['UserPromptSubmit'],
    owns: ownerOf,
  });
  return {
    files: [file(paths.config, 'always'), file(paths.setting, 'if-present')],
    owned: [
      { kind: 'skill', from: 'skills/openviking-memory/SKILL.md', to: paths.skill },
      { kind: 'command', from: 'commands/openviking.md', to: paths.command },
    ],
  };
}

function pathsOf({ home, platform, env }: WiringContext) {
  const separator = platform === 'win32' ? '\\' : '/';
  const below = (...parts: readonly string[]): string =>
    [home.replace(/[\\/]+$/, ''), '.zcode', ...parts].join(separator);
  const override = env['ZCODE_CLI_SETTINGS_FILE']?.trim();
  return {
    config: below('cli', 'config.json'),
    setting: override !== undefined && override !== '' ? override : below('cli', 'setting.json'),
    skill: below('skills', 'openviking-memory', 'SKILL.md'),
    command: below('commands', 'openviking.md'),
  };
}

function operationsOf(context: WiringContext): readonly TreeOperation[] {
  return [
    // Hooks do not run unless this is true; scopes are OR-ed.
    { kind: 'scalar', path: ['hooks', 'enabled'], value: true },
    ...hostFacts.events.map((binding): TreeOperation => ({
      kind: 'handler',
      path: ['hooks', 'events', binding.nativeName],
      ...(binding.matcher === undefined ? {} : { matcher: binding.matcher }),
      handler: handlerOf(binding, context),
      userKeys: usesProcess(context)
        ? [{ key: 'timeoutMs', isTimeLimit: true, alias: { key: 'timeout', factor: 1000 } }]
        : [{ key: 'timeout', isTimeLimit: true, alias: { key: 'timeoutMs', factor: 0.001 } }],
    })),
    {
      kind: 'entry',
      path: ['mcp', 'servers', 'openviking'],
      value: { type: 'stdio', ...serverCommand(context), timeoutMs: 30_000 },
      userKeys: [{ key: 'timeoutMs' }, { key: 'enabled' }, { key: 'env' }],
    },
  ];
}

function handlerOf(binding: EventBinding, context: WiringContext): JsonObject {
  const seconds = binding.timeout.unit === 'seconds' ? binding.timeout.value : binding.timeout.value / 1000;
  return usesProcess(context)
    ? {
        type: 'process',
        command: context.launcher,
        args: [binding.entry],
        timeoutMs: seconds * 1000,
        [OWNER_KEY]: OWNER,
      }
    : {
        type: 'command',
        command: `${quoteForShell(context.launcher, context.platform)} ${binding.entry}`,
        timeout: seconds,
        [OWNER_KEY]: OWNER,
      };
}

/**
 * A stdio server is started without a shell, and a `.cmd` file needs cmd.exe. No quoting survives both Node's and cmd's
 * rules for every path, so on Windows the path travels as working directory and the command line holds none.
 */
function serverCommand({ launcher, platform }: WiringContext): JsonObject {
  if (platform !== 'win32') return { command: launcher, args: ['mcp-proxy'] };
  const cut = launcher.lastIndexOf('\\');
  const [folder, file] = [launcher.slice(0, cut), launcher.slice(cut + 1)];
  return { command: 'cmd.exe', args: ['/d', '/c', `.\\${file}`, 'mcp-proxy'], cwd: folder };
}

/** `process` handlers need a runtime that is known to have them, and cannot run a `.cmd` file. */
function usesProcess({ clientVersion, platform }: WiringContext): boolean {
  return platform !== 'win32' && clientVersion !== undefined && isAtLeast(clientVersion, PROCESS_HANDLERS_SINCE);
}

function isAtLeast(version: string, minimum: string): boolean {
  const parts = version.split(/[-+]/)[0]?.split('.').map(Number) ?? [];
  for (const [index, wanted] of minimum.split('.').map(Number).entries()) {
    const have = parts[index] ?? 0;
    if (have !== wanted) return have > wanted;
  }
  // `0.16.9-beta.1` comes before `0.16.9`.
  return !version.includes('-');
}

/** One word of a command line: POSIX single quotes, or double quotes for cmd.exe, where a path cannot hold a quote. */
function quoteForShell(word: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Recognises ours: by the mark, or by a command that runs our launcher (the client's settings page drops unknown keys when
 * it saves). The shell installer's lines name a script in the same folder instead, and its proxy a file in `servers/`.
 */
function ownerOf(value: JsonValue, name?: string): 'current' | 'earlier' | undefined {
  if (!isObject(value)) return undefined;
  const args = Array.isArray(value['args']) ? (value['args'] as readonly JsonValue[]) : [];
  const line = [value['command'], ...args, value['cwd']]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .replaceAll('\\', '/');
  if (/\/agent-integrations\/zcode\/(scripts|servers)\/[^/]*\.mjs/.test(line)) return 'earlier';
  if (line.includes("OPENVIKING_INTEGRATION_ID='openviking-memory'")) return 'earlier';
  if (/\/\.openviking\/agent-integrations\/zcode(\/launch(\.cmd)?(?![\w.-])|$)/.test(line)) return 'current';
  if (value[OWNER_KEY] === OWNER) return 'current';
  return name === 'ov-mcp-server' && isOldServerUrl(value['url']) ? 'earlier' : undefined;
}

/** An `ov-mcp-server` with any other URL is somebody else's. */
function isOldServerUrl(url: JsonValue | undefined): boolean {
  if (typeof url !== 'string') return false;
  return (
    /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):1933\/mcp$/.test(url) || /^https:\/\/[^/]+\/openviking\/mcp$/.test(url)
  );
}
