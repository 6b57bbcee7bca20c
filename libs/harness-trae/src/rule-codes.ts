/** What each rule of the client is called and means: the documentation of doctor is made from it, and no rule may be missing. */
import type { RuleHelp } from '../vendor/memory-core/hot.ts';
import type { Edition } from './edition.ts';

const CORRECT = {
  en: 'Correct or remove what stands in the line that is named.',
  zh: '请更正或删除所指行的内容。',
};

function passedOver(en: string, zh: string): RuleHelp {
  return { cause: { en, zh }, cure: CORRECT };
}

/** By the part of the code behind the edition's id. */
const RULES = {
  version: {
    cause: {
      en: '`version` is not the number 1; the client knows no other form of the file.',
      zh: '`version` 不是数字 1；客户端不认识其他格式。',
    },
    cure: { en: 'Write `"version": 1`.', zh: '请写 `"version": 1`。' },
  },
  'hooks-not-object': passedOver(
    '`hooks` is no object: the client runs no hook.',
    '`hooks` 不是对象：客户端不会运行任何钩子。',
  ),
  'unknown-event': passedOver(
    'An event has a name that the client does not know: what stands there never runs.',
    '事件名称不为客户端所知：其下的钩子永远不会运行。',
  ),
  'bad-value': passedOver(
    'What stands under an event is no list: the client passes over it.',
    '事件下的内容不是列表：客户端会忽略它。',
  ),
  'bad-group': passedOver(
    'A group has no list `hooks`: the client passes over it.',
    '分组缺少 `hooks` 列表：客户端会忽略它。',
  ),
  'handler-type': passedOver(
    'A handler is not of type `command`: the client runs no other kind.',
    '处理程序的类型不是 `command`：客户端不运行其他类型。',
  ),
  'handler-command': passedOver('A handler has no command line.', '处理程序缺少命令行。'),
  'handler-timeout': passedOver('A time limit is no number of seconds above 0.', '时限不是大于 0 的秒数。'),
} as const satisfies Readonly<Record<string, RuleHelp>>;

export type TraeRule = keyof typeof RULES;

/** The same by their codes in one edition. */
export function rulesOf({ id }: Pick<Edition, 'id'>): Readonly<Record<string, RuleHelp>> {
  return Object.fromEntries(Object.entries(RULES).map(([what, help]) => [`${id}/${what}`, help]));
}
