/** What `--local` puts on the machine: the server's payload, its launcher, and the file by which hooks find both. */
import { join } from 'node:path';
import { missingFolders } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { installPaths, ovcliPath } from '../machine/machine.ts';
import { LOCAL_SERVER, readReceipt, receiptImage, textImage } from '../receipts/receipt.ts';
import { writeStep } from '../apply/step.ts';
import { planPayload, planPayloadRemoval } from './payload-plan.ts';
import type { Step } from '../apply/step.ts';
import type { Machine } from '../machine/machine.ts';
import type { Payload } from '../payload/payload.ts';
import type { LocalServerReceipt } from '../receipts/receipt.ts';

export interface LocalPlan {
  readonly steps: readonly Step[];
  readonly receiptStep: readonly Step[];
  readonly launcher: string;
  readonly port: number;
}

export function planLocalServer(machine: Machine, payload: Payload, port: number): LocalPlan {
  const paths = installPaths(machine.home);
  const receiptPath = paths.receipt(LOCAL_SERVER);
  const old = readReceipt(receiptPath, 'local-server');
  const args = ['--port', String(port), '--data', paths.local, '--home', machine.home];
  // The token is where this run puts it, whatever the environment of the hook that starts the server says.
  const variables = { OPENVIKING_CLI_CONFIG_FILE: ovcliPath(machine) };
  const placed = planPayload(
    machine,
    paths.integration(LOCAL_SERVER),
    payload,
    { file: 'main.mjs', args, variables },
    old?.payload,
  );
  const installPath = join(paths.local, 'install.json');
  const launcher = placed.launcher.path;
  const installation = textImage(`${JSON.stringify({ port, launcher }, null, 2)}\n`, 0o600);
  const steps = [...placed.steps, ...writeStep(installPath, readImage(installPath), installation)];
  const made = steps.flatMap((step) => (step.kind === 'probe' ? [] : missingFolders(step.path)));
  const receipt: LocalServerReceipt = {
    version: 1,
    kind: 'local-server',
    installer: machine.version,
    installedAt: machine.now().toISOString(),
    folders: [...new Set([...(old?.folders ?? []), ...made])],
    payload: placed.payload,
    launcher: placed.launcher,
    port,
  };
  return {
    steps,
    receiptStep: writeStep(receiptPath, readImage(receiptPath), receiptImage(receipt, old), 'receipt'),
    launcher,
    port,
  };
}

/** Takes the server's program away; its memories stay. */
export function planLocalRemoval(machine: Machine, receipt: LocalServerReceipt) {
  const path = installPaths(machine.home).receipt(LOCAL_SERVER);
  const before = readImage(path);
  const steps: readonly Step[] = [
    ...planPayloadRemoval(receipt.payload, receipt.launcher),
    ...(before === undefined ? [] : [{ kind: 'remove', path, before, isReceipt: true } as const]),
  ];
  return { steps, leaving: receipt.folders };
}
