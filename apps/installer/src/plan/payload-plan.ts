/** Puts a payload and its launcher on the machine, and takes those away that no running hook can use any more. */
import { dirname, join } from 'node:path';
import { requireFoldersOnTheWay } from '../clients/file-in-the-way.ts';
import { isThere, namesIn } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { planLeftovers } from './leftovers.ts';
import { launcherName, renderLauncher } from '../payload/launcher.ts';
import { isForeignLink } from '../payload/launcher-link.ts';
import { TREE_PREFIX } from '../distribution/plugin-source.ts';
import { damagedFiles, readManifest } from '../payload/payload.ts';
import { markOf, textImage } from '../receipts/receipt.ts';
import { writeStep } from '../apply/step.ts';
import type { Step } from '../apply/step.ts';
import type { Machine } from '../machine/machine.ts';
import type { LauncherOptions } from '../payload/launcher.ts';
import type { Payload } from '../payload/payload.ts';
import type { OwnedReceipt, PayloadReceipt } from '../receipts/receipt.ts';

export interface PayloadPlan {
  readonly steps: readonly Step[];
  readonly payload: PayloadReceipt;
  readonly launcher: OwnedReceipt;
}

/** Where the launcher of an integration lies. */
export function launcherPath(folder: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? `${folder}\\${launcherName(platform)}` : join(folder, launcherName(platform));
}

/** `known` is what an earlier installation left. */
export function planPayload(
  machine: Machine,
  folder: string,
  payload: Payload,
  starts: LauncherOptions['starts'],
  known: PayloadReceipt | undefined,
  silences: LauncherOptions['silences'] = {},
): PayloadPlan {
  const { version } = payload.manifest;
  requireFoldersOnTheWay([launcherPath(folder, machine.platform)]);
  const target = join(folder, version);
  const isIntact = isThere(target) && damagedFiles(target, payload.manifest).length === 0;
  const previous = known === undefined || known.version === version ? known?.previous : known.version;
  const kept = new Set([version, previous]);
  const outdated = namesIn(folder).filter(
    // Only folders with a manifest of ours: an earlier installer kept its scripts in the same place.
    (name) => !kept.has(name) && !name.startsWith(TREE_PREFIX) && readManifest(join(folder, name)) !== undefined,
  );
  const path = launcherPath(folder, machine.platform);
  const launcher = textImage(
    renderLauncher({
      platform: machine.platform,
      home: machine.home,
      interpreter: machine.interpreter,
      folder,
      version,
      starts,
      silences,
    }),
    0o755,
  );
  const isForeign = isForeignLink(path);
  return {
    steps: [
      ...(isIntact ? [] : [{ kind: 'place-tree', path: target, payload } as const]),
      ...(isForeign ? [{ kind: 'remove-tree', path } as const] : []),
      ...writeStep(path, isForeign ? undefined : readImage(path), launcher),
      ...outdated.map((name) => ({ kind: 'remove-tree', path: join(folder, name) }) as const),
      ...(previous === undefined ? [] : planLeftovers(folder)),
    ],
    payload: { folder, version, ...(previous === undefined ? {} : { previous }) },
    launcher: { path, left: markOf(launcher) },
  };
}

/** Takes an integration's payloads and launcher away. What somebody else put beside them stays. */
export function planPayloadRemoval(payload: PayloadReceipt, launcher: OwnedReceipt): readonly Step[] {
  return [
    ...planLauncherRemoval(launcher.path),
    ...namesIn(payload.folder)
      .filter((name) => readManifest(join(payload.folder, name)) !== undefined || name === payload.version)
      .map((name) => ({ kind: 'remove-tree', path: join(payload.folder, name) }) as const),
  ];
}

function planLauncherRemoval(path: string): readonly Step[] {
  if (isForeignLink(path)) return [{ kind: 'remove-tree', path }];
  const before = readImage(path);
  return before === undefined ? [] : [{ kind: 'remove', path, before }];
}

/** Folders that may be empty after the removal. */
export function payloadFolders(payload: PayloadReceipt): readonly string[] {
  return [payload.folder, dirname(payload.folder)];
}
