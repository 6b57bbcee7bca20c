/** What is said in a run: texts that a careless cut, a wrong encoding or a comparison by content would spoil. */
import type { Step } from './player.ts';
import type { Random } from './random.ts';

const ODDITIES = [
  'plain words about the release',
  'größer, naïve, café (e\u0301), Ⅷ',
  '请记住这个项目的约定,提交信息用中文',
  'family 👩‍👩‍👧‍👦, flag 🇩🇪, unicorn 🦄',
  'عربي مع english وأرقام 123',
  'a path C:\\temp\\new and a "quoted" word',
  'line one\nline two\n\n\tindented line three',
  '𝕬𝖘𝖙𝖗𝖆𝖑 planes 𠜎𠜱 and a zero\u200bwidth space',
  '```ts\nconst answer = 42;\n```',
] as const;

/** A text that no other turn has, now and then a long one. */
export function speech(random: Random, who: string, place: string): string {
  const text = `${who} ${place}: ${random.pick(ODDITIES)}.`;
  if (random.chance(0.95)) return text;
  return `${text}\n${Array.from({ length: random.whole(100, 600) }, (_, line) => `${line} ${random.pick(ODDITIES)}`).join('\n')}`;
}

/** Steps with tool calls that come before an answer. */
export function toolSteps(random: Random, place: string): Step[] {
  if (!random.chance(0.4)) return [];
  return Array.from({ length: random.whole(1, 3) }, (_, index) => ({
    say: random.chance(0.5) ? `Step ${place}.${index} looks at it.` : '',
    tool: random.pick(['Bash', 'Edit', 'Grep'] as const),
    input: { command: `echo ${place}.${index}`, nested: { 'ключ "1"': [index, null, random.pick(ODDITIES)] } },
    output: `${place}.${index} → ${random.pick(ODDITIES)}`,
  }));
}
