/** What each rule of the client is called and means: the documentation of doctor is made from it, and no rule may be missing. */
import type { RuleHelp } from '../vendor/memory-core/hot.ts';

const CORRECT = {
  en: 'Correct or remove what stands in the line that is named.',
  zh: '请更正或删除所指行的内容。',
};

function skipped(en: string, zh: string, cure: RuleHelp['cure'] = CORRECT): RuleHelp {
  return { cause: { en, zh }, cure };
}

export const CLAUDE_RULES = {
  'claude/comment': skipped(
    'The file has a comment, and Claude Code reads plain JSON: nothing in the file is in effect.',
    '文件中有注释，而 Claude Code 只读取标准 JSON：整个文件都不生效。',
    { en: 'Remove the comment.', zh: '请删除注释。' },
  ),
  'claude/trailing-comma': skipped(
    'A comma stands before a closing bracket, and Claude Code reads plain JSON: nothing in the file is in effect.',
    '右括号前有多余的逗号，而 Claude Code 只读取标准 JSON：整个文件都不生效。',
    { en: 'Remove the comma.', zh: '请删除该逗号。' },
  ),
  'claude/hooks-disabled': skipped(
    '`disableAllHooks` is true: no hook runs, neither ours nor any other.',
    '`disableAllHooks` 为 true：不会运行任何钩子，包括我们的。',
    {
      en: 'Set it to false or remove it. It is never changed for you: it counts for all hooks.',
      zh: '请改为 false 或删除。它影响所有钩子，因此不会自动修改。',
    },
  ),
  'claude/hooks-not-object': skipped(
    '`hooks` is no object: Claude Code skips all of it.',
    '`hooks` 不是对象：Claude Code 会全部跳过。',
  ),
  'claude/event-not-list': skipped(
    'What stands under an event is no list: Claude Code skips it.',
    '事件下的内容不是列表：Claude Code 会跳过它。',
  ),
  'claude/flat-handler': skipped(
    'A handler stands in the list of an event without a group around it: Claude Code skips it, old builds skip the file.',
    '处理程序直接放在事件列表中而没有分组：Claude Code 会跳过它，旧版本会跳过整个文件。',
    {
      en: 'Put it into the `hooks` of a group: `{"hooks": [ … ]}`.',
      zh: '请放入分组的 `hooks` 中：`{"hooks": [ … ]}`。',
    },
  ),
  'claude/bad-matcher': skipped(
    'A `matcher` is no text: Claude Code skips its group.',
    '`matcher` 不是文本：Claude Code 会跳过该分组。',
  ),
  'claude/handler-type': skipped(
    'A handler is of a type that Claude Code does not know and skips.',
    '处理程序的类型未知，Claude Code 会跳过它。',
  ),
  'claude/handler-command': skipped(
    'A handler has no command: Claude Code skips it.',
    '处理程序缺少 command：Claude Code 会跳过它。',
  ),
  'claude/handler-timeout': skipped(
    'A time limit is no number above 0: Claude Code skips the handler.',
    '时限不是大于 0 的数字：Claude Code 会跳过该处理程序。',
  ),
  'claude/servers-not-object': skipped(
    '`mcpServers` is no object: Claude Code knows none of its servers.',
    '`mcpServers` 不是对象：Claude Code 不会识别其中的服务器。',
    { en: 'Turn it into an object: name → server.', zh: '请改为对象形式：名称 → 服务器。' },
  ),
} as const satisfies Readonly<Record<string, RuleHelp>>;

export type ClaudeRule = keyof typeof CLAUDE_RULES;
