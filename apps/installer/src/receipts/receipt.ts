/**
 * What an installation changed and how it was before: the only base on which uninstall acts. One receipt per client, one
 * for the connection and one for the local server, because clients share those two.
 */
import type { PluginSource } from '../distribution/plugin-source.ts';
import type { RegistrationReceipt } from '../registration/plugin-change.ts';
import type { ConfigRecord } from '../wiring/record.ts';
import { readImage, sha256 } from '../files/image.ts';
import type { FileImage } from '../files/image.ts';
import { namesIn } from '../files/folders.ts';
import { isReceipt } from './receipt-shape.ts';

/** A file's original, so that uninstall can put it back to the byte. */
export interface StoredFile {
  readonly mode: number;
  /** base64 */
  readonly content: string;
}

export interface FileMark {
  readonly hash: string;
  readonly mode: number;
}

export interface ConfigReceipt {
  readonly path: string;
  /** False when the installer made the file. */
  readonly existed: boolean;
  /** False once somebody else had changed the file between two of our runs: it is then never put back or removed whole. */
  readonly untouched: boolean;
  /** The original; absent when the file did not exist, or when the user changed it between two installations. */
  readonly original?: StoredFile;
  readonly left: FileMark;
  readonly record: ConfigRecord;
}

export interface OwnedReceipt {
  readonly path: string;
  readonly left: FileMark;
}

export interface PayloadReceipt {
  /** Absolute folder that holds the versions and the launcher. */
  readonly folder: string;
  readonly version: string;
  /** Still kept: a hook that was started before the upgrade may run from it. */
  readonly previous?: string;
}

interface ReceiptBase {
  readonly version: 1;
  readonly installer: string;
  /** ISO 8601, UTC. */
  readonly installedAt: string;
  /** Folders that the installation made, outermost first. */
  readonly folders: readonly string[];
}

/** How a client is to be wired, where the user has said so. */
export interface ClientWishes {
  /** Command names or paths instead of the client's usual one. */
  readonly commands?: readonly string[];
  readonly statusLine?: boolean;
  readonly only?: 'hooks' | 'mcp';
  /** Where its plugin comes from; absent: from this package. */
  readonly distribution?: PluginSource;
}

export interface ClientReceipt extends ReceiptBase {
  readonly kind: 'client';
  readonly client: string;
  readonly payload: PayloadReceipt;
  readonly launcher: OwnedReceipt;
  readonly configs: readonly ConfigReceipt[];
  readonly owned: readonly OwnedReceipt[];
  /** Our plugin, where the client's own commands have put it in. */
  readonly registration?: RegistrationReceipt;
  /** What the user asked for, and keeps until it is asked for differently. */
  readonly wishes?: ClientWishes;
  /** Variables that moved the client's files when it was wired; absent: none did. */
  readonly locations?: Readonly<Record<string, string>>;
  /** What starts the installer again; read by hooks that have something to advise. */
  readonly command?: string;
  /** Names in `~/.openviking` that were there before the first installation: `--purge` leaves them. */
  readonly foundInRoot: readonly string[];
}

export interface ConnectionReceipt extends ReceiptBase {
  readonly kind: 'connection';
  readonly path: string;
  readonly existed: boolean;
  /** Permissions of the original: the file is closed to others while it holds our key. */
  readonly mode?: number;
  /** Fields that were not there before. Values that were replaced are remembered in the file itself. */
  readonly added: readonly string[];
  /** Makes the digests below worthless elsewhere. */
  readonly salt: string;
  /** Digests of every value that we wrote, by field: what has another value by now is the user's. No key can be read from them. */
  readonly wrote: Readonly<Record<string, readonly string[]>>;
  /** The text of a file that was there and held nothing but white space. */
  readonly blank?: string;
  /** As in a client's receipt, from the last client that went: what it had found, the next one did not leave. */
  readonly foundInRoot?: readonly string[];
}

export interface LocalServerReceipt extends ReceiptBase {
  readonly kind: 'local-server';
  readonly payload: PayloadReceipt;
  readonly launcher: OwnedReceipt;
  readonly port: number;
}

export type Receipt = ClientReceipt | ConnectionReceipt | LocalServerReceipt;

/** Reads a receipt of that kind; undefined when there is none, or none that this version understands. */
export function readReceipt<Kind extends Receipt['kind']>(
  path: string,
  kind: Kind,
): Extract<Receipt, { kind: Kind }> | undefined {
  const image = readImage(path);
  if (image === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(image.bytes).toString('utf8'));
    return isReceipt(value, kind) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Clients that have a receipt. */
export function installedClients(receiptsFolder: string): readonly string[] {
  return namesIn(receiptsFolder)
    .filter((name) => name.endsWith('.json') && !SHARED.has(name))
    .map((name) => name.slice(0, -'.json'.length));
}

export const CONNECTION = 'connection';
export const LOCAL_SERVER = 'local-server';
const SHARED = new Set([`${CONNECTION}.json`, `${LOCAL_SERVER}.json`]);

/** The receipt as a file. An old one that differs in nothing but its time stays as it is. */
export function receiptImage(fresh: Receipt, old: Receipt | undefined): FileImage {
  const same =
    old !== undefined && JSON.stringify({ ...fresh, installedAt: '' }) === JSON.stringify({ ...old, installedAt: '' });
  return textImage(`${JSON.stringify(same ? old : fresh, null, 2)}\n`, 0o600);
}

export function textImage(text: string, mode: number): FileImage {
  return { bytes: Buffer.from(text, 'utf8'), mode };
}

export function markOf(image: FileImage): FileMark {
  return { hash: sha256(image.bytes), mode: image.mode };
}

export function hasMark(image: FileImage | undefined, mark: FileMark): boolean {
  return image !== undefined && image.mode === mark.mode && sha256(image.bytes) === mark.hash;
}
