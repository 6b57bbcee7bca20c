/** Findings as people read them: grouped, one after the other, wrapped to the terminal. */
import type { Localized, Severity } from '@openviking/memory-core/full';
import { displayWidth } from '../cli/display-width.ts';
import { shortHome } from '../cli/short-home.ts';
import { wrap } from '../cli/wrap.ts';
import { GROUPS } from './check.ts';
import type { Terminal } from '../cli/terminal.ts';
import type { DoctorFinding } from './finding.ts';
import type { GroupFindings } from './run-checks.ts';

const LABELS: Readonly<Record<Severity, Localized & { readonly colour: 'green' | 'cyan' | 'yellow' | 'red' }>> = {
  ok: { en: 'ok', zh: '正常', colour: 'green' },
  info: { en: 'info', zh: '提示', colour: 'cyan' },
  warn: { en: 'warn', zh: '警告', colour: 'yellow' },
  error: { en: 'error', zh: '错误', colour: 'red' },
};

/** Columns of the severity, its margin included. */
const LABEL_WIDTH = 9;

export function showFindings(groups: readonly GroupFindings[], home: string, terminal: Terminal): void {
  const { language } = terminal.texts;
  for (const { group, findings } of groups) {
    if (findings.length === 0) continue;
    terminal.say(terminal.paint(GROUPS[group][language], 'bold'));
    for (const finding of findings) showFinding(finding, home, terminal);
    terminal.say();
  }
}

function showFinding(finding: DoctorFinding, home: string, terminal: Terminal): void {
  const { language } = terminal.texts;
  const { severity, message, fix } = finding;
  const label = LABELS[severity];
  const place = placeOf(finding, home);
  const code = severity === 'ok' ? '' : ` [${finding.code}]`;
  const said = terminal.advised(shortHome(message[language], home));
  const text = `${place === '' ? '' : `${place}: `}${said}${code}`;
  const width = terminal.columns - LABEL_WIDTH;
  const [first = '', ...rest] = wrap(text, width);
  const head = `  ${label[language]}`;
  const gap = ' '.repeat(Math.max(1, LABEL_WIDTH - displayWidth(head)));
  terminal.print(`${terminal.paint(head, label.colour)}${gap}${first}`);
  const margin = ' '.repeat(LABEL_WIDTH);
  for (const line of rest) terminal.print(margin + line);
  if (fix === undefined) return;
  wrap(terminal.advised(fix[language]), width - 3).forEach((line, index) =>
    terminal.print(`${margin}${index === 0 ? '-> ' : '   '}${line}`),
  );
}

/** `~/file:line:column`. */
function placeOf({ file, line, column }: DoctorFinding, home: string): string {
  if (file === undefined) return '';
  return [shortHome(file, home), ...(line === undefined ? [] : [line]), ...(column === undefined ? [] : [column])].join(
    ':',
  );
}

/** How many findings there are of each severity. */
export function tally(groups: readonly GroupFindings[]): Readonly<Record<Severity, number>> {
  const count = { ok: 0, info: 0, warn: 0, error: 0 };
  for (const { findings } of groups) for (const { severity } of findings) count[severity] += 1;
  return count;
}
