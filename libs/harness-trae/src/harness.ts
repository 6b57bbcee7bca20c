/**
 * The declarations of TRAE and TRAE CN: everything about the clients that can be said as data, read by the installer (what
 * to write where) and by the runtime (how the host behaves). One function makes both, so that they cannot drift apart.
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
import { hookCommand, readableCommand } from './command-line.ts';
import { hookFileRules } from './config-rules.ts';
import { TRAE, TRAE_CN } from './edition.ts';
import type { Edition } from './edition.ts';
import { EVENTS, hostFactsOf } from './host-facts.ts';
import { rulesOf } from './rule-codes.ts';

const SWITCHES: readonly EntrySwitch[] = [{ of: 'server', key: 'disabled', values: [true], effect: 'off' }];

/** Both editions, one payload each: `trae` in dist/payload, `trae-cn` in dist/payload-trae-cn. */
export const declarations: readonly HarnessDeclaration[] = [declare(TRAE), declare(TRAE_CN)];

function declare(edition: Edition): HarnessDeclaration {
  const { name, folder } = edition;
  return {
    ...hostFactsOf(edition),
    documentation: [
      { title: `${name} hooks`, url: edition.hooksPage },
      { title: 'TRAE sandbox', url: 'https://docs.trae.cn/ide/sandbox' },
    ],
    detection: [
      { kind: 'path', path: `~/${folder}` },
      { kind: 'path', path: edition.application, os: ['darwin'] },
      ...edition.products.map((product) => ({
        kind: 'path' as const,
        path: `~/Library/Application Support/${product}`,
        os: ['darwin'] as const,
      })),
      ...edition.products.map((product) => ({
        kind: 'path' as const,
        path: `~/.config/${product}`,
        os: ['linux'] as const,
      })),
    ],
    wiring: (context) => wiring(edition, context),
    restart: {
      en: `Quit ${name} completely, start it again and open a new Agent session.`,
      zh: `请完全退出 ${name}，重新启动后新建一个 Agent 会话。`,
    },
    trust: {
      en:
        `${name} runs no hook before you allow it: open Settings → Hooks, create or enable the Global hook, confirm the ` +
        `security notice and choose how it runs; Sandbox is enough. It takes ${name} ${edition.since} or later. ` +
        `Keep ~/.openviking in ~/${folder}/sandbox.json: without it a hook in the sandbox ends without an error and ` +
        `stores nothing.`,
      zh:
        `在您允许之前，${name} 不会运行任何钩子：请打开“设置 → Hooks”，创建或启用“全局”钩子，确认安全提示并选择运行方式，` +
        `“沙箱”即可。需要 ${name} ${edition.since} 或更高版本。请保留 ~/${folder}/sandbox.json 中的 ` +
        `~/.openviking：缺少它时，沙箱中的钩子不报错，但什么也不会保存。`,
    },
    asksBeforeHooks: true,
    rules: rulesOf(edition),
    projectFiles: [{ path: '.trae/hooks.json' }],
    absent: [
      {
        capability: 'visible-notice',
        reason: 'No output of a hook that is documented is shown to the user.',
        zh: '文档中没有任何钩子输出会显示给用户。',
      },
      {
        capability: 'session-end',
        reason: 'The client has no event for it: every turn end commits.',
        zh: '客户端没有相应事件：每轮结束时提交。',
      },
      { capability: 'pre-compact', reason: 'The client has no event for it.', zh: '客户端没有相应事件。' },
      { capability: 'overview-after-compact', reason: 'No event follows a compaction.', zh: '压缩之后没有任何事件。' },
      {
        capability: 'subagent-events',
        reason: 'The client has no event for it, and names an agent in every payload, the main one too.',
        zh: '客户端没有相应事件，且每个负载都带有代理名称，主代理也不例外。',
      },
      {
        capability: 'fork',
        reason: 'The client does not say that a conversation is a copy of another.',
        zh: '客户端不会说明一个会话是另一个会话的副本。',
      },
      {
        capability: 'resume',
        reason: 'SessionStart does not say whether a conversation begins or goes on.',
        zh: 'SessionStart 不说明会话是新建还是继续。',
      },
      {
        capability: 'tool-results',
        reason: 'Conversations lie encrypted or on a server: the journal of prompts and answers is all there is.',
        zh: '会话以加密形式或在服务器上保存：只有提示词与回答的日志可用。',
        source: 'https://github.com/vectorize-io/hindsight/pull/4535',
      },
      {
        capability: 'missed-turn-end',
        reason:
          'Without a record of the conversation the answer of a turn whose Stop never ran is lost; its prompt is kept.',
        zh: '没有会话记录时，Stop 未运行的轮次的回答会丢失；其提示词会保留。',
      },
    ],
  };
}

type JsonFile = Extract<ConfigFile, { readonly format: 'json' }>;

function wiring(
  edition: Edition,
  context: WiringContext,
): { files: readonly ConfigFile[]; owned: readonly OwnedFile[] } {
  const home = homePath(context);
  const owns = ownerOf(edition);
  const [editor, ...others] = edition.products;
  const entry: TreeOperation = {
    kind: 'entry',
    path: ['mcpServers', 'openviking'],
    value: serverCommand(context),
    userKeys: [{ key: 'env' }, { key: 'disabled' }],
  };
  const servers = (path: string, more: Pick<JsonFile, 'create' | 'operations' | 'withdrawn'>): JsonFile => ({
    format: 'json',
    path,
    // No rule is known by which the client drops the file or a part of it.
    check: () => [],
    switches: SWITCHES,
    owns,
    ...more,
  });
  return {
    files: [
      {
        format: 'json',
        path: home(edition.folder, 'hooks.json'),
        create: 'always',
        operations: hookOperations(context),
        check: hookFileRules(edition),
        unmatched: ['SessionStart', 'UserPromptSubmit', 'Stop'],
        owns,
      },
      {
        format: 'json',
        path: home(edition.folder, 'sandbox.json'),
        create: 'always',
        // Without it a hook in the sandbox ends with status 0 and has written nothing.
        operations: [{ kind: 'item', path: ['filesystem', 'readWrite'], value: home('.openviking') }],
        check: () => [],
        owns: (value) => (value === home('.openviking') ? 'current' : undefined),
      },
      servers(mcpFile(context, editor), { create: 'always', operations: [entry] }),
      ...others.map((product) => servers(mcpFile(context, product), { create: 'if-present', operations: [entry] })),
      // Never read by the client; older installers wrote it.
      servers(home(edition.folder, 'mcp.json'), { create: 'if-present', operations: [], withdrawn: [entry] }),
    ],
    owned: [
      {
        kind: 'skill',
        from: 'skills/openviking-memory/SKILL.md',
        to: home(edition.folder, 'skills', 'openviking-memory', 'SKILL.md'),
      },
    ],
  };
}

function homePath({ home, platform }: WiringContext): (...parts: readonly string[]) => string {
  const separator = platform === 'win32' ? '\\' : '/';
  return (...parts) => [home.replace(/[\\/]+$/, ''), ...parts].join(separator);
}

/**
 * The MCP file of a product lies among the system's application data, and not beside the hooks.
 * Source: https://github.com/vectorize-io/hindsight/pull/4535.
 */
function mcpFile(context: WiringContext, product: string): string {
  const { platform, env } = context;
  const home = homePath(context);
  const given = (name: string): string | undefined => env[name]?.trim().replace(/[\\/]+$/, '') || undefined;
  switch (platform) {
    case 'darwin':
      return home('Library', 'Application Support', product, 'User', 'mcp.json');
    case 'win32':
      return [given('APPDATA') ?? home('AppData', 'Roaming'), product, 'User', 'mcp.json'].join('\\');
    default:
      return [given('XDG_CONFIG_HOME') ?? home('.config'), product, 'User', 'mcp.json'].join('/');
  }
}

function hookOperations(context: WiringContext): readonly TreeOperation[] {
  return [
    // The client knows no other form of the file.
    { kind: 'scalar', path: ['version'], value: 1 },
    ...EVENTS.map((binding): TreeOperation => ({
      kind: 'handler',
      path: ['hooks', binding.nativeName],
      ...(binding.matcher === undefined ? {} : { matcher: binding.matcher }),
      handler: handlerOf(binding, context),
      userKeys: [{ key: 'timeout', isTimeLimit: true }],
    })),
  ];
}

function handlerOf({ entry, timeout }: EventBinding, context: WiringContext): JsonObject {
  const seconds = timeout.unit === 'seconds' ? timeout.value : timeout.value / 1000;
  return { type: 'command', command: hookCommand(context, entry), timeout: seconds };
}

/**
 * A stdio server is started without a shell. The client documents `command`, `args` and `env`, and that a command with a
 * blank in it is not understood (docs.trae.ai/ide/add-mcp-servers), so such a path is left to a shell as an argument.
 */
function serverCommand({ launcher, platform }: WiringContext): JsonObject {
  if (platform === 'win32') return windowsServerCommand(launcher);
  return /\s/.test(launcher)
    ? { command: '/bin/sh', args: [launcher, 'mcp-proxy'] }
    : { command: launcher, args: ['mcp-proxy'] };
}

/** Characters for which `cmd /c` takes the quotes of a path away, or that end a path for which Node writes none. */
const CMD_TAKES_APART = /[&()@^%;,=]/;

/**
 * A `.cmd` file needs cmd.exe. No quoting brings every path through both Node's rules and those of cmd: one with such
 * characters travels as working directory, in a key that the client does not document, and no other does.
 */
function windowsServerCommand(launcher: string): JsonObject {
  if (!CMD_TAKES_APART.test(launcher)) return { command: 'cmd.exe', args: ['/d', '/c', launcher, 'mcp-proxy'] };
  const cut = launcher.lastIndexOf('\\');
  const [folder, file] = [launcher.slice(0, cut), launcher.slice(cut + 1)];
  return { command: 'cmd.exe', args: ['/d', '/c', `.\\${file}`, 'mcp-proxy'], cwd: folder };
}

/**
 * Recognises ours by the launcher in our folder: the client gives handlers no key for a mark. The shell installer's lines
 * name a script in the same folder instead, or carry its variable, and its proxy is a file in `servers/`.
 */
function ownerOf({ id }: Edition): ConfigFile['owns'] {
  const folder = `/agent-integrations/${id}`;
  const script = new RegExp(String.raw`${folder}/(scripts|servers)/[^/]*\.mjs`);
  const launcher = new RegExp(String.raw`/\.openviking${folder}(/launch(\.cmd)?(?![\w.-])|$)`);
  return (value: JsonValue, name?: string) => {
    if (!isObject(value)) return undefined;
    const args = Array.isArray(value['args']) ? (value['args'] as readonly JsonValue[]) : [];
    const words = [value['command'], ...args, value['cwd']].filter((word) => typeof word === 'string');
    const line = readableCommand(words.join(' '));
    if (script.test(line) || line.includes("OPENVIKING_INTEGRATION_ID='openviking-memory'")) return 'earlier';
    if (launcher.test(line)) return 'current';
    return name === 'ov-mcp-server' && isOldServerUrl(value['url']) ? 'earlier' : undefined;
  };
}

/** An `ov-mcp-server` with any other URL is somebody else's. */
function isOldServerUrl(url: JsonValue | undefined): boolean {
  if (typeof url !== 'string') return false;
  return (
    /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):1933\/mcp$/.test(url) || /^https:\/\/[^/]+\/openviking\/mcp$/.test(url)
  );
}
