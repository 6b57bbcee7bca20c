/**
 * What `--fix` changes: for each finding that says so the one repair that it has, planned the way an installation of the
 * same version would, and nothing beside it. No upgrade, no other interpreter, no file that no finding is about.
 */
import { join } from 'node:path';
import { writeStep } from '../apply/step.ts';
import { installedPlace } from '../clients/installed-place.ts';
import { surveyClient } from '../clients/survey.ts';
import { readImage } from '../files/image.ts';
import { installPaths } from '../machine/machine.ts';
import { openPayload } from '../payload/payload.ts';
import { planClient } from '../plan/client-plan.ts';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { silencesOf } from '../payload/launcher.ts';
import { showSteps } from '../plan/show-plan.ts';
import { planPayload } from '../plan/payload-plan.ts';
import { markOf, receiptImage } from '../receipts/receipt.ts';
import type { Step } from '../apply/step.ts';
import type { Machine } from '../machine/machine.ts';
import type { Payload } from '../payload/payload.ts';
import type { ShownChange } from '../plan/show-plan.ts';
import type { ClientReceipt } from '../receipts/receipt.ts';
import type { DoctorFinding, Repair } from './finding.ts';
import type { GroupFindings } from './run-checks.ts';
import type { ClientSnapshot } from './snapshot/client.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export interface RepairPlan {
  /** Steps of one transaction each; several, because no transaction may write two files that hold keys. */
  readonly transactions: readonly (readonly Step[])[];
  /** What only its owner may write from then on, by the folder that it is all in. */
  readonly closed: readonly { readonly root: string; readonly paths: readonly string[] }[];
}

export function repairsIn(groups: readonly GroupFindings[]): readonly DoctorFinding[] {
  return groups.flatMap(({ findings }) => findings.filter(({ repair }) => repair !== undefined));
}

/** Throws a refusal when a file cannot be read or edited. */
export async function planRepairs(
  machine: Machine,
  { clients }: Snapshot,
  findings: readonly DoctorFinding[],
  madeFolders: readonly string[],
): Promise<RepairPlan> {
  const repairs = findings.flatMap(({ repair }) => repair ?? []);
  const steps: Step[] = [];
  for (const client of clients) steps.push(...(await planClientRepair(machine, client, repairs, madeFolders)));
  const closed = repairs.flatMap((repair) => (repair.kind === 'close' ? [closeStep(repair.path)] : []));
  return {
    transactions: [steps, ...closed].filter((plan) => plan.length > 0),
    closed: closedBy(findings),
  };
}

/** What is to be closed, the outermost first. */
export function closedBy(findings: readonly DoctorFinding[]): RepairPlan['closed'] {
  return findings.flatMap(({ repair }) => (repair?.kind === 'modes' ? [repair] : []));
}

/** What a plan changes, as it is shown: a folder that is closed is one change, however much is in it. */
export function shownRepairs({ transactions, closed }: RepairPlan): readonly ShownChange[] {
  return [
    ...closed.map(({ root, paths }) => ({ path: root, action: 'change', files: paths.length }) as const),
    ...showSteps(transactions.flat()),
  ];
}

async function planClientRepair(
  shell: Machine,
  { client, receipt, program }: ClientSnapshot,
  repairs: readonly Repair[],
  madeFolders: readonly string[],
): Promise<readonly Step[]> {
  const needs = (kind: 'files' | 'launcher' | 'wiring'): boolean =>
    repairs.some((repair) => repair.kind === kind && repair.client === client.id);
  const needsProgram = needs('files') || needs('launcher');
  if (receipt === undefined || program === undefined || !(needsProgram || needs('wiring'))) return [];
  const isHere = repairs.some(
    (repair) => repair.kind === 'wiring' && repair.client === client.id && repair.here === true,
  );
  const machine = isHere ? shell : installedPlace(client, shell, receipt).machine;
  const payload = openPayload(machine.payloadRoot, client.id);
  const recorded = program.launcher.interpreter?.path;
  // Where the launcher is in order, it keeps its interpreter, whichever runs doctor.
  const asRecorded = needs('launcher') || recorded === undefined ? machine : { ...machine, interpreter: recorded };
  if (!needs('wiring')) return planProgramRepair(asRecorded, client, receipt, payload);
  const survey = await surveyClient(client, machine, receipt.wishes ?? {});
  const nothing = { sharedFolders: [], foundInRoot: [] };
  const plan = await planClient({ machine: asRecorded, client, payload, survey, madeFolders, ...nothing });
  const programSteps = needsProgram ? plan.payloadSteps.filter(isOwnProgram(receipt, payload)) : [];
  return [...programSteps, ...plan.wiringSteps, ...plan.receiptStep];
}

/** Program files and launcher alone: the client's own files need not even parse for that. */
function planProgramRepair(
  machine: Machine,
  { id, events }: HarnessDeclaration,
  receipt: ClientReceipt,
  payload: Payload,
): readonly Step[] {
  const paths = installPaths(machine.home);
  const folder = paths.integration(id);
  const placed = planPayload(machine, folder, payload, 'entries', receipt.payload, silencesOf(events));
  const steps = placed.steps.filter(isOwnProgram(receipt, payload));
  const launcher = steps.find((step) => step.kind === 'write' && step.path === receipt.launcher.path);
  const left = launcher?.kind === 'write' ? markOf(launcher.after) : receipt.launcher.left;
  const fresh: ClientReceipt = { ...receipt, launcher: { ...receipt.launcher, left } };
  const path = paths.receipt(id);
  return [...steps, ...writeStep(path, readImage(path), receiptImage(fresh, receipt), 'receipt')];
}

/** Neither what an upgrade would tidy away, nor what an older installer left. */
function isOwnProgram(receipt: ClientReceipt, payload: Payload): (step: Step) => boolean {
  const target = join(receipt.payload.folder, payload.manifest.version);
  return (step) =>
    (step.kind === 'place-tree' && step.path === target) ||
    ((step.kind === 'write' || step.kind === 'remove-tree') && step.path === receipt.launcher.path);
}

function closeStep(path: string): readonly Step[] {
  const image = readImage(path);
  return image === undefined ? [] : writeStep(path, image, { ...image, mode: image.mode & 0o700 }, 'secret');
}
