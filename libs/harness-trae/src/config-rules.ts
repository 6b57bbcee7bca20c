/**
 * What the client passes over in its hook file. It says nothing about it: a hook under a name from another client, or in
 * another client's shape, is never run. Source: the vendor's hook reference (version 1, six events, command handlers; both
 * `version` and `type` may be left out) and https://github.com/wxtsky/CodeIsland/issues/341 for the camelCase names that never
 * fire.
 */
import { member, members } from '../vendor/memory-core/hot.ts';
import type { ConfigDocument, ConfigNode, Localized, RuleViolation } from '../vendor/memory-core/hot.ts';
import type { Edition } from './edition.ts';
import type { TraeRule } from './rule-codes.ts';

/** The six events of the client. */
export const TRAE_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'Notification',
] as const;

/** The rules of `hooks.json` for one edition: in the order of the text. Pure. */
export function hookFileRules({ id }: Pick<Edition, 'id'>): (document: ConfigDocument) => readonly RuleViolation[] {
  return ({ root }) => {
    const found: RuleViolation[] = [];
    if (root !== undefined) {
      checkRoot(root, (what, node, where, message) => {
        found.push({
          code: `${id}/${what}`,
          offset: node.offset,
          where,
          message,
          fix: { en: `Correct or remove ${where}.`, zh: `请更正或删除 ${where}。` },
        });
      });
    }
    return found.sort((one, other) => one.offset - other.offset);
  };
}

type Report = (what: TraeRule, node: ConfigNode, where: string, message: Localized) => void;

function checkRoot(root: ConfigNode, report: Report): void {
  const hooks = member(root, 'hooks');
  if (hooks === undefined) return;
  const version = member(root, 'version');
  if (version !== undefined && version.value !== 1) {
    report('version', version, 'version', {
      en: 'version must be the number 1; the client knows no other form of this file',
      zh: 'version 必须为数字 1；客户端不认识此文件的其他格式',
    });
  }
  if (hooks.type !== 'object') {
    return report('hooks-not-object', hooks, 'hooks', {
      en: 'hooks must be an object; the client runs no hook otherwise',
      zh: 'hooks 必须是对象；否则客户端不会运行任何钩子',
    });
  }
  for (const [name, groups, at] of members(hooks)) {
    const where = `hooks.${name}`;
    if (!(TRAE_EVENTS as readonly string[]).includes(name)) {
      report('unknown-event', at, where, {
        en: `"${name}" is not an event of this client, which never runs what stands there`,
        zh: `“${name}” 不是该客户端的事件，其下的钩子永远不会运行`,
      });
    } else if (groups.type !== 'array') {
      report('bad-value', groups, where, {
        en: `${where} must be a list; the client passes over it`,
        zh: `${where} 必须是列表；客户端会忽略它`,
      });
    } else {
      groups.children?.forEach((group, index) => checkGroup(group, `${where}[${index}]`, report));
    }
  }
}

function checkGroup(group: ConfigNode, where: string, report: Report): void {
  const handlers = member(group, 'hooks');
  if (handlers?.type !== 'array') {
    return report('bad-group', group, where, {
      en: `${where} has no list "hooks"; the client passes over it`,
      zh: `${where} 缺少 “hooks” 列表；客户端会忽略它`,
    });
  }
  handlers.children?.forEach((handler, index) => checkHandler(handler, `${where}.hooks[${index}]`, report));
}

function checkHandler(handler: ConfigNode, where: string, report: Report): void {
  const type = member(handler, 'type');
  if (type !== undefined && type.value !== 'command') {
    report('handler-type', type, `${where}.type`, {
      en: `${where}.type must be "command"; the client runs no other kind`,
      zh: `${where}.type 必须是 "command"；客户端不运行其他类型`,
    });
  }
  const command = member(handler, 'command');
  if (typeof command?.value !== 'string' || command.value.trim() === '') {
    report('handler-command', command ?? handler, `${where}.command`, {
      en: `${where}.command must be a command line`,
      zh: `${where}.command 必须是命令行`,
    });
  }
  const timeout = member(handler, 'timeout');
  if (timeout !== undefined && !(typeof timeout.value === 'number' && timeout.value > 0)) {
    report('handler-timeout', timeout, `${where}.timeout`, {
      en: `${where}.timeout must be a number of seconds above 0`,
      zh: `${where}.timeout 必须是大于 0 的秒数`,
    });
  }
}
