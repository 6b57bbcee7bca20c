/**
 * Trouble that only the user can end, said once per conversation: memory that has silently stopped is noticed weeks later,
 * and a line at every prompt is read by nobody.
 */
import { inside } from '../fs/path.ts';
import type { Localized } from '../contract/harness.ts';
import { claim } from '../fs/claim.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { speaksChinese } from '../session/language.ts';

export type Trouble = 'refused' | 'unreachable' | 'full';

const TEXTS: Readonly<Record<Trouble, Localized>> = {
  refused: {
    en: 'the server refuses the key: nothing is recalled, turns wait on this machine',
    zh: '服务器拒绝了密钥：暂停召回，对话保存在本机等待发送',
  },
  unreachable: {
    en: 'the server does not answer: nothing is recalled, turns wait on this machine',
    zh: '服务器无响应：暂停召回，对话保存在本机等待发送',
  },
  full: {
    en: 'too much waits to be sent: capture has stopped until there is room',
    zh: '待发内容已达上限：在腾出空间之前停止采集',
  },
};

/** What finds out more, and says what to do. */
const NEXT = 'npx @openviking/install status';

/** The line, in the user's language; undefined when this conversation has had it. `folder` is the conversation's state. */
export function noticeOf(
  trouble: Trouble,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  let isFirst = false;
  // Where nothing can be kept, nothing is said: it would be said every time.
  keepIfPossible(() => (isFirst = claim(inside(folder, `notice-${trouble}`), Number.POSITIVE_INFINITY)));
  if (!isFirst) return undefined;
  const text = TEXTS[trouble];
  return speaksChinese(env) ? `OpenViking：${text.zh}。请运行 ${NEXT}` : `OpenViking: ${text.en}. Run ${NEXT}`;
}
