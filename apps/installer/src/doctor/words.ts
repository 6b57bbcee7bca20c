/** Times and numbers as people say them, in both languages. */
import type { Localized } from '@openviking/memory-core/full';

/** How long ago something was; `ms` below zero, from a clock that was set back, counts as now. */
export function duration(ms: number): Localized {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return { en: `${seconds} s`, zh: `${seconds} 秒` };
  if (minutes < 120) return { en: `${minutes} min`, zh: `${minutes} 分钟` };
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return { en: `${hours} h`, zh: `${hours} 小时` };
  const days = Math.floor(hours / 24);
  return { en: `${days} days`, zh: `${days} 天` };
}

/** `1 turn`, `2 turns`. */
export function counted(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}
