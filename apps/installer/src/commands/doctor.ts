/** `doctor`: looks at everything once, says what is wrong and what to do, and with `--fix` does what has one safe way. */
import { applySteps } from '../apply/transaction.ts';
import { declined, interrupted } from '../cli/interruption.ts';
import { wrap } from '../cli/wrap.ts';
import { resolveClients } from '../clients/catalogue.ts';
import { showFindings, tally } from '../doctor/report.ts';
import { closePaths } from '../doctor/close-paths.ts';
import { closedBy, planRepairs, repairsIn, shownRepairs } from '../doctor/repair.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { readSnapshot } from '../doctor/snapshot/snapshot.ts';
import { displaySettings } from '../status/settings.ts';
import { installPaths } from '../machine/machine.ts';
import { noteOnSharedFiles } from '../plan/note-on-shared-files.ts';
import { runExclusively } from './exclusive-run.ts';
import { showChange } from './show-change.ts';
import { showNotes } from './outcome.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import type { GroupFindings } from '../doctor/run-checks.ts';
import type { Snapshot } from '../doctor/snapshot/snapshot.ts';
import type { ShownChange } from '../plan/show-plan.ts';
import type { CommandContext, Outcome } from './outcome.ts';

export async function doctor(context: CommandContext, invocation: Invocation): Promise<Outcome> {
  const { machine, terminal, clients: known } = context;
  const wanted = invocation.harness === undefined ? undefined : resolveClients(invocation.harness, known);
  const look = async (probesMcp: boolean): Promise<Snapshot> => {
    const snapshot = await terminal.during(terminal.texts.doctorLooking, () =>
      readSnapshot({
        machine,
        known,
        ...(wanted === undefined ? {} : { wanted }),
        language: terminal.texts.language,
        cwd: machine.cwd ?? machine.home,
        probesMcp,
        asksClients: true,
      }),
    );
    for (const { settings } of snapshot.clients) {
      if (settings.connection.apiKey !== undefined) terminal.keepSecret(settings.connection.apiKey);
    }
    if (machine.signal.aborted) throw interrupted();
    return snapshot;
  };
  let changes: readonly ShownChange[] = [];
  if (invocation.fix) {
    const snapshot = await look(false);
    const repairs = repairsIn(runChecks(snapshot));
    if (repairs.length > 0) changes = await repair(context, invocation, snapshot, repairs, () => look(false));
  }
  const snapshot = await look(true);
  const groups = runChecks(snapshot);
  return report(context, invocation, snapshot, groups, changes);
}

/** Shows, asks, and makes the repairs. Returns what was changed; nothing in a dry run. */
async function repair(
  { machine, terminal }: CommandContext,
  { dryRun, yes }: Invocation,
  snapshot: Snapshot,
  findings: readonly DoctorFinding[],
  look: () => Promise<Snapshot>,
): Promise<readonly ShownChange[]> {
  const { texts } = terminal;
  const planned = shownRepairs(await planRepairs(machine, snapshot, findings, []));
  if (dryRun) {
    for (const change of planned) showChange(change, terminal);
    showNotes(noteOnSharedFiles(planned), terminal);
    terminal.say(texts.dryRunEnd);
    terminal.say();
    return [];
  }
  if (!yes && terminal.isInteractive && planned.length > 0) {
    for (const change of planned) terminal.say(`  ${texts.change(change.action, change.path)}`);
    if (!(await terminal.confirm(texts.confirmPlan, true, machine.signal))) throw declined();
  }
  return runExclusively(machine, terminal, async ({ madeFolders }) => {
    // Under the lock, and behind the end of an interrupted run, things may look different.
    const now = await look();
    const wanted = repairsIn(runChecks(now));
    // First, and before anything is planned: permissions are a part of what a plan goes by.
    for (const { paths } of closedBy(wanted)) closePaths(paths);
    const plan = await planRepairs(machine, now, wanted, madeFolders);
    const changes = shownRepairs(plan);
    for (const steps of plan.transactions) {
      await applySteps({
        installFolder: installPaths(machine.home).install,
        steps,
        madeFolders,
        leaving: [],
        signal: machine.signal,
        machine,
        ...(machine.atPoint === undefined ? {} : { atPoint: machine.atPoint }),
      });
    }
    return changes;
  });
}

function report(
  { machine, terminal }: CommandContext,
  { fix, dryRun, strict }: Invocation,
  snapshot: Snapshot,
  groups: readonly GroupFindings[],
  changes: readonly ShownChange[],
): Outcome {
  const { texts } = terminal;
  if (changes.length > 0) {
    terminal.say(texts.doctorRepaired);
    for (const change of changes) terminal.say(`  ${texts.change(change.action, change.path, change.files)}`);
    showNotes(noteOnSharedFiles(changes), terminal);
    terminal.say();
  }
  showFindings(groups, machine.home, terminal);
  const count = tally(groups);
  terminal.say(texts.doctorSummary(count.error, count.warn, count.info));
  const open = repairsIn(groups).length;
  if (open > 0 && !(fix && !dryRun)) {
    for (const line of wrap(terminal.advised(texts.doctorFixable(open)), terminal.columns)) terminal.print(line);
  }
  return {
    exitCode: count.error > 0 ? 1 : count.warn === 0 ? 0 : strict ? 1 : 3,
    document: {
      command: 'doctor',
      summary: count,
      findings: groups.flatMap(({ group, findings }) =>
        findings.map(({ message, fix: cure, repair: mend, ...finding }) => ({
          group,
          ...finding,
          message: message[texts.language],
          ...(cure === undefined ? {} : { fix: cure[texts.language] }),
          fixable: mend !== undefined,
        })),
      ),
      ...(fix ? { changes: changes.map(({ path, action }) => ({ path, action })) } : {}),
      clients: snapshot.clients.map(({ client, settings }) => ({
        id: client.id,
        settings: displaySettings(settings, true),
      })),
    },
  };
}
