/**
 * What each setting is for, in both languages, in one line. Read by doctor, installer and the generators; kept apart from
 * the declaration so that no hook carries texts that no model and no user sees there.
 */
import type { Localized } from '../contract/harness.ts';
import type { SettingName } from '../contract/settings.ts';

/** Sections of the reference, in order. */
export const GROUPS = {
  connection: { en: 'Connection', zh: '连接' },
  peer: { en: 'Workspace peer', zh: '工作区标识' },
  recall: { en: 'Recall', zh: '召回' },
  capture: { en: 'Capture', zh: '采集' },
  sessionStart: { en: 'Session start', zh: '会话开始' },
  queue: { en: 'Queue', zh: '待发队列' },
  debug: { en: 'Diagnosis', zh: '诊断' },
} as const satisfies Readonly<Record<string, Localized>>;

export type GroupName = keyof typeof GROUPS;

export interface SettingHelp extends Localized {
  readonly group: GroupName;
}

export const HELP: { readonly [Name in SettingName]: SettingHelp } = {
  enabled: {
    group: 'connection',
    en: 'Turns the whole integration on or off.',
    zh: '整个集成的总开关。',
  },
  timeoutMs: {
    group: 'connection',
    en: 'Longest wait for one answer of the server, in milliseconds; a hook’s own deadline is shorter.',
    zh: '等待服务器单次应答的最长时间（毫秒）；钩子自身的时限更短。',
  },
  authMode: {
    group: 'connection',
    en: 'Whether account and user are sent (`trusted`) or read from the key (`api_key`); empty decides by itself.',
    zh: '账号与用户是由客户端发送（`trusted`）还是由密钥推出（`api_key`）；留空则自动判断。',
  },
  extraHeaders: {
    group: 'connection',
    en: 'Further HTTP headers, for example for a gateway; in the environment as a JSON object.',
    zh: '附加的 HTTP 请求头，例如供网关使用；环境变量中写成 JSON 对象。',
  },
  caFile: {
    group: 'connection',
    en: 'PEM file of a certificate authority to trust in addition.',
    zh: '额外信任的证书颁发机构 PEM 文件。',
  },
  peerId: {
    group: 'peer',
    en: 'Fixed peer for memories; wins over every source.',
    zh: '固定的记忆标识，优先于任何来源。',
  },
  peerSource: {
    group: 'peer',
    en: 'How the peer is made: `git`, `cwd`, `none`, a template, or a list of templates tried in order.',
    zh: '标识的生成方式：`git`、`cwd`、`none`、一个模板，或依次尝试的模板列表。',
  },
  workspacePeer: {
    group: 'peer',
    en: 'Keeps memories per project; off means the same as `peerSource: "none"`.',
    zh: '按项目分别保存记忆；关闭等同于 `peerSource: "none"`。',
  },
  autoRecall: {
    group: 'recall',
    en: 'Looks for memories before each prompt.',
    zh: '每次提问前自动查找相关记忆。',
  },
  recallLimit: {
    group: 'recall',
    en: 'Most entries that one recall may return.',
    zh: '单次召回返回的最大条数。',
  },
  scoreThreshold: {
    group: 'recall',
    en: 'Least relevance, from 0 to 1, for an entry to be used.',
    zh: '条目被采用所需的最低相关度（0 到 1）。',
  },
  minQueryLength: {
    group: 'recall',
    en: 'Shorter prompts, in characters, start no recall.',
    zh: '短于此字符数的提问不触发召回。',
  },
  recallPeerScope: {
    group: 'recall',
    en: 'Whose memories are searched: those of `all` peers, or only of this project (`actor`).',
    zh: '检索范围：所有标识（`all`）或仅当前项目（`actor`）。',
  },
  recallDedupTurns: {
    group: 'recall',
    en: 'What was recalled within so many turns is not repeated; 0 repeats.',
    zh: '最近若干轮内已召回的内容不再重复；0 表示允许重复。',
  },
  recallMaxTokens: {
    group: 'recall',
    en: 'Token budget of the recalled block; unset leaves it to the server.',
    zh: '召回内容的 token 预算；未设置时由服务器决定。',
  },
  recallQueryExpansion: {
    group: 'recall',
    en: 'Whether the server widens the query with the conversation; unset leaves it to the server.',
    zh: '服务器是否结合对话扩展查询；未设置时由服务器决定。',
  },
  recallContextTimeoutMs: {
    group: 'recall',
    en: 'Longest wait for a recall in milliseconds; 0 derives it from the host’s limit.',
    zh: '等待召回的最长时间（毫秒）；0 表示按宿主时限推算。',
  },
  recallRewrite: {
    group: 'recall',
    en: 'Who condenses recalled text: nobody, the server, the server when it pays off (`auto`), or a local agent (`client`, not in effect yet: as `off`).',
    zh: '由谁压缩召回内容：不压缩、服务器、服务器按需（`auto`）或本地代理（`client`，尚未生效，等同 `off`）。',
  },
  recallCompressMaxBullets: {
    group: 'recall',
    en: 'Most points of a condensed recall; unset leaves it to the server.',
    zh: '压缩后的最大要点数；未设置时由服务器决定。',
  },
  recallExcludeUris: {
    group: 'recall',
    en: '`viking://` subtrees that recall never returns.',
    zh: '召回时始终排除的 `viking://` 子树。',
  },
  recallQueryFilters: {
    group: 'recall',
    en: 'Rules that change or drop a prompt before it is used as a query.',
    zh: '在提问用作查询之前对其改写或丢弃的规则。',
  },
  recallTokenBudget: {
    group: 'recall',
    en: 'Token budget when an old server makes the client rank by itself.',
    zh: '旧版服务器需由客户端排序时的 token 预算。',
  },
  recallMaxContentChars: {
    group: 'recall',
    en: 'Characters per entry in that case.',
    zh: '上述情形下每条内容的字符数。',
  },
  recallPreferAbstract: {
    group: 'recall',
    en: 'Prefers an entry’s abstract to its full text in that case.',
    zh: '上述情形下优先使用摘要而非全文。',
  },
  autoCapture: {
    group: 'capture',
    en: 'Stores each turn of a conversation.',
    zh: '自动保存每一轮对话。',
  },
  captureAssistantTurns: {
    group: 'capture',
    en: 'Stores the answers, too, not only what the user said.',
    zh: '除用户发言外也保存回答。',
  },
  captureToolResults: {
    group: 'capture',
    en: 'Stores tool calls with their results.',
    zh: '保存工具调用及其结果。',
  },
  captureMaxLength: {
    group: 'capture',
    en: 'Longest text of one message, in characters.',
    zh: '单条消息文本的最大字符数。',
  },
  captureToolMaxChars: {
    group: 'capture',
    en: 'Longest tool result, in characters.',
    zh: '工具结果的最大字符数。',
  },
  captureFilters: {
    group: 'capture',
    en: 'Rules that change or drop a text before it is stored.',
    zh: '在文本保存之前对其改写或丢弃的规则。',
  },
  redactSecrets: {
    group: 'capture',
    en: 'Replaces keys, tokens and passwords before anything is written or sent.',
    zh: '在写盘或发送之前替换密钥、令牌和口令。',
  },
  commitTokenThreshold: {
    group: 'capture',
    en: 'Pending tokens at which a conversation is turned into memories. A client whose conversations have no end commits at every turn end instead.',
    zh: '待处理 token 达到此数时将对话转为记忆。没有会话结束事件的客户端改为每轮结束时提交。',
  },
  commitKeepRecentCount: {
    group: 'capture',
    en: 'Newest messages that a commit leaves in the live conversation.',
    zh: '提交时保留在当前对话中的最新消息数。',
  },
  commitTurnThreshold: {
    group: 'capture',
    en: 'Turns after which a conversation is committed; 0 never does. A client whose conversations have no end commits at every turn end instead.',
    zh: '累计多少轮后提交对话；0 表示不按轮数提交。没有会话结束事件的客户端改为每轮结束时提交。',
  },
  commitIdleTimeoutSeconds: {
    group: 'capture',
    en: 'Idle time in seconds after which a conversation that nobody ended is committed, by the server or when the client starts again; 0 or `off` disables it.',
    zh: '未正常结束的会话空闲多少秒后提交，由服务器执行，或在客户端下次启动时执行；0 或 `off` 表示关闭。',
  },
  writePathAsync: {
    group: 'capture',
    en: 'Delivers in the background, so that the host does not wait.',
    zh: '在后台投递，宿主无需等待。',
  },
  noAutoInject: {
    group: 'sessionStart',
    en: 'Adds nothing to a conversation when it starts.',
    zh: '会话开始时不注入任何内容。',
  },
  profileTokenBudget: {
    group: 'sessionStart',
    en: 'Token budget of profile and memory listings.',
    zh: '用户画像与记忆清单的 token 预算。',
  },
  skillCatalog: {
    group: 'sessionStart',
    en: 'Lists the skills that the server keeps.',
    zh: '列出服务器保存的技能。',
  },
  skillCatalogTokenBudget: {
    group: 'sessionStart',
    en: 'Token budget of that list.',
    zh: '技能列表的 token 预算。',
  },
  sessionStartMaxBytes: {
    group: 'sessionStart',
    en: 'Upper limit of the opening context in bytes; 0 is none.',
    zh: '开场上下文的字节上限；0 表示不限。',
  },
  resumeArchiveInject: {
    group: 'sessionStart',
    en: 'Adds the latest archive’s overview when a conversation is resumed or compacted.',
    zh: '恢复或压缩会话时加入最近归档的概览。',
  },
  resumeArchiveTokenBudget: {
    group: 'sessionStart',
    en: 'Token budget of that overview.',
    zh: '该概览的 token 预算。',
  },
  skipSubagentSessions: {
    group: 'sessionStart',
    en: 'Leaves subagents without memory.',
    zh: '子代理会话不使用记忆。',
  },
  bypassSession: {
    group: 'sessionStart',
    en: 'Neither recalls nor captures in this process.',
    zh: '本进程内既不召回也不采集。',
  },
  bypassSessionPatterns: {
    group: 'sessionStart',
    en: 'The same for session ids and working directories that match (`*`, `**`).',
    zh: '对匹配的会话标识与工作目录同样生效（`*`、`**`）。',
  },
  spoolDir: {
    group: 'queue',
    en: 'Folder in which turns wait for delivery.',
    zh: '对话轮次等待投递时所在的目录。',
  },
  spoolMaxBytes: {
    group: 'queue',
    en: 'Size at which capture stops until there is room again; nothing is deleted.',
    zh: '达到此大小即停止采集，直到腾出空间；不会删除任何内容。',
  },
  spoolMaxAgeDays: {
    group: 'queue',
    en: 'Days after which waiting turns become dead letters (spool retry brings them back); 0 keeps them waiting.',
    zh: '等待轮次转为死信的天数（可用 spool retry 恢复）；0 表示一直等待。',
  },
  debug: {
    group: 'debug',
    en: 'Logs every hook and request: what came of it, time and sizes, never what was said.',
    zh: '记录每个钩子与请求的结果、耗时与大小，绝不记录内容。',
  },
  debugLogPath: {
    group: 'debug',
    en: 'File of the log; it and its predecessor take 1 MB each.',
    zh: '日志文件；当前与上一份各不超过 1 MB。',
  },
  logLevel: {
    group: 'debug',
    en: 'What is logged without `debug`: nothing, errors, or also a line for each hook and delivery.',
    zh: '未开启 `debug` 时的日志：不记录、仅错误，或另加每个钩子与每次发送一行。',
  },
};
