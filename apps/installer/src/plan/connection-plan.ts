/** What an installation or removal changes in `ovcli.conf`. The file holds a key, so its steps are marked secret and come last. */
import { Refusal } from '../cli/refusal.ts';
import { mergeConnection, remembersUrl, restoreConnection } from '../connection/ovcli-conf.ts';
import { missingFolders } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig } from '../json/document.ts';
import { installPaths, ovcliPath } from '../machine/machine.ts';
import { CONNECTION, readReceipt, receiptImage } from '../receipts/receipt.ts';
import { writeStep } from '../apply/step.ts';
import type { Step } from '../apply/step.ts';
import type { ConnectionWish } from '../connection/ovcli-conf.ts';
import type { Machine } from '../machine/machine.ts';
import type { ConnectionReceipt } from '../receipts/receipt.ts';

export interface ConnectionPlan {
  /** The receipt; goes before the file. */
  readonly receiptStep: readonly Step[];
  readonly fileStep: readonly Step[];
}

/** Everybody but the owner is kept out of the file: it holds a key. */
const PRIVATE = 0o600;

export function planConnection(machine: Machine, wish: ConnectionWish, madeFolders: readonly string[]): ConnectionPlan {
  const path = ovcliPath(machine);
  const before = readImage(path);
  if (Object.values(wish).every((value) => value === undefined)) return { receiptStep: [], fileStep: [] };
  if (before !== undefined && (before.mode & 0o200) === 0) {
    throw new Refusal({ code: 'file/read-only', say: (t) => t.readOnly(path), next: (t) => t.readOnlyNext(path) });
  }
  const text = before === undefined ? undefined : decodeConfig(before.bytes, path);
  const merged = mergeConnection(text, wish, path);
  const receiptPath = installPaths(machine.home).receipt(CONNECTION);
  const old = readReceipt(receiptPath, 'connection');
  const mode = old === undefined ? before?.mode : old.mode;
  const receipt: ConnectionReceipt = {
    version: 1,
    kind: 'connection',
    installer: machine.version,
    installedAt: machine.now().toISOString(),
    folders: [...new Set([...(old?.folders ?? []), ...madeFolders, ...missingFolders(path)])],
    path,
    existed: old?.existed ?? before !== undefined,
    ...(mode === undefined ? {} : { mode }),
    added: [...new Set([...(old?.added ?? []), ...merged.added])],
  };
  return {
    receiptStep: writeStep(receiptPath, readImage(receiptPath), receiptImage(receipt, old), 'receipt'),
    fileStep: writeStep(path, before, { bytes: Buffer.from(merged.text, 'utf8'), mode: PRIVATE }, 'secret'),
  };
}

/** Takes our fields out of `ovcli.conf`, or the file away when it was ours and nobody else has put anything in. */
export function planConnectionRemoval(receipt: ConnectionReceipt): readonly Step[] {
  const { path } = receipt;
  const before = readImage(path);
  if (before === undefined) return [];
  const restored = restoreConnection(decodeConfig(before.bytes, path), receipt.added, path);
  if (!receipt.existed && restored.isHollow) return [{ kind: 'remove', path, before, isSecret: true }];
  const after = { bytes: Buffer.from(restored.text, 'utf8'), mode: receipt.mode ?? before.mode };
  return writeStep(path, before, after, 'secret');
}

/** Gives an earlier remote connection its place back when the embedded server goes. */
export function planRemoteReturn(receipt: ConnectionReceipt): readonly Step[] {
  const before = readImage(receipt.path);
  if (before === undefined || !remembersUrl(decodeConfig(before.bytes, receipt.path), receipt.path)) return [];
  return planConnectionRemoval(receipt);
}
