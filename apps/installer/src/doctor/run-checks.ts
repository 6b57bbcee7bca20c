/** Runs the checks over a snapshot. A check that fails by itself is a defect of ours and stops nobody else's. */
import type { Group } from './check.ts';
import { CHECKS } from './registry.ts';
import { verbatim } from './finding.ts';
import type { DoctorFinding } from './finding.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export interface GroupFindings {
  readonly group: Group;
  readonly findings: readonly DoctorFinding[];
}

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
      findings.push({ code: 'doctor/defect', severity: 'error', message: verbatim(what.slice(0, 300)) });
    }
  }
  return [...groups].map(([group, findings]) => ({ group, findings }));
}
