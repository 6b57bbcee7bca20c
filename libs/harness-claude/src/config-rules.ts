/**
 * What Claude Code ignores of its own settings file. It says so in one line at its start, which a hook that never runs does
 * not explain to anybody; every edit is checked against these rules, and what was there before is named with its place.
 * Source: runs of client 2.1.332, rule by rule. Builds of old dropped the whole file for an entry without its list of hooks.
 */
import { member, members } from '../vendor/memory-core/hot.ts';
import type { ConfigDocument, ConfigNode, Localized, RuleViolation } from '../vendor/memory-core/hot.ts';
import type { ClaudeRule } from './rule-codes.ts';

const ODDITIES = {
  comment: { en: 'a comment', zh: '注释' },
  'trailing-comma': { en: 'a comma before a closing bracket', zh: '右括号前多余的逗号' },
} as const satisfies Readonly<Partial<Record<ConfigDocument['oddities'][number]['kind'], Localized>>>;

const HANDLER_TYPES = new Set<unknown>(['command', 'prompt', 'agent', 'http', 'mcp_tool']);

/** A violation whose code is in the list of those that are documented. */
type Found = RuleViolation & { readonly code: ClaudeRule };
type Report = (code: ClaudeRule, node: ConfigNode, where: string, message: Localized, fix?: Localized) => void;

/** Everything in the settings file that the client leaves out, in the order of the text. Pure. */
export function checkSettings(document: ConfigDocument): readonly RuleViolation[] {
  const found: Found[] = oddities(document);
  const report: Report = (code, node, where, message, fix) => {
    const remedy = fix ?? { en: `Correct or remove ${where}.`, zh: `请更正或删除 ${where}。` };
    found.push({ code, offset: node.offset, where, message, fix: remedy });
  };
  const { root } = document;
  if (root !== undefined) {
    checkSwitch(root, report);
    checkHooks(root, report);
  }
  return found.sort((one, other) => one.offset - other.offset);
}

/** The same for the file of the client's state, of which only the servers are ours to know. */
export function checkState(document: ConfigDocument): readonly Found[] {
  const servers = document.root === undefined ? undefined : member(document.root, 'mcpServers');
  if (servers === undefined || servers.type === 'object') return oddities(document);
  return [
    ...oddities(document),
    {
      code: 'claude/servers-not-object',
      offset: servers.offset,
      where: 'mcpServers',
      message: {
        en: 'mcpServers is no object, so Claude Code knows none of its servers',
        zh: 'mcpServers 不是对象，Claude Code 因此不会识别其中的服务器',
      },
      fix: { en: 'Turn it into an object: name → server.', zh: '请改为对象形式：名称 → 服务器。' },
    },
  ];
}

function oddities({ oddities: list }: ConfigDocument): Found[] {
  return list.flatMap(({ kind, offset }) => {
    if (kind !== 'comment' && kind !== 'trailing-comma') return [];
    const what = ODDITIES[kind];
    return [
      {
        code: `claude/${kind}`,
        offset,
        where: '',
        message: {
          en: `the file has ${what.en}, and Claude Code reads plain JSON only: nothing in it is in effect`,
          zh: `文件中有${what.zh}，而 Claude Code 只读取标准 JSON：整个文件都不生效`,
        },
        fix: { en: `Remove it.`, zh: `请将其删除。` },
      },
    ];
  });
}

function checkSwitch(root: ConfigNode, report: Report): void {
  const off = member(root, 'disableAllHooks');
  if (off?.value !== true) return;
  report(
    'claude/hooks-disabled',
    off,
    'disableAllHooks',
    {
      en: 'disableAllHooks is true: Claude Code runs no hook',
      zh: 'disableAllHooks 为 true：Claude Code 不会运行任何钩子',
    },
    { en: 'Set it to false, or remove it.', zh: '请改为 false，或将其删除。' },
  );
}

function checkHooks(root: ConfigNode, report: Report): void {
  const hooks = member(root, 'hooks');
  if (hooks === undefined) return;
  if (hooks.type !== 'object') {
    return report('claude/hooks-not-object', hooks, 'hooks', skipped('hooks', 'no object', '不是对象'));
  }
  for (const [event, groups] of members(hooks)) {
    const where = `hooks.${event}`;
    if (groups.type !== 'array') report('claude/event-not-list', groups, where, skipped(where, 'no list', '不是列表'));
    else groups.children?.forEach((group, index) => checkGroup(group, `${where}[${index}]`, report));
  }
}

function checkGroup(group: ConfigNode, where: string, report: Report): void {
  const handlers = member(group, 'hooks');
  if (handlers?.type !== 'array') {
    return report(
      'claude/flat-handler',
      group,
      where,
      skipped(where, 'without a list named hooks', '缺少名为 hooks 的列表'),
    );
  }
  const matcher = member(group, 'matcher');
  if (matcher !== undefined && matcher.type !== 'string') {
    report(
      'claude/bad-matcher',
      matcher,
      `${where}.matcher`,
      skipped(where, 'one whose matcher is no text', '的 matcher 不是文本'),
    );
  }
  handlers.children?.forEach((handler, index) => checkHandler(handler, `${where}.hooks[${index}]`, report));
}

function checkHandler(handler: ConfigNode, where: string, report: Report): void {
  const type = member(handler, 'type')?.value;
  const command = member(handler, 'command');
  const timeout = member(handler, 'timeout');
  if (!HANDLER_TYPES.has(type)) {
    report('claude/handler-type', handler, where, skipped(where, 'of a type that it does not know', '的类型未知'));
  } else if (type === 'command' && typeof command?.value !== 'string') {
    report('claude/handler-command', handler, where, skipped(where, 'without a command', '缺少 command'));
  }
  if (timeout !== undefined && !(typeof timeout.value === 'number' && timeout.value > 0)) {
    report(
      'claude/handler-timeout',
      timeout,
      `${where}.timeout`,
      skipped(where, 'one with a timeout that is no number above 0', '的 timeout 不是大于 0 的数字'),
    );
  }
}

function skipped(where: string, en: string, zh: string): Localized {
  return { en: `${where} is ${en}; Claude Code skips it`, zh: `${where} ${zh}；Claude Code 会跳过它` };
}
