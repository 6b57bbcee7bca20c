/**
 * Problems of loading in words: what is the case, and what to do. Read by doctor, `status` and the installer; values are
 * never repeated, because what stands in the wrong place may be a key.
 */
import type { Finding, Severity } from '../contract/finding.ts';
import type { Localized } from '../contract/harness.ts';
import { findJsonMistake } from './json-mistake.ts';
import type { Problem } from './problem.ts';
import { declarationOf, WORKSPACE_VERSION } from './schema.ts';
import type { Declaration, NumberSetting } from './schema.ts';

interface Words {
  readonly severity: Severity;
  message(problem: Problem): Localized;
  fix(problem: Problem): Localized;
}

const keyOf = ({ key }: Problem): string => (key === undefined ? 'This' : shownKey(key));
const correct = (problem: Problem): Localized => ({
  en: `Correct or remove ${keyOf(problem)}.`,
  zh: `请更正或删除 ${keyOf(problem)}。`,
});

const EXPLANATIONS = {
  'settings/broken-file': {
    severity: 'error',
    message: () => ({ en: 'Skipped: the file is not valid JSON.', zh: '已跳过：该文件不是有效的 JSON。' }),
    fix: () => ({ en: 'Correct the file.', zh: '请更正该文件。' }),
  },
  'settings/not-an-object': {
    severity: 'error',
    message: () => ({
      en: 'Skipped: the file does not hold a JSON object.',
      zh: '已跳过：该文件的内容不是 JSON 对象。',
    }),
    fix: () => ({ en: 'Put the settings between { and }.', zh: '请把设置写在 { 与 } 之间。' }),
  },
  'settings/unreadable-file': {
    severity: 'error',
    message: () => ({
      en: 'Skipped: this is not a file, or it may not be read.',
      zh: '已跳过：它不是普通文件，或没有读取权限。',
    }),
    fix: () => ({ en: 'Check its type, owner and permissions.', zh: '请检查其类型、所有者和权限。' }),
  },
  'settings/file-too-large': {
    severity: 'error',
    message: ({ used }) => ({
      en: `Skipped: the file is larger than ${(used ?? 0) / 1024} KB.`,
      zh: `已跳过：该文件超过 ${(used ?? 0) / 1024} KB。`,
    }),
    fix: () => ({ en: 'Remove what does not belong there.', zh: '请删除不属于它的内容。' }),
  },
  'settings/workspace-version': {
    severity: 'warn',
    message: () => ({
      en: `Skipped: a workspace file must say "version": ${WORKSPACE_VERSION}.`,
      zh: `已跳过：工作区文件必须写明 "version": ${WORKSPACE_VERSION}。`,
    }),
    fix: () => ({
      en: `Write "version": ${WORKSPACE_VERSION}; if the file is made for a newer version, update the integration.`,
      zh: `请写入 "version": ${WORKSPACE_VERSION}；若该文件面向更新的版本，请升级集成。`,
    }),
  },
  'settings/workspace-link-outside': {
    severity: 'warn',
    message: () => ({
      en: 'Skipped: the file is a link that leads out of the repository.',
      zh: '已跳过：该文件是指向仓库之外的链接。',
    }),
    fix: () => ({
      en: 'Put a regular file there, or write the settings into ~/.openviking/ovcli.conf.',
      zh: '请换成普通文件，或把设置写入 ~/.openviking/ovcli.conf。',
    }),
  },
  'settings/workspace-expansion': {
    severity: 'warn',
    message: (problem) => ({
      en: `${keyOf(problem)} is ignored: a workspace file cannot refer to \${variables}.`,
      zh: `${keyOf(problem)} 被忽略：工作区文件不能引用 \${变量}。`,
    }),
    fix: (problem) => ({
      en: `Write the value itself for ${keyOf(problem)}.`,
      zh: `请直接写出 ${keyOf(problem)} 的值。`,
    }),
  },
  'settings/list-too-long': {
    severity: 'warn',
    message: (problem) => ({
      en: `${keyOf(problem)} has ${problem.given} elements; the first ${problem.used} are used.`,
      zh: `${keyOf(problem)} 有 ${problem.given} 个元素，只使用前 ${problem.used} 个。`,
    }),
    fix: (problem) => ({ en: `Shorten ${keyOf(problem)}.`, zh: `请缩短 ${keyOf(problem)}。` }),
  },
  'settings/out-of-range': {
    severity: 'warn',
    message: (problem) => ({
      en: `${keyOf(problem)} is ${problem.given}; ${problem.used} is used, as ${expected(problem).en} is allowed.`,
      zh: `${keyOf(problem)} 为 ${problem.given}，实际使用 ${problem.used}：允许的是${expected(problem).zh}。`,
    }),
    fix: correct,
  },
  'settings/invalid-value': {
    severity: 'warn',
    message: (problem) => ({
      en: `${keyOf(problem)} is ignored: ${expected(problem).en} is needed.`,
      zh: `${keyOf(problem)} 被忽略：需要${expected(problem).zh}。`,
    }),
    fix: correct,
  },
  'settings/unknown-member': {
    severity: 'warn',
    message: (problem) => ({
      en: `${keyOf(problem)} is not ${expected(problem).en}; the default is used.`,
      zh: `${keyOf(problem)} 必须是${expected(problem).zh}；已使用默认值。`,
    }),
    fix: correct,
  },
  'connection/credential-source': {
    severity: 'warn',
    message: (problem) => ({
      en: `${keyOf(problem)} is not auto, env or cli; auto is used.`,
      zh: `${keyOf(problem)} 不是 auto、env 或 cli，已按 auto 处理。`,
    }),
    fix: correct,
  },
  'connection/unusable-credential': {
    severity: 'error',
    message: (problem) => ({
      en: `${problem.key} is ignored: it holds characters that a header cannot carry.`,
      zh: `${problem.key} 被忽略：其中含有请求头无法携带的字符。`,
    }),
    fix: () => ({ en: 'Copy it again, without line breaks.', zh: '请重新复制，不要带换行。' }),
  },
  'connection/protected-header': {
    severity: 'warn',
    message: (problem) => ({
      en: `The extra header ${keyOf(problem)} is left out: the integration sets it itself.`,
      zh: `附加请求头 ${keyOf(problem)} 不会发送：它由集成自行设置。`,
    }),
    fix: () => ({ en: 'Remove it from the extra headers.', zh: '请从附加请求头中删除它。' }),
  },
  'connection/invalid-header': {
    severity: 'warn',
    message: (problem) => ({
      en: `The extra header ${keyOf(problem)} is left out: its name or value cannot be sent.`,
      zh: `附加请求头 ${keyOf(problem)} 不会发送：其名称或值无法发送。`,
    }),
    fix: () => ({ en: 'Correct or remove it.', zh: '请更正或删除它。' }),
  },
} as const satisfies Readonly<Record<string, Words>>;

/** Codes of problems. */
export type Explained = keyof typeof EXPLANATIONS;

/** The finding for a problem, in one language; a file that does not parse gets line and column. */
export function explainProblem(problem: Problem, language: keyof Localized): Finding {
  const words: Words = EXPLANATIONS[problem.code];
  const mistake = problem.text === undefined ? undefined : findJsonMistake(problem.text);
  const message =
    mistake === undefined
      ? words.message(problem)
      : { en: `Skipped: ${mistake.message}.`, zh: '已跳过：从这里起不是有效的 JSON。' };
  const fix =
    mistake === undefined
      ? words.fix(problem)
      : {
          en: `Correct line ${mistake.line}, column ${mistake.column}.`,
          zh: `请更正第 ${mistake.line} 行第 ${mistake.column} 列。`,
        };
  return {
    code: problem.code,
    severity: words.severity,
    ...(problem.file === undefined ? {} : { file: problem.file }),
    ...(mistake && { line: mistake.line, column: mistake.column }),
    message: message[language],
    fix: fix[language],
  };
}

/** A key as a message may show it: short, on one line. */
export function shownKey(key: string): string {
  return /^[\w.$-]{1,60}$/.test(key) ? key : JSON.stringify(key.slice(0, 60));
}

function expected({ setting }: Problem): Localized {
  return setting === undefined ? { en: 'another value', zh: '其他值' } : expectation(declarationOf(setting));
}

function expectation(declaration: Declaration): Localized {
  switch (declaration.type) {
    case 'boolean':
      return { en: 'true or false', zh: ' true 或 false' };
    case 'integer':
    case 'number':
      return range(declaration);
    case 'enum': {
      const members = declaration.members.filter((member) => member !== '').join(', ');
      return { en: `one of ${members}`, zh: `以下之一：${members}` };
    }
    case 'text':
      return { en: 'a text', zh: '文本' };
    case 'path':
      return { en: 'an absolute path, or one that starts with ~/,', zh: '绝对路径或以 ~/ 开头的路径' };
    case 'list':
    case 'filters':
      return { en: 'a list of texts', zh: '文本列表' };
    case 'alternatives':
      return { en: 'a text or a list of texts', zh: '文本或文本列表' };
    case 'map':
      return { en: 'an object of texts', zh: '值为文本的对象' };
  }
}

function range({ type, min, max }: NumberSetting): Localized {
  const kind = type === 'integer' ? { en: 'a whole number', zh: '整数' } : { en: 'a number', zh: '数字' };
  return max === undefined
    ? { en: `${kind.en} of at least ${min}`, zh: `不小于 ${min} 的${kind.zh}` }
    : { en: `${kind.en} from ${min} to ${max}`, zh: ` ${min} 到 ${max} 的${kind.zh}` };
}
