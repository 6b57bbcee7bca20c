/**
 * The declaration of Cursor: everything about the client that can be said as data, read by the installer (what to write
 * where) and by the runtime (how the host behaves), so that the two cannot drift apart.
 *
 * Only the user's own scope is wired. A project's `.cursor/` is read beside it, and wired there as well every hook would
 * run twice. No rule is installed: rules are files of a project or texts in the application's settings, and a file in
 * `~/.cursor/rules` is read by neither the editor nor cursor-agent (2026.09.10, measured).
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
import { checkHooksFile, checkServersFile } from './config-rules.ts';
import { hostFacts } from './host-facts.ts';
import { CURSOR_RULES } from './rule-codes.ts';

const SWITCHES: readonly EntrySwitch[] = [{ of: 'server', key: 'disabled', values: [true], effect: 'off' }];

export const declaration: HarnessDeclaration = {
  ...hostFacts,
  documentation: [
    { title: 'Cursor hooks', url: 'https://cursor.com/docs/hooks' },
    { title: 'Cursor MCP servers', url: 'https://cursor.com/docs/context/mcp' },
    { title: 'Claude Code hooks in Cursor', url: 'https://cursor.com/docs/reference/third-party-hooks' },
  ],
  detection: [
    { kind: 'path', path: '~/.cursor' },
    { kind: 'path', path: '/Applications/Cursor.app', os: ['darwin'] },
    { kind: 'command', command: 'cursor' },
    { kind: 'command', command: 'cursor-agent' },
  ],
  wiring,
  restart: {
    en: 'Start a new chat in Cursor: hooks are read again at once, a conversation keeps those it began with.',
    zh: '请在 Cursor 中新建一个会话：钩子会立即重新读取，但已开始的会话仍使用原来的钩子。',
  },
  trust: {
    en: 'Switch on the openviking server on the MCP page of Cursor’s settings; for the command line: cursor-agent mcp enable openviking',
    zh: '请在 Cursor 设置的 MCP 页面启用 openviking 服务器；命令行请运行：cursor-agent mcp enable openviking',
  },
  rules: CURSOR_RULES,
  projectFiles: [{ path: '.cursor/hooks.json' }],
  absent: [
    {
      capability: 'visible-notice',
      reason: 'What a hook has to say to the user is shown only when it refuses a prompt or a tool.',
      zh: '钩子给用户的信息只有在拒绝提示词或工具时才会显示。',
      source: 'https://github.com/DietrichGebert/ponytail/blob/main/docs/cursor-hooks.md',
    },
    {
      capability: 'tool-results',
      reason: 'The record of a conversation has the calls of tools without their results.',
      zh: '会话记录中只有工具调用，没有结果。',
      source: 'https://github.com/vshulcz/deja-vu/blob/main/docs/registry/cursor.md',
    },
    {
      capability: 'print-mode-recall',
      reason:
        'cursor-agent -p runs no hook for its prompt: the opening context arrives, memories for the prompt do not. The turn is stored at the end of the session, or at the next start.',
      zh: 'cursor-agent -p 不为其提示词运行钩子：开场背景会注入，针对提示词的记忆不会。该轮在会话结束或下次启动时保存。',
      source: 'https://github.com/receptron/mulmoterminal/issues/2064',
    },
    {
      capability: 'continued-turn',
      reason: 'A hook that makes the model go on does so with a message of its own, which begins another turn.',
      zh: '让模型继续的钩子会发出一条自己的消息，由此开始新的一轮。',
      source: 'https://cursor.com/docs/hooks',
    },
    {
      capability: 'overview-after-compact',
      reason: 'No event follows the summary, so that nothing can be added to it. What was said is committed before it.',
      zh: '摘要之后没有事件，因此无法附加内容。此前的内容已在摘要前提交。',
      source: 'https://cursor.com/docs/hooks',
    },
    {
      capability: 'resume',
      reason: 'No event says that a conversation goes on: its last archive is not added. It is captured all the same.',
      zh: '没有事件表明会话在继续：不会附加上次的归档，但内容照常保存。',
      source: 'https://cursor.com/docs/hooks',
    },
    {
      capability: 'fork',
      reason: 'A copy of a conversation looks like a new one: no event and no record says where it comes from.',
      zh: '会话的副本看起来与新会话无异：没有事件或记录说明其来源。',
      source: 'https://cursor.com/docs/hooks',
    },
  ],
};

function wiring(context: WiringContext): { files: readonly ConfigFile[]; owned: readonly OwnedFile[] } {
  const { hooks, servers, skill } = pathsOf(context);
  return {
    files: [
      {
        format: 'json',
        path: hooks,
        create: 'always',
        operations: [
          // A number; the client drops a file of any other version.
          { kind: 'scalar', path: ['version'], value: 1 },
          ...hostFacts.events.map((binding) => hookOf(binding, context)),
        ],
        check: checkHooksFile,
        switches: SWITCHES,
        owns: ownerOf,
      },
      {
        format: 'json',
        path: servers,
        create: 'always',
        operations: [
          {
            kind: 'entry',
            path: ['mcpServers', 'openviking'],
            // Started without a shell, on Windows too: nothing to quote.
            value: { type: 'stdio', command: context.launcher, args: ['mcp-proxy'] },
            userKeys: [{ key: 'env' }, { key: 'envFile' }, { key: 'disabled' }],
          },
        ],
        check: checkServersFile,
        switches: SWITCHES,
        owns: ownerOf,
      },
    ],
    owned: [{ kind: 'skill', from: 'skills/openviking-memory/SKILL.md', to: skill }],
  };
}

function pathsOf({ home, platform, env }: WiringContext) {
  const separator = platform === 'win32' ? '\\' : '/';
  const override = env['CURSOR_CONFIG_DIR']?.trim();
  const folder =
    override !== undefined && override !== ''
      ? override.replace(/[\\/]+$/, '')
      : `${home.replace(/[\\/]+$/, '')}${separator}.cursor`;
  const below = (...parts: readonly string[]): string => [folder, ...parts].join(separator);
  return {
    hooks: below('hooks.json'),
    servers: below('mcp.json'),
    skill: below('skills', 'openviking-memory', 'SKILL.md'),
  };
}

/**
 * No mark beside the command: a key that a build does not know is a risk that recognising our launcher does not need.
 * No `failClosed`: a memory that does not start is no reason to stop anybody.
 */
function hookOf({ nativeName, entry, matcher, timeout }: EventBinding, context: WiringContext): TreeOperation {
  const handler: JsonObject = {
    command: `${programCall(context)} ${entry}`,
    timeout: timeout.unit === 'seconds' ? timeout.value : timeout.value / 1000,
    ...(matcher === undefined ? {} : { matcher }),
  };
  return {
    kind: 'flat-handler',
    path: ['hooks', nativeName],
    handler,
    userKeys: [{ key: 'timeout', isTimeLimit: true }, { key: 'failClosed' }],
  };
}

/**
 * The launcher as the client's shell takes it. On Windows that is PowerShell, for which a quoted path alone is a text: it
 * would print the path and count as a success.
 */
function programCall({ launcher, platform }: WiringContext): string {
  return platform === 'win32' ? `& '${launcher.replaceAll("'", "''")}'` : `'${launcher.replaceAll("'", "'\\''")}'`;
}

/**
 * Recognises ours by a command that runs our launcher. The shell installer's lines name a script in the same folder
 * instead, and its proxy a file in `servers/`.
 */
function ownerOf(value: JsonValue, name?: string): 'current' | 'earlier' | undefined {
  if (!isObject(value)) return undefined;
  const args = Array.isArray(value['args']) ? (value['args'] as readonly JsonValue[]) : [];
  const line = [value['command'], ...args]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .replaceAll('\\', '/');
  if (/\/agent-integrations\/cursor\/(scripts|servers)\/[^/]*\.mjs/.test(line)) return 'earlier';
  if (line.includes("OPENVIKING_INTEGRATION_ID='openviking-memory'")) return 'earlier';
  if (/\/\.openviking\/agent-integrations\/cursor\/launch(\.cmd)?(?![\w.-])/.test(line)) return 'current';
  return name === 'ov-mcp-server' && isOldServerUrl(value['url']) ? 'earlier' : undefined;
}

/** An `ov-mcp-server` with any other URL is somebody else's. */
function isOldServerUrl(url: JsonValue | undefined): boolean {
  if (typeof url !== 'string') return false;
  return (
    /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):1933\/mcp$/.test(url) || /^https:\/\/[^/]+\/openviking\/mcp$/.test(url)
  );
}
