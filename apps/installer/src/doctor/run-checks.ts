/** Runs the checks over a snapshot. A check that fails by itself is a defect of ours and stops nobody else's. */
import type { CodeHelp, Group } from './check.ts';
import { CHECKS } from './registry.ts';
import { verbatim } from './finding.ts';
import type { DoctorFinding } from './finding.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export interface GroupFindings {
  readonly group: Group;
  readonly findings: readonly DoctorFinding[];
}

/** What is told of a check that failed by itself. */
export const DEFECT = {
  'doctor/defect': {
    severity: 'error',
    cause: {
      en: 'A check failed by itself: a defect of doctor, not of this machine.',
      zh: '检查本身出错：这是 doctor 的缺陷，与本机无关。',
    },
    cure: { en: 'Please report the text of the finding.', zh: '请反馈该结果的内容。' },
  },
} as const satisfies Readonly<Record<string, CodeHelp>>;

/** The findings by group, in the order of the registry. */
export function runChecks(snapshot: Snapshot): readonly GroupFindings[] {
  const groups = new Map<Group, DoctorFinding[]>();
  for (const check of CHECKS) {
    const findings = groups.get(check.group) ?? [];
    groups.set(check.group, findings);
    try {
      findings.push(...check.run(snapshot));
    } catch (error) {
      const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      const { severity, cure } = DEFECT['doctor/defect'];
      findings.push({ code: 'doctor/defect', severity, message: verbatim(what.slice(0, 300)), fix: cure });
    }
  }
  return [...groups].map(([group, findings]) => ({ group, findings }));
}
