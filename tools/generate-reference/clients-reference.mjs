/**
 * The page about the clients, projected from their declarations: what each can do, what it cannot and why, what is written
 * where. A table kept by hand would promise what a declaration has long said to be absent.
 */

/** @typedef {import('../../libs/memory-core/src/contract/harness.ts').HarnessDeclaration} HarnessDeclaration */
/** @typedef {import('../../libs/memory-core/src/contract/harness.ts').WiringContext} WiringContext */
/** @typedef {'en' | 'zh'} Language */

const TEXTS = {
  en: {
    title: 'Clients',
    generated: 'Generated from the declarations in `libs/harness-*/src/harness.ts`; do not edit. ',
    other: 'Other language: [中文](clients.zh-CN.md).',
    intro:
      'What the integration does in each client. A dash means that the client has no way to do it; the reason stands in the section of the client. The conformance suite of `libs/memory-core/testing` demands what has a check mark, and names what it passes over; the memory tools have tests of their own in `e2e/`.',
    abilities: 'What works where',
    ability: 'Ability',
    events: 'When hooks run',
    eventColumns: ['Event of the client', 'What happens', 'Tools', 'Time limit'],
    all: 'all',
    files: 'What is written',
    fileColumns: ['Purpose', 'macOS', 'Linux', 'Windows'],
    same: 'same',
    hooks: 'hooks',
    server: 'MCP server',
    rule: 'sandbox rule',
    statusLine: 'settings',
    cleaned: 'entries of older installers, taken out',
    ifPresent: 'if it is there',
    plugin: (id) =>
      `Registered as the plugin \`${id}\` by the client’s own commands, where its build has plugins; otherwise:`,
    skill: 'skill',
    command: 'command',
    'rule-file': 'rule',
    particulars: 'Particulars',
    prefix: (prefix) => `Session ids on the server begin with \`${prefix}\`.`,
    commit: {
      'turn-end': 'Every turn is made into memory when it ends: the client does not tell the end of a conversation.',
      'session-end':
        'A conversation is made into memory when it ends, and in between by its length (`commitTokenThreshold`, `commitTurnThreshold`).',
    },
    context: (bytes) => `One added context has at most ${bytes.toLocaleString('en-US')} bytes.`,
    defaults: (list) => `Settings with defaults of their own: ${list}.`,
    yields: (name) => `Where ${name} runs these hooks, ${name}’s own integration keeps the conversation.`,
    after: 'After installing',
    absent: 'What it cannot do',
    absentColumns: ['Ability', 'Why'],
    source: 'source',
    documentation: 'Documentation',
    seconds: 's',
    kinds: {
      'session-start': 'opens a conversation: profile, memories, skills',
      prompt: 'notes the prompt, adds what memory knows about it',
      'tool-guard': 'turns file tools away from `viking://`',
      answer: 'keeps a part of the answer',
      'turn-end': 'stores the turn',
      'pre-compact': 'stores and commits before the summary',
      'session-end': 'stores the rest and commits',
    },
    subagent: 'for a subagent: ',
    abilityNames: {
      opening: 'Opening context at the start of a conversation',
      recall: 'Memories for each prompt',
      guard: 'Guard against `viking://` as a file',
      'guard-note': 'Note on a shell command that names a memory',
      capture: 'Capture of every turn',
      'tool-results': 'Tool calls with their results in memory',
      'continued-turn': 'The rest of a turn that another hook made go on',
      'missed-turn-end': 'Answer of a turn whose end no hook was told of',
      resume: 'What was archived, when a conversation goes on',
      fork: 'Copied conversations stored without the copy',
      'pre-compact': 'Commit before the client summarises',
      'overview-after-compact': 'What was archived, after a summary',
      'session-end': 'Commit at the end of a conversation',
      'subagent-events': 'Subagents in sessions of their own',
      'visible-notice': 'Trouble told to the user in the client',
      'print-mode-recall': 'Memories for each prompt in print mode',
      mcp: 'Memory tools for the model (MCP)',
    },
  },
  zh: {
    title: '客户端',
    generated: '由 `libs/harness-*/src/harness.ts` 中的声明生成，请勿手工修改。',
    other: '其他语言：[English](clients.md)。',
    intro:
      '集成在各客户端中的功能。短横表示客户端没有相应途径，原因见该客户端的小节。`libs/memory-core/testing` 中的一致性测试会检验打勾的项目，并列出跳过的项目；记忆工具在 `e2e/` 中另有测试。',
    abilities: '功能一览',
    ability: '功能',
    events: '钩子何时运行',
    eventColumns: ['客户端事件', '作用', '工具', '时限'],
    all: '全部',
    files: '写入的内容',
    fileColumns: ['用途', 'macOS', 'Linux', 'Windows'],
    same: '同左',
    hooks: '钩子',
    server: 'MCP 服务器',
    rule: '沙箱规则',
    statusLine: '设置',
    cleaned: '清除旧安装程序的条目',
    ifPresent: '仅当文件存在',
    plugin: (id) => `若客户端版本支持插件，则由客户端自身的命令注册为插件 \`${id}\`；否则：`,
    skill: '技能',
    command: '命令',
    'rule-file': '规则',
    particulars: '说明',
    prefix: (prefix) => `服务器上的会话 ID 以 \`${prefix}\` 开头。`,
    commit: {
      'turn-end': '每轮结束时即转为记忆：客户端不会告知会话结束。',
      'session-end': '会话结束时转为记忆，期间按长度提交（`commitTokenThreshold`、`commitTurnThreshold`）。',
    },
    context: (bytes) => `单次添加的上下文最多 ${bytes.toLocaleString('en-US')} 字节。`,
    defaults: (list) => `默认值与其他客户端不同的设置：${list}。`,
    yields: (name) => `当 ${name} 运行这些钩子时，由 ${name} 自身的集成保存会话。`,
    after: '安装之后',
    absent: '不支持的功能',
    absentColumns: ['功能', '原因'],
    source: '来源',
    documentation: '文档',
    seconds: '秒',
    kinds: {
      'session-start': '会话开始：注入用户资料、记忆与技能',
      prompt: '记录提示词，并添加相关记忆',
      'tool-guard': '阻止文件工具访问 `viking://`',
      answer: '保存部分回答',
      'turn-end': '保存本轮对话',
      'pre-compact': '在摘要之前保存并提交',
      'session-end': '保存剩余内容并提交',
    },
    subagent: '针对子代理：',
    abilityNames: {
      opening: '会话开始时的背景信息',
      recall: '每条提示词的相关记忆',
      guard: '防止把 `viking://` 当作文件',
      'guard-note': '对提及记忆地址的 shell 命令给出提示',
      capture: '保存每一轮对话',
      'tool-results': '记忆中包含工具调用及结果',
      'continued-turn': '被其他钩子继续的轮次的后续内容',
      'missed-turn-end': '未通知钩子而结束的轮次的回答',
      resume: '继续会话时带回已归档内容',
      fork: '复制的会话只保存新内容',
      'pre-compact': '客户端摘要之前提交',
      'overview-after-compact': '摘要之后带回已归档内容',
      'session-end': '会话结束时提交',
      'subagent-events': '子代理有各自的会话',
      'visible-notice': '在客户端中告知用户故障',
      'print-mode-recall': '打印模式下每条提示词的相关记忆',
      mcp: '供模型使用的记忆工具（MCP）',
    },
  },
};

/** Abilities that hang on an event of the client rather than on a declared lack. */
const BY_EVENT = { opening: 'session-start', recall: 'prompt', guard: 'tool-guard', capture: 'turn-end' };

/** Of a mode that most clients do not have: only the sections speak of it. */
const OF_FEW = new Set(['print-mode-recall']);

/**
 * The page in one language.
 *
 * @param {Language} language
 * @param {readonly HarnessDeclaration[]} clients
 */
export function clientsReference(language, clients) {
  const text = TEXTS[language];
  return [
    `# ${text.title}`,
    `${text.generated}${text.other}`,
    text.intro,
    `## ${text.abilities}`,
    table(
      [text.ability, ...clients.map(({ name }) => name)],
      Object.entries(text.abilityNames)
        .filter(([ability]) => !OF_FEW.has(ability))
        .map(([ability, name]) => [name, ...clients.map((client) => (can(client, ability) ? '✓' : '–'))]),
    ),
    ...clients.flatMap((client) => section(client, clients, language)),
  ].join('\n\n');
}

/**
 * @param {HarnessDeclaration} client
 * @param {string} ability
 */
function can({ events, absent, ...client }, ability) {
  if (ability === 'mcp') return filesOf(client, 'linux').some(({ purposes }) => purposes.includes('server'));
  const kind = BY_EVENT[ability];
  return kind === undefined
    ? !absent.some(({ capability }) => capability === ability)
    : events.some((event) => event.kind === kind);
}

/**
 * @param {HarnessDeclaration} client
 * @param {readonly HarnessDeclaration[]} clients
 * @param {Language} language
 */
function section(client, clients, language) {
  const text = TEXTS[language];
  const defaults = Object.entries(client.settingDefaults ?? {}).map(([name, value]) => `\`${name}\` ${String(value)}`);
  const registration = wiringOf(client, 'linux', { pluginCommands: [client.id] }).registration;
  return [
    `## ${client.name}`,
    `\`--harness ${client.id}\``,
    `### ${text.events}`,
    table(
      text.eventColumns,
      client.events.map(({ kind, nativeName, matcher, timeout }) => [
        `\`${nativeName}\``,
        `${/^subagent/i.test(nativeName) ? text.subagent : ''}${text.kinds[kind]}`,
        matcher === undefined ? text.all : `\`${matcher.replaceAll('|', '\\|')}\``,
        `${timeout.unit === 'seconds' ? timeout.value : timeout.value / 1000} ${text.seconds}`,
      ]),
    ),
    `### ${text.files}`,
    ...(registration === undefined ? [] : [text.plugin(`${registration.plugin}@${registration.marketplace}`)]),
    table(text.fileColumns, placeRows(client, text)),
    `### ${text.particulars}`,
    [
      text.prefix(client.sessionPrefix),
      text.commit[client.commitAt],
      ...(client.contextMaxBytes === undefined ? [] : [text.context(client.contextMaxBytes)]),
      ...(defaults.length === 0 ? [] : [text.defaults(defaults.join(language === 'zh' ? '、' : ', '))]),
      ...(client.yieldsTo ?? []).map(({ harness }) =>
        text.yields(clients.find(({ id }) => id === harness)?.name ?? harness),
      ),
    ]
      .map((line) => `- ${line}`)
      .join('\n'),
    `### ${text.after}`,
    [client.restart, client.trust]
      .filter((line) => line !== undefined)
      .map((line) => `- ${line[language]}`)
      .join('\n'),
    ...(client.absent.length === 0
      ? []
      : [
          `### ${text.absent}`,
          table(
            text.absentColumns,
            client.absent.map(({ capability, reason, zh, source }) => [
              text.abilityNames[capability],
              `${language === 'zh' ? (zh ?? reason) : reason}${source === undefined ? '' : ` ([${text.source}](${source}))`}`,
            ]),
          ),
        ]),
    `### ${text.documentation}`,
    client.documentation.map(({ title, url }) => `- [${title}](${url})`).join('\n'),
  ];
}

/**
 * @param {HarnessDeclaration} client
 * @param {NodeJS.Platform} platform
 * @param {Partial<WiringContext>} [more]
 */
function wiringOf(client, platform, more = {}) {
  const windows = platform === 'win32';
  const home = windows ? '%USERPROFILE%' : '~';
  const launcher = [home, '.openviking', 'agent-integrations', client.id, windows ? 'launch.cmd' : 'launch'];
  return client.wiring({ home, platform, env: {}, launcher: launcher.join(windows ? '\\' : '/'), ...more });
}

/**
 * @param {HarnessDeclaration} client
 * @param {NodeJS.Platform} platform
 */
function filesOf(client, platform) {
  const { files, owned } = wiringOf(client, platform);
  return [
    ...files.map(({ path, create, operations, withdrawn = [] }) => ({
      path,
      purposes: purposesOf(operations, withdrawn),
      isOptional: create === 'if-present',
    })),
    ...owned
      .filter(({ kind }) => kind !== 'plugin')
      .map(({ kind, to }) => ({ path: to, purposes: [kind === 'rule' ? 'rule-file' : kind], isOptional: false })),
  ].filter(({ purposes }) => purposes.length > 0);
}

/** What a configuration file is edited for. */
function purposesOf(operations, withdrawn) {
  const has = (...kinds) => operations.some(({ kind }) => kinds.includes(kind));
  const purposes = [
    ...(has('handler', 'flat-handler') ? ['hooks'] : []),
    ...(has('item') ? ['rule'] : []),
    ...(operations.some(({ kind, path }) => kind === 'entry' && path.at(-1) === 'openviking') ? ['server'] : []),
  ];
  if (purposes.length > 0) return purposes;
  if (operations.length > 0) return ['statusLine'];
  return withdrawn.length > 0 ? ['cleaned'] : [];
}

function placeRows(client, text) {
  const [mac, linux, windows] = ['darwin', 'linux', 'win32'].map((platform) => filesOf(client, platform));
  return mac.map(({ path, purposes, isOptional }, index) => {
    const purpose = purposes.map((name) => text[name]).join(', ');
    const others = [linux[index]?.path ?? '–', windows[index]?.path ?? '–'];
    return [
      isOptional ? `${purpose} (${text.ifPresent})` : purpose,
      `\`${path}\``,
      ...others.map((other) => (plain(other) === plain(path) ? text.same : `\`${other}\``)),
    ];
  });
}

/** The same place on another system looks the same but for the home and the separators. */
function plain(path) {
  return path.replaceAll('\\', '/').replace('%USERPROFILE%', '~');
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
