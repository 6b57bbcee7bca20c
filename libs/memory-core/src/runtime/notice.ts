/**
 * Trouble that only the user can end, said once per conversation: memory that has silently stopped is noticed weeks later,
 * and a line at every prompt is read by nobody.
 */
import { inside } from '../fs/path.ts';
import type { Localized } from '../contract/harness.ts';
import { claim } from '../fs/claim.ts';
import { sessionStateFolder } from '../fs/home-paths.ts';
import type { HomePaths } from '../fs/home-paths.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { speaksChinese } from '../session/language.ts';
import { conversationOf } from '../session/session-id.ts';
import { installerCommand } from './installer-command.ts';

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

/**
 * The line, in the user's language, with the command that finds out more and says what to do; undefined when this
 * conversation has had it, be it in one of its subagents. `harness`: the client's id.
 */
export function noticeOf(
  trouble: Trouble,
  { paths, session }: { readonly paths: HomePaths; readonly session: string },
  harness: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const mark = inside(sessionStateFolder(paths, conversationOf(session)), `notice-${trouble}`);
  let isFirst = false;
  // Where nothing can be kept, nothing is said: it would be said every time.
  keepIfPossible(() => (isFirst = claim(mark, Number.POSITIVE_INFINITY)));
  if (!isFirst) return undefined;
  const text = TEXTS[trouble];
  const next = `${installerCommand(paths, harness)} status`;
  return speaksChinese(env) ? `OpenViking：${text.zh}。请运行 ${next}` : `OpenViking: ${text.en}. Run ${next}`;
}
