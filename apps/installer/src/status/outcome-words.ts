/** How a hook ended, in words: what hooks note is meant for programs, and whoever reads `circuit-open` learns nothing. */
import type { Localized, PlainOutcome } from '@openviking/memory-core/full';

const WORDS: Readonly<Record<PlainOutcome, Localized>> = {
  ok: { en: 'ok', zh: '正常' },
  captured: { en: 'captured', zh: '已记录' },
  'nothing-new': { en: 'nothing new to capture', zh: '没有需要记录的新内容' },
  delivered: { en: 'delivered', zh: '已发送' },
  'left-for-later': { en: 'kept, sent later', zh: '已保存，稍后发送' },
  'spool-full': { en: 'not captured: the queue is full', zh: '未记录：队列已满' },
  'recalled-before': { en: 'gave what it had recalled for the same prompt', zh: '重复了同一提问此前的召回' },
  'circuit-open': {
    en: 'server not asked: it has just failed several times',
    zh: '未询问服务器：它刚刚连续失败',
  },
  unauthorized: { en: 'the server refuses the key', zh: '服务器拒绝了密钥' },
  deadline: { en: 'ran out of time', zh: '超时' },
  error: { en: 'failed: the log says why', zh: '失败：原因见日志' },
  'disk-full': { en: 'not captured: the disk is full', zh: '未记录：磁盘已满' },
  'not-noted': { en: 'the prompt could not be noted', zh: '无法记下提示' },
  'no-payload': { en: 'got nothing from the client', zh: '客户端没有传入内容' },
  'not-for-us': { en: 'nothing to do', zh: '无需处理' },
};

/** Beginnings of those that name something. */
const FAILED = 'failed-';
const LEFT = 'left-to-';

/** An outcome that a newer hook may have noted stays as it is written. */
export function outcomeWords(outcome: string): Localized {
  if (Object.hasOwn(WORDS, outcome)) return WORDS[outcome as PlainOutcome];
  if (outcome.startsWith(LEFT)) {
    const keeper = outcome.slice(LEFT.length);
    return { en: `left to the integration of ${keeper}`, zh: `交由 ${keeper} 的集成处理` };
  }
  if (!outcome.startsWith(FAILED)) return { en: outcome, zh: outcome };
  const code = outcome.slice(FAILED.length);
  return { en: `the server could not be asked (${code})`, zh: `无法询问服务器（${code}）` };
}
