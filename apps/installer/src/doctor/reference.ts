/** The page of the documentation that lists every code: made from the checks themselves, so that it cannot miss one. */
import type { Localized } from '@openviking/memory-core/full';
import { CLIENTS } from '../clients/catalogue.ts';
import { GROUPS } from './check.ts';
import { RULE } from './checks/client-config.ts';
import { CHECKS } from './registry.ts';
import { DEFECT } from './run-checks.ts';
import type { CodeHelp, Group } from './check.ts';

const WORDS = {
  title: { en: 'What doctor finds', zh: 'doctor 的检查结果' },
  intro: {
    en: [
      '`openviking-install doctor` looks at one home: programs, connection, settings, clients and queue. Clients are asked, by their own commands, for their version and plugins; `status` goes by receipts and settings alone. It changes nothing without `--fix`.',
      'In a code, `<client>` stands for the id of a client, as in `zcode/hooks-wiped`. Codes are stable; scripts may rely on them. `--json` prints every finding with its code, place, text and the next step, and every setting with the place that set it.',
      'Exit codes: 0 in order · 1 an error · 3 warnings only (`--strict`: 1) · 2 a mistake in the command line.',
      '`--fix` repairs what is marked below, where the installed version is the one that the package carries, the way an installation writes: planned, journalled, undone when anything fails. It changes nothing else. `--dry-run` shows it first.',
    ],
    zh: [
      '`openviking-install doctor` 检查一个主目录中的程序、连接、设置、客户端和队列。会通过客户端自己的命令查询其版本和插件；`status` 只依据安装回执和设置。不加 `--fix` 时不做任何改动。',
      '代码中的 `<client>` 代表客户端编号，例如 `zcode/hooks-wiped`。代码保持稳定，脚本可以依赖。`--json` 会输出每项结果的代码、位置、说明和下一步，以及每项设置的来源。',
      '退出码：0 正常 · 1 有错误 · 3 只有警告（加 `--strict` 时为 1）· 2 命令行有误。',
      '`--fix` 修复下面标出的问题，前提是已安装的版本与本程序携带的版本相同；写入方式与安装相同：先计划、记日志，失败则全部恢复。不改动其他任何内容。可先用 `--dry-run` 查看。',
    ],
  },
  generated: {
    en: 'Generated from `apps/installer/src/doctor`; do not edit. Other language: [中文](doctor.zh-CN.md).',
    zh: '由 `apps/installer/src/doctor` 生成，请勿编辑。其他语言：[English](doctor.md)。',
  },
  columns: {
    en: ['Code', 'Severity', '`--fix`', 'What is the case', 'What to do'],
    zh: ['代码', '级别', '`--fix`', '情况', '处理办法'],
  },
  fixable: { en: 'yes', zh: '可' },
} as const;

const SEVERITIES = {
  ok: { en: 'ok', zh: '正常' },
  info: { en: 'info', zh: '提示' },
  warn: { en: 'warn', zh: '警告' },
  error: { en: 'error', zh: '错误' },
} as const satisfies Readonly<Record<CodeHelp['severity'], Localized>>;

/** The page in Markdown. */
export function doctorReference(language: keyof Localized): string {
  const groups = (Object.keys(GROUPS) as Group[]).map((group) => section(group, language));
  return [`# ${WORDS.title[language]}`, WORDS.generated[language], ...WORDS.intro[language], ...groups, ''].join(
    '\n\n',
  );
}

function section(group: Group, language: keyof Localized): string {
  const tables = CHECKS.filter((check) => check.group === group).map(({ codes }) => codes);
  const rows = [...tables, ...(group === 'program' ? [DEFECT] : [])].flatMap((codes) =>
    Object.entries<CodeHelp>(codes).flatMap((entry) => (entry[0] === RULE ? rulesOfClients(entry[1]) : [entry])),
  );
  const columns = WORDS.columns[language];
  return [
    `## ${GROUPS[group][language]}`,
    '',
    row(columns),
    row(columns.map(() => '---')),
    ...rows.map(([code, { severity, cause, cure, isFixable }]) =>
      row([
        `\`${code}\``,
        SEVERITIES[severity][language],
        isFixable === true ? WORDS.fixable[language] : '',
        cause[language],
        cure?.[language] ?? '',
      ]),
    ),
  ].join('\n');
}

/** The rules of each client have codes of their own, which its declaration lists. */
function rulesOfClients({ severity }: CodeHelp): [string, CodeHelp][] {
  return CLIENTS.flatMap(({ rules = {} }) =>
    Object.entries(rules).map(([code, help]): [string, CodeHelp] => [code, { ...help, severity }]),
  );
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
