/** The state of the queue: how much waits, since when, and whether anything keeps it from moving. */
import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { livingOwner } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { isThere, namesIn } from '../../files/folders.ts';
import { settingsFor } from '../../machine/machine.ts';
import { spoolFolders } from '../../spool/folders.ts';
import { reportConversations, reportDelivery } from '../../spool/report.ts';
import { fileStatus } from '../../files/file-status.ts';
import type { Machine } from '../../machine/machine.ts';
import type { ConversationReport, DeliveryReport } from '../../spool/report.ts';

export interface SpoolFolder {
  readonly path: string;
  readonly isWritable: boolean;
  /** Of the records that wait. */
  readonly bytes: number;
  /** The lowest limit that a client has for this folder; 0: none. */
  readonly maxBytes: number;
  /** Room on its disk for this user; absent where the system does not tell. */
  readonly freeBytes?: number;
}

export interface HeldLock {
  readonly session: string;
  readonly pid: number;
  /** Since the lock was taken, in ms. */
  readonly heldForMs: number;
}

export interface SpoolSnapshot {
  readonly folders: readonly SpoolFolder[];
  readonly conversations: readonly ConversationReport[];
  readonly delivery: readonly DeliveryReport[];
  readonly locks: readonly HeldLock[];
}

/** `clients`: those examined; `known`: all whose spools are looked at. */
export function readSpool(
  machine: Machine,
  clients: readonly HarnessDeclaration[],
  known: readonly HarnessDeclaration[],
): SpoolSnapshot {
  const paths = spoolFolders(machine, known);
  const conversations = reportConversations(paths, machine.env, machine.now().getTime());
  return {
    folders: paths.map((path) => ({
      path,
      isWritable: isWritable(path),
      bytes: conversations
        .filter(({ conversation }) => dirname(conversation.folder) === path)
        .reduce((sum, { conversation }) => sum + bytesIn(conversation.records), 0),
      maxBytes: limitOf(machine, known, path),
      ...freeBytes(path),
    })),
    conversations,
    delivery: reportDelivery(machine, clients),
    locks: conversations.flatMap(({ conversation, isUnderWay }) => {
      const pid = isUnderWay ? livingOwner(conversation.lockFile) : undefined;
      const since = fileStatus(conversation.lockFile)?.mtimeMs;
      if (pid === undefined || since === undefined) return [];
      return [{ session: conversation.session, pid, heldForMs: machine.now().getTime() - since }];
    }),
  };
}

function limitOf(machine: Machine, clients: readonly HarnessDeclaration[], path: string): number {
  const limits = clients
    .map((client) => settingsFor(machine, client).settings)
    .filter(({ spoolDir, spoolMaxBytes }) => spoolDir === path && spoolMaxBytes > 0)
    .map(({ spoolMaxBytes }) => spoolMaxBytes);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

/** A folder that is still to be made counts by the one it will be made in. */
function nearestFolder(path: string): string {
  let folder = path;
  while (!isThere(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function freeBytes(path: string): { readonly freeBytes?: number } {
  try {
    const { bavail, bsize } = statfsSync(nearestFolder(path));
    return { freeBytes: bavail * bsize };
  } catch {
    return {};
  }
}

function isWritable(path: string): boolean {
  const folder = nearestFolder(path);
  try {
    if (!statSync(folder).isDirectory()) return false;
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function bytesIn(folder: string): number {
  return namesIn(folder).reduce((sum, name) => sum + (fileStatus(join(folder, name))?.size ?? 0), 0);
}
