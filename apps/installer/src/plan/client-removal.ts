/**
 * What uninstalling one client changes. A file that still has the bytes we left gets its original ones back; in any other
 * only our own entries go, and the report says so.
 */
import { dirname } from 'node:path';
import type { ConfigFile, HarnessDeclaration } from '@openviking/memory-core/full';
import { readImage } from '../files/image.ts';
import { decodeConfig } from '../json/document.ts';
import { installPaths } from '../machine/machine.ts';
import { hasMark } from '../receipts/receipt.ts';
import { EMPTY_RECORD } from '../wiring/record.ts';
import { unwireConfig } from '../wiring/unwire-config.ts';
import { writeStep } from '../apply/step.ts';
import { planLeftovers } from './leftovers.ts';
import { launcherPath, payloadFolders, planPayloadRemoval } from './payload-plan.ts';
import type { Step } from '../apply/step.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientReceipt, ConfigReceipt } from '../receipts/receipt.ts';
import type { Note } from './client-plan.ts';

export interface ClientRemoval {
  readonly client: HarnessDeclaration;
  readonly steps: readonly Step[];
  /** Folders to remove where empty. */
  readonly leaving: readonly string[];
  readonly notes: readonly Note[];
}

/** `receipt` is undefined when the client was never installed, or its receipt is lost: then only what is recognised goes. */
export function planClientRemoval(
  machine: Machine,
  client: HarnessDeclaration,
  receipt: ClientReceipt | undefined,
): ClientRemoval {
  const paths = installPaths(machine.home);
  const folder = paths.integration(client.id);
  const launcher = launcherPath(folder, machine.platform);
  const { files } = client.wiring({ home: machine.home, platform: machine.platform, env: machine.env, launcher });
  const steps: Step[] = [];
  const notes: Note[] = [];
  const [pattern] = files;
  const known = receipt?.configs ?? [];
  const others = known.flatMap(({ path }) =>
    pattern === undefined || files.some((file) => file.path === path) ? [] : [{ ...pattern, path }],
  );
  for (const file of [...files, ...others]) {
    const part = planConfigRemoval(
      file,
      known.find(({ path }) => path === file.path),
    );
    steps.push(...part.steps);
    notes.push(...part.notes);
  }
  for (const { path, left } of receipt?.owned ?? []) {
    const before = readImage(path);
    if (before === undefined) continue;
    if (hasMark(before, left)) steps.push({ kind: 'remove', path, before });
    else notes.push({ code: 'file/not-ours', isWarning: false, file: path, say: (t) => t.userFileStays(path) });
  }
  const payload = receipt?.payload ?? { folder, version: '' };
  const left = receipt?.launcher ?? { path: launcher, left: { hash: '', mode: 0 } };
  steps.push(...planPayloadRemoval(payload, left));
  const leftovers = planLeftovers(folder);
  steps.push(...leftovers);
  const receiptPath = paths.receipt(client.id);
  const receiptImage = readImage(receiptPath);
  if (receiptImage !== undefined)
    steps.push({ kind: 'remove', path: receiptPath, before: receiptImage, isReceipt: true });
  return {
    client,
    steps,
    // Without a receipt the folders of ours that are empty go, whoever made them.
    leaving: [
      ...(receipt?.folders ?? [...payloadFolders(payload), dirname(receiptPath)]),
      ...(leftovers.length > 0 ? payloadFolders(payload) : []),
    ],
    notes,
  };
}

function planConfigRemoval(
  file: ConfigFile,
  receipt: ConfigReceipt | undefined,
): { readonly steps: readonly Step[]; readonly notes: readonly Note[] } {
  const before = readImage(file.path);
  if (before === undefined) return { steps: [], notes: [] };
  if (receipt?.untouched === true && hasMark(before, receipt.left)) {
    if (!receipt.existed) return { steps: [{ kind: 'remove', path: file.path, before }], notes: [] };
    if (receipt.original !== undefined) {
      const bytes = Buffer.from(receipt.original.content, 'base64');
      return { steps: writeStep(file.path, before, { bytes, mode: receipt.original.mode }), notes: [] };
    }
  }
  const text = decodeConfig(before.bytes, file.path);
  const unwired = unwireConfig(text, file, receipt?.record ?? EMPTY_RECORD);
  if (unwired.text === text) return { steps: [], notes: [] };
  const notes: Note[] = [
    {
      code: 'file/edited-since',
      isWarning: false,
      file: file.path,
      say: (t) => t.onlyOurs(file.path, unwired.removed),
    },
  ];
  if (receipt?.existed === false && unwired.isHollow) {
    return { steps: [{ kind: 'remove', path: file.path, before }], notes };
  }
  return {
    steps: writeStep(file.path, before, { bytes: Buffer.from(unwired.text, 'utf8'), mode: before.mode }),
    notes,
  };
}
