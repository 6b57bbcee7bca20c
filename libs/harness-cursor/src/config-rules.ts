/**
 * What Cursor refuses in `hooks.json` and `mcp.json`. It says nothing when it drops a file or an entry, and cursor-agent
 * drops more than the editor does: every edit is checked against these rules, and what a user or another tool has put
 * there is named with its place. Sources: cursor.com/docs/hooks; for cursor-agent, measured with 2026.09.10
 * (github.com/receptron/mulmoterminal, issue 2064).
 */
import { isFilledString, isPositive, member, members } from '../vendor/memory-core/hot.ts';
import type { ConfigDocument, ConfigNode, Localized, RuleViolation } from '../vendor/memory-core/hot.ts';
import type { CursorRule } from './rule-codes.ts';

/** The events of the client's documentation. */
export const CURSOR_EVENTS: ReadonlySet<string> = new Set([
  'sessionStart',
  'sessionEnd',
  'beforeSubmitPrompt',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'subagentStart',
  'subagentStop',
  'beforeShellExecution',
  'afterShellExecution',
  'beforeMCPExecution',
  'afterMCPExecution',
  'beforeReadFile',
  'afterFileEdit',
  'beforeTabFileRead',
  'afterTabFileEdit',
  'afterAgentResponse',
  'afterAgentThought',
  'preCompact',
  'stop',
  'workspaceOpen',
]);

const FILE: Localized = { en: 'Cursor then ignores the whole file', zh: 'Cursor 会因此忽略整个文件' };
const FILE_IN_AGENT: Localized = {
  en: 'cursor-agent then ignores the whole file, the editor only this event',
  zh: 'cursor-agent 会因此忽略整个文件，编辑器则只忽略该事件',
};
const ENTRY: Localized = { en: 'Cursor then does not run this hook', zh: 'Cursor 因此不会运行该钩子' };
const SERVER: Localized = { en: 'Cursor then does not start this server', zh: 'Cursor 因此不会启动该服务器' };

/** Everything in `hooks.json` that makes the client drop it or a part of it, in the order of the text. Pure. */
export function checkHooksFile({ root }: ConfigDocument): readonly RuleViolation[] {
  if (root === undefined) return [];
  const found = new Findings();
  if (root.type !== 'object') {
    found.add('cursor/not-object', root, '', mustBe('the file', '文件', 'an object', '对象'), FILE);
    return found.inOrder();
  }
  const version = member(root, 'version');
  if (version?.value !== 1) {
    found.add(
      'cursor/version',
      version ?? root,
      'version',
      mustBe('version', 'version', 'the number 1', '数字 1'),
      FILE,
    );
  }
  const hooks = member(root, 'hooks');
  if (hooks !== undefined && hooks.type !== 'object') {
    found.add('cursor/bad-value', hooks, 'hooks', mustBe('hooks', 'hooks', 'an object', '对象'), FILE);
  }
  for (const [name, list, at] of hooks === undefined ? [] : members(hooks)) {
    const where = `hooks.${name}`;
    if (!CURSOR_EVENTS.has(name)) {
      const what = { en: `"${name}" is not an event of this client`, zh: `“${name}” 不是该客户端支持的事件` };
      found.add('cursor/unknown-event', at, where, what, FILE_IN_AGENT);
    }
    if (list.type !== 'array')
      found.add('cursor/bad-value', list, where, mustBe(where, where, 'a list', '列表'), FILE_IN_AGENT);
    else list.children?.forEach((entry, index) => checkHook(entry, `${where}[${index}]`, found));
  }
  return found.inOrder();
}

function checkHook(hook: ConfigNode, where: string, found: Findings): void {
  if (hook.type !== 'object')
    return found.add('cursor/bad-value', hook, where, mustBe(where, where, 'an object', '对象'), ENTRY);
  if (member(hook, 'hooks') !== undefined) {
    const what = {
      en: `${where} is a group as Claude Code has them; here each hook stands in the list itself`,
      zh: `${where} 是 Claude Code 的分组写法；此处每个钩子应直接放在列表中`,
    };
    return found.add('cursor/nested-group', hook, where, what, ENTRY);
  }
  const type = member(hook, 'type');
  if (type !== undefined && type.value !== 'command' && type.value !== 'prompt') {
    const what = mustBe(`${where}.type`, `${where}.type`, '"command" or "prompt"', '"command" 或 "prompt"');
    found.add('cursor/bad-value', type, `${where}.type`, what, ENTRY);
  }
  const key = type?.value === 'prompt' ? 'prompt' : 'command';
  const command = member(hook, key);
  if (!isFilledString(command)) {
    const place = `${where}.${key}`;
    found.add('cursor/bad-value', command ?? hook, place, mustBe(place, place, 'a text', '非空文本'), ENTRY);
  }
  for (const [name, isGood, what] of KEYS) {
    const value = member(hook, name);
    const place = `${where}.${name}`;
    if (value !== undefined && !isGood(value)) {
      found.add('cursor/bad-value', value, place, mustBe(place, place, what.en, what.zh), ENTRY);
    }
  }
}

const KEYS: readonly (readonly [string, (node: ConfigNode) => boolean, Localized])[] = [
  ['timeout', isPositive, { en: 'a number of seconds above 0', zh: '大于 0 的秒数' }],
  ['matcher', ({ type }) => type === 'string', { en: 'a text', zh: '文本' }],
  ['failClosed', ({ type }) => type === 'boolean', { en: 'true or false', zh: 'true 或 false' }],
  [
    'loop_limit',
    (node) => node.type === 'null' || node.type === 'number',
    { en: 'a number or null', zh: '数字或 null' },
  ],
];

/** The same for `mcp.json`. */
export function checkServersFile({ root }: ConfigDocument): readonly RuleViolation[] {
  if (root === undefined) return [];
  const found = new Findings();
  if (root.type !== 'object') {
    found.add('cursor/not-object', root, '', mustBe('the file', '文件', 'an object', '对象'), FILE);
    return found.inOrder();
  }
  const servers = member(root, 'mcpServers');
  if (servers !== undefined && servers.type !== 'object') {
    found.add('cursor/bad-value', servers, 'mcpServers', mustBe('mcpServers', 'mcpServers', 'an object', '对象'), FILE);
  }
  for (const [name, server] of servers === undefined ? [] : members(servers)) {
    const where = `mcpServers.${name}`;
    if (!['command', 'url'].some((key) => isFilledString(member(server, key)))) {
      const what = { en: `${where} has neither a command nor a url`, zh: `${where} 既没有 command 也没有 url` };
      found.add('cursor/bad-server', server, where, what, SERVER);
    }
  }
  return found.inOrder();
}

class Findings {
  readonly #list: RuleViolation[] = [];

  add(code: CursorRule, node: ConfigNode, where: string, what: Localized, effect: Localized): void {
    this.#list.push({
      code,
      offset: node.offset,
      where,
      message: { en: `${what.en}; ${effect.en}`, zh: `${what.zh};${effect.zh}` },
      fix:
        where === ''
          ? { en: 'Correct the file.', zh: '请更正该文件。' }
          : { en: `Correct or remove ${where}.`, zh: `请更正或删除 ${where}。` },
    });
  }

  inOrder(): readonly RuleViolation[] {
    return this.#list.sort((one, other) => one.offset - other.offset);
  }
}

function mustBe(en: string, zh: string, whatEn: string, whatZh: string): Localized {
  return { en: `${en} must be ${whatEn}`, zh: `${zh} 必须是${whatZh}` };
}
