/**
 * What ZCode refuses in `~/.zcode/cli/config.json`. The client says nothing when it drops the file: hooks, MCP servers and
 * plugins are gone together, so every edit is checked against these rules, and what a user or another tool has put there is
 * named with its place. Source: the configuration schema of the public 0.16.9 runtime, executed rule by rule.
 */
import { isFilledString, isPositive, member, members } from '../vendor/memory-core/hot.ts';
import type { ConfigDocument, ConfigNode, Localized, RuleViolation } from '../vendor/memory-core/hot.ts';
import type { ZcodeRule } from './rule-codes.ts';

/** The seven events of the client; one unknown name, even with an empty list, drops the file. */
export const ZCODE_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
] as const;

const HOOKS_KEYS = new Set(['enabled', 'timeoutMs', 'maxOutputBytes', 'events']);
const GROUP_KEYS = new Set(['matcher', 'hooks']);
const HANDLER_TYPES = new Set(['command', 'process']);

/** Values of known keys that were seen to drop the file. Not complete: the client's other enumerations are not public. */
const REFUSED_VALUES: readonly { readonly path: readonly [string, string]; readonly value: string }[] = [
  { path: ['ui', 'locale'], value: 'fr' },
  { path: ['logging', 'level'], value: 'trace' },
];

const ODDITIES: Readonly<Record<ConfigDocument['oddities'][number]['kind'], { what: Localized; fix: Localized }>> = {
  'byte-order-mark': {
    what: { en: 'a byte order mark at the start', zh: '文件开头有字节顺序标记（BOM）' },
    fix: { en: 'Save the file as UTF-8 without BOM.', zh: '请将文件另存为不带 BOM 的 UTF-8。' },
  },
  comment: {
    what: { en: 'a comment', zh: '有注释' },
    fix: { en: 'Remove the comment: the client reads plain JSON.', zh: '请删除注释：客户端只读取标准 JSON。' },
  },
  'trailing-comma': {
    what: { en: 'a comma before a closing bracket', zh: '右括号前有多余的逗号' },
    fix: { en: 'Remove the comma: the client reads plain JSON.', zh: '请删除该逗号：客户端只读取标准 JSON。' },
  },
  empty: {
    what: { en: 'an empty file', zh: '文件为空' },
    fix: { en: 'Write {} into it, or delete it.', zh: '请写入 {}，或删除该文件。' },
  },
};

/** Everything in the file that makes the client drop it or a part of it, in the order of the text. Pure. */
export function checkZcodeConfig(document: ConfigDocument): readonly RuleViolation[] {
  const found: Found[] = document.oddities.map(({ kind, offset }) => ({
    code: `zcode/${kind}`,
    offset,
    where: '',
    message: wholeFile(ODDITIES[kind].what),
    fix: ODDITIES[kind].fix,
  }));
  const { root } = document;
  if (root !== undefined) {
    checkHooks(root, found);
    checkServers(root, found);
    checkKnownValues(root, found);
  }
  return found.sort((one, other) => one.offset - other.offset);
}

function checkHooks(root: ConfigNode, found: Found[]): void {
  const hooks = member(root, 'hooks');
  if (hooks === undefined) return;
  const report = reporter(found);
  if (hooks.type !== 'object') return report('zcode/hooks-not-object', hooks, 'hooks', mustBeObject('hooks'));
  for (const [key, value, at] of members(hooks)) {
    const where = `hooks.${key}`;
    if (!HOOKS_KEYS.has(key)) report('zcode/unknown-key', at, where, unknownKey(where));
    else if (key === 'enabled' && value.type !== 'boolean') report('zcode/bad-value', value, where, badValue(where));
    else if ((key === 'timeoutMs' || key === 'maxOutputBytes') && !isPositive(value)) {
      report('zcode/bad-value', value, where, badValue(where));
    }
  }
  const events = member(hooks, 'events');
  if (events === undefined) return;
  if (events.type !== 'object') {
    return report('zcode/events-not-object', events, 'hooks.events', mustBeObject('hooks.events'));
  }
  for (const [name, groups, at] of members(events)) {
    const where = `hooks.events.${name}`;
    if (!(ZCODE_EVENTS as readonly string[]).includes(name)) {
      report('zcode/unknown-event', at, where, {
        en: `"${name}" is not an event of this client`,
        zh: `“${name}” 不是该客户端支持的事件`,
      });
    }
    if (groups.type !== 'array') report('zcode/bad-value', groups, where, mustBeList(where));
    else groups.children?.forEach((group, index) => checkGroup(group, `${where}[${index}]`, report));
  }
}

function checkGroup(group: ConfigNode, where: string, report: Report): void {
  if (group.type !== 'object') return report('zcode/bad-value', group, where, mustBeObject(where));
  for (const [key, value, at] of members(group)) {
    if (!GROUP_KEYS.has(key)) report('zcode/unknown-key', at, `${where}.${key}`, unknownKey(`${where}.${key}`));
    else if (key === 'matcher' && !isFilledString(value)) {
      report('zcode/empty-matcher', at, `${where}.matcher`, {
        en: `${where}.matcher is empty; to match everything the key must be left out`,
        zh: `${where}.matcher 为空；要匹配全部内容，必须省略该键`,
      });
    }
  }
  const handlers = member(group, 'hooks');
  if (handlers?.type !== 'array' || (handlers.children ?? []).length === 0) {
    return report('zcode/empty-group', handlers ?? group, `${where}.hooks`, {
      en: `${where}.hooks must be a list with at least one handler`,
      zh: `${where}.hooks 必须是至少包含一个处理程序的列表`,
    });
  }
  handlers.children?.forEach((handler, index) => checkHandler(handler, `${where}.hooks[${index}]`, report));
}

function checkHandler(handler: ConfigNode, where: string, report: Report): void {
  if (handler.type !== 'object') return report('zcode/bad-value', handler, where, mustBeObject(where));
  const type = member(handler, 'type');
  if (typeof type?.value !== 'string' || !HANDLER_TYPES.has(type.value)) {
    report('zcode/handler-type', type ?? handler, `${where}.type`, {
      en: `${where}.type must be "command" or "process"`,
      zh: `${where}.type 必须是 "command" 或 "process"`,
    });
  }
  const command = member(handler, 'command');
  if (!isFilledString(command)) {
    report('zcode/handler-command', command ?? handler, `${where}.command`, badValue(`${where}.command`));
  }
  for (const key of ['timeout', 'timeoutMs']) {
    const value = member(handler, key);
    if (value !== undefined && !isPositive(value)) {
      report('zcode/handler-timeout', value, `${where}.${key}`, {
        en: `${where}.${key} must be a number above 0`,
        zh: `${where}.${key} 必须是大于 0 的数字`,
      });
    }
  }
  const status = member(handler, 'statusMessage');
  if (status !== undefined && !isFilledString(status)) {
    report('zcode/bad-value', status, `${where}.statusMessage`, badValue(`${where}.statusMessage`));
  }
}

function checkServers(root: ConfigNode, found: Found[]): void {
  const mcp = member(root, 'mcp');
  const servers = mcp === undefined ? undefined : member(mcp, 'servers');
  if (servers?.type !== 'array') return;
  found.push({
    code: 'zcode/servers-list',
    offset: servers.offset,
    where: 'mcp.servers',
    message: {
      en: 'mcp.servers is a list; the client then drops every MCP server',
      zh: 'mcp.servers 是列表；客户端会因此丢弃所有 MCP 服务器',
    },
    fix: { en: 'Turn it into an object: name → server.', zh: '请改为对象形式：名称 → 服务器。' },
  });
}

function checkKnownValues(root: ConfigNode, found: Found[]): void {
  for (const { path, value } of REFUSED_VALUES) {
    const section = member(root, path[0]);
    const node = section === undefined ? undefined : member(section, path[1]);
    if (node?.value === value) reporter(found)('zcode/bad-value', node, path.join('.'), badValue(path.join('.')));
  }
}

/** A violation whose code is in the list of those that are documented. */
type Found = RuleViolation & { readonly code: ZcodeRule };
type Report = (code: ZcodeRule, node: ConfigNode, where: string, what: Localized) => void;

function reporter(found: Found[]): Report {
  return (code, node, where, what) => {
    found.push({
      code,
      offset: node.offset,
      where,
      message: wholeFile(what),
      fix: { en: `Correct or remove ${where}.`, zh: `请更正或删除 ${where}。` },
    });
  };
}

function wholeFile(what: Localized): Localized {
  return {
    en: `${what.en}; ZCode then ignores the whole file without a word`,
    zh: `${what.zh}；ZCode 会因此静默忽略整个文件`,
  };
}

function mustBeObject(where: string): Localized {
  return { en: `${where} must be an object`, zh: `${where} 必须是对象` };
}

function mustBeList(where: string): Localized {
  return { en: `${where} must be a list`, zh: `${where} 必须是列表` };
}

function unknownKey(where: string): Localized {
  return { en: `${where} is not a key that this client knows`, zh: `${where} 不是该客户端认识的键` };
}

function badValue(where: string): Localized {
  return { en: `${where} has a value that this client refuses`, zh: `${where} 的值不被该客户端接受` };
}
