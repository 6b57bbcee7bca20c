/** What each rule of the client is called and means: the documentation of doctor is made from it, and no rule may be missing. */
import type { RuleHelp } from '../vendor/memory-core/hot.ts';

const WHOLE = { en: 'ZCode drops the whole file without a word.', zh: 'ZCode 会静默丢弃整个文件。' };
const CORRECT = {
  en: 'Correct or remove what stands in the line that is named.',
  zh: '请更正或删除所指行的内容。',
};

function dropped(en: string, zh: string, cure: RuleHelp['cure'] = CORRECT): RuleHelp {
  return { cause: { en: `${en} ${WHOLE.en}`, zh: `${zh}${WHOLE.zh}` }, cure };
}

export const ZCODE_RULES = {
  'zcode/byte-order-mark': dropped(
    'The file starts with a byte order mark, as some editors on Windows write it.',
    '文件以字节顺序标记（BOM）开头，Windows 上的某些编辑器会写入它。',
    { en: 'Save the file as UTF-8 without BOM.', zh: '请另存为不带 BOM 的 UTF-8。' },
  ),
  'zcode/comment': dropped('The file has a comment.', '文件中有注释。', {
    en: 'Remove the comment.',
    zh: '请删除注释。',
  }),
  'zcode/trailing-comma': dropped('A comma stands before a closing bracket.', '右括号前有多余的逗号。', {
    en: 'Remove the comma.',
    zh: '请删除该逗号。',
  }),
  'zcode/empty': dropped('The file is empty.', '文件为空。', {
    en: 'Write `{}` into it, or delete it.',
    zh: '请写入 `{}`，或删除该文件。',
  }),
  'zcode/hooks-not-object': dropped('`hooks` is no object.', '`hooks` 不是对象。'),
  'zcode/events-not-object': dropped('`hooks.events` is no object.', '`hooks.events` 不是对象。'),
  'zcode/unknown-event': dropped(
    'An event has a name that the client does not know, mostly one of another client.',
    '事件名称不为该客户端所知，多半来自其他客户端。',
  ),
  'zcode/unknown-key': dropped(
    'A key in `hooks` or in a group is none that the client knows.',
    '`hooks` 或分组中有客户端不认识的键。',
  ),
  'zcode/empty-matcher': dropped('A `matcher` is empty or no text.', '`matcher` 为空或不是文本。', {
    en: 'Leave the key out to match everything.',
    zh: '要匹配全部内容，请删去该键。',
  }),
  'zcode/empty-group': dropped(
    'A group has no list of handlers, or an empty one.',
    '分组没有处理程序列表，或列表为空。',
  ),
  'zcode/handler-type': dropped(
    'A handler is neither of type `command` nor `process`.',
    '处理程序的类型既不是 `command` 也不是 `process`。',
  ),
  'zcode/handler-command': dropped('A handler has no command.', '处理程序缺少 command。'),
  'zcode/handler-timeout': dropped(
    'A time limit of a handler is no number above 0.',
    '处理程序的时限不是大于 0 的数字。',
  ),
  'zcode/bad-value': dropped('A value is one that the client refuses.', '某个值不被客户端接受。'),
  'zcode/servers-list': {
    cause: {
      en: '`mcp.servers` is a list: the client drops every MCP server.',
      zh: '`mcp.servers` 是列表：客户端会丢弃所有 MCP 服务器。',
    },
    cure: { en: 'Turn it into an object: name → server.', zh: '请改为对象形式：名称 → 服务器。' },
  },
} as const satisfies Readonly<Record<string, RuleHelp>>;

export type ZcodeRule = keyof typeof ZCODE_RULES;
