/** What each rule of the client is called and means: the documentation of doctor is made from it, and no rule may be missing. */
import type { RuleHelp } from '../vendor/memory-core/hot.ts';

const CORRECT = {
  en: 'Correct or remove what stands in the line that is named.',
  zh: '请更正或删除所指行的内容。',
};

export const CURSOR_RULES = {
  'cursor/not-object': {
    cause: { en: 'The file holds no object: Cursor ignores it.', zh: '文件内容不是对象：Cursor 会忽略它。' },
    cure: { en: 'Put its content between { and }.', zh: '请把内容写在 { 与 } 之间。' },
  },
  'cursor/version': {
    cause: {
      en: '`version` is not the number 1: Cursor ignores the whole file.',
      zh: '`version` 不是数字 1：Cursor 会忽略整个文件。',
    },
    cure: { en: 'Write `"version": 1`.', zh: '请写 `"version": 1`。' },
  },
  'cursor/unknown-event': {
    cause: {
      en: 'An event has a name that Cursor does not know: cursor-agent ignores the whole file, the editor only this event.',
      zh: '事件名称不为 Cursor 所知：cursor-agent 会忽略整个文件，编辑器只忽略该事件。',
    },
    cure: CORRECT,
  },
  'cursor/nested-group': {
    cause: {
      en: 'A hook is written as a group, the way of Claude Code: Cursor does not run it.',
      zh: '钩子采用了 Claude Code 的分组写法：Cursor 不会运行它。',
    },
    cure: {
      en: 'Put each hook into the list of the event itself.',
      zh: '请把每个钩子直接放入事件的列表。',
    },
  },
  'cursor/bad-value': {
    cause: {
      en: 'A value is of a kind that Cursor refuses: it passes over this hook or, as the message says, over the file.',
      zh: '某个值的类型不被 Cursor 接受：它会忽略该钩子；若消息中说明，则忽略整个文件。',
    },
    cure: CORRECT,
  },
  'cursor/bad-server': {
    cause: {
      en: 'A server has neither a command nor a url: Cursor does not start it.',
      zh: '某个服务器既没有 command 也没有 url：Cursor 不会启动它。',
    },
    cure: CORRECT,
  },
} as const satisfies Readonly<Record<string, RuleHelp>>;

export type CursorRule = keyof typeof CURSOR_RULES;
