/**
 * What an installation changes for one client: from its declaration and from the files as they are now. Reads, decides,
 * writes nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFile, HarnessDeclaration, OwnedFile } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { isThere, missingFolders } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig, placeOf } from '../json/document.ts';
import { installPaths } from '../machine/machine.ts';
import { hasMark, markOf, readReceipt, receiptImage } from '../receipts/receipt.ts';
import { EMPTY_RECORD } from '../wiring/record.ts';
import { unwireConfig } from '../wiring/unwire-config.ts';
import { shortLimits } from '../wiring/time-limits.ts';
import { wireConfig } from '../wiring/wire-config.ts';
import { writeStep } from '../apply/step.ts';
import { launcherPath, planPayload } from './payload-plan.ts';
import type { Step } from '../apply/step.ts';
import type { Phrase } from '../cli/refusal.ts';
import type { FileImage } from '../files/image.ts';
import type { Machine } from '../machine/machine.ts';
import type { Payload } from '../payload/payload.ts';
import type { ClientReceipt, ConfigReceipt, OwnedReceipt, StoredFile } from '../receipts/receipt.ts';

/** Something that the user should know or do. `isWarning`: the run ends with exit code 3. */
export interface Note {
  readonly code: string;
  readonly isWarning: boolean;
  readonly say: Phrase;
  readonly file?: string;
  readonly line?: number;
}

export interface ClientPlan {
  readonly client: HarnessDeclaration;
  /** Payload and launcher: placed and tried before anything names them. */
  readonly payloadSteps: readonly Step[];
  /** The client's own files. */
  readonly wiringSteps: readonly Step[];
  readonly receiptStep: readonly Step[];
  readonly receipt: ClientReceipt;
  readonly launcher: string;
  readonly notes: readonly Note[];
  readonly configPaths: readonly string[];
  readonly ownedFiles: readonly OwnedFile[];
}

export interface ClientPlanInput {
  readonly machine: Machine;
  readonly client: HarnessDeclaration;
  readonly payload: Payload;
  readonly clientVersion: string | undefined;
  /** Folders that this run has made before planning. */
  readonly madeFolders: readonly string[];
  /** Folders that other installations have made: whichever is taken out last has to know them all. */
  readonly sharedFolders: readonly string[];
  /** Names in `~/.openviking` before this run. */
  readonly foundInRoot: readonly string[];
}

/** Throws a refusal when a file of the client cannot be read, understood or edited. */
export function planClient(input: ClientPlanInput): ClientPlan {
  const { machine, client, payload } = input;
  const paths = installPaths(machine.home);
  const receiptPath = paths.receipt(client.id);
  const old = readReceipt(receiptPath, 'client');
  const folder = paths.integration(client.id);
  const launcher = launcherPath(folder, machine.platform);
  const placed = planPayload(machine, folder, payload, 'entries', old?.payload);
  const wiring = client.wiring({
    home: machine.home,
    platform: machine.platform,
    env: machine.env,
    launcher,
    ...(input.clientVersion === undefined ? {} : { clientVersion: input.clientVersion }),
  });

  const configs = wiring.files.map((file) =>
    planConfig(
      client,
      file,
      old?.configs.find(({ path }) => path === file.path),
    ),
  );
  const owned = wiring.owned.map((file) =>
    planOwned(
      payload,
      file,
      old?.owned.find(({ path }) => path === file.to),
    ),
  );
  const wiringSteps = [...owned, ...configs].flatMap(({ steps }) => steps);
  const steps = [...placed.steps, ...wiringSteps];
  const made = [
    ...input.madeFolders,
    ...steps.flatMap((step) => (step.kind === 'probe' ? [] : missingFolders(step.path))),
    ...missingFolders(receiptPath),
  ];
  const receipt: ClientReceipt = {
    version: 1,
    kind: 'client',
    client: client.id,
    installer: machine.version,
    installedAt: machine.now().toISOString(),
    folders: [...new Set([...(old?.folders ?? input.sharedFolders), ...made])],
    payload: placed.payload,
    launcher: placed.launcher,
    configs: [...configs.flatMap((config) => config.receipt ?? []), ...elsewhere(old, wiring.files)],
    owned: owned.flatMap((file) => file.receipt ?? []),
    foundInRoot: old?.foundInRoot ?? input.foundInRoot,
  };
  return {
    client,
    payloadSteps: placed.steps,
    wiringSteps,
    receiptStep: writeStep(receiptPath, readImage(receiptPath), receiptImage(receipt, old), 'receipt'),
    receipt,
    launcher,
    notes: [...configs, ...owned].flatMap(({ notes }) => notes),
    configPaths: receipt.configs.map(({ path }) => path),
    ownedFiles: wiring.owned,
  };
}

/** Files that an earlier run wired and that this one does not name (a variable has changed): uninstall still clears them. */
function elsewhere(old: ClientReceipt | undefined, files: readonly ConfigFile[]): readonly ConfigReceipt[] {
  return (old?.configs ?? []).filter(({ path }) => isThere(path) && !files.some((file) => file.path === path));
}

interface Part<R> {
  readonly steps: readonly Step[];
  readonly receipt?: R;
  readonly notes: readonly Note[];
}

function planConfig(client: HarnessDeclaration, file: ConfigFile, old: ConfigReceipt | undefined): Part<ConfigReceipt> {
  const image = readImage(file.path);
  if (image === undefined && file.create === 'if-present') return { steps: [], notes: [] };
  requireWritable(file.path, image);
  const text = image === undefined ? undefined : decodeConfig(image.bytes, file.path);
  const wired = wireConfig(text, file, old?.record ?? EMPTY_RECORD);
  const after: FileImage = { bytes: Buffer.from(wired.text, 'utf8'), mode: image?.mode ?? 0o600 };
  const receipt: ConfigReceipt =
    // Nothing to do: what an earlier run left, and what the user has changed since, stays told apart.
    old !== undefined && wired.text === text
      ? old
      : {
          path: file.path,
          existed: old?.existed ?? image !== undefined,
          untouched: old === undefined || (old.untouched && hasMark(image, old.left)),
          ...originalOf(image, wired.base, file, old),
          left: markOf(after),
          record: wired.record,
        };
  const notes: Note[] = wired.violations.map(({ code, offset, message, fix }) => {
    const { line } = placeOf(wired.text, offset);
    return {
      code,
      isWarning: true,
      file: file.path,
      line,
      say: (t) => t.clientRule(file.path, line, message[t.language], fix[t.language]),
    };
  });
  for (const { event, key, value, planned, offset } of shortLimits(wired.text, file)) {
    const { line } = placeOf(wired.text, offset);
    notes.push({
      code: `${client.id}/short-time-limit`,
      isWarning: true,
      file: file.path,
      line,
      say: (t) => t.shortTimeLimit(`${file.path}:${line}`, event, `${key}: ${value}`, `${key}: ${planned}`),
    });
  }
  for (const path of wired.foreign) {
    notes.push({
      code: `${client.id}/foreign-entry`,
      isWarning: true,
      file: file.path,
      say: (t) => t.foreignEntry(file.path, path.join('.')),
    });
  }
  if (wired.replaced > 0) {
    notes.push({
      code: `${client.id}/replaced-earlier`,
      isWarning: false,
      file: file.path,
      say: (t) => t.replacedEarlier(file.path, wired.replaced),
    });
  }
  return { steps: writeStep(file.path, image, after), receipt, notes };
}

/** The bytes that uninstall returns to: those of before the first installation, without an earlier installer's wiring. */
function originalOf(
  image: FileImage | undefined,
  base: string,
  file: ConfigFile,
  old: ConfigReceipt | undefined,
): { readonly original?: StoredFile } {
  if (old !== undefined) {
    return old.original !== undefined && hasMark(image, old.left) ? { original: old.original } : {};
  }
  // Ours was there without a receipt: how the file looked before is not known.
  if (image === undefined || unwireConfig(base, file, EMPTY_RECORD).text !== base) return {};
  return { original: { mode: image.mode, content: Buffer.from(base, 'utf8').toString('base64') } };
}

function planOwned(payload: Payload, file: OwnedFile, old: OwnedReceipt | undefined): Part<OwnedReceipt> {
  const bytes = contentOf(payload, file);
  const image = readImage(file.to);
  const after: FileImage = { bytes, mode: image?.mode ?? 0o644 };
  const isOurs =
    image === undefined || (old !== undefined && hasMark(image, old.left)) || Buffer.compare(image.bytes, bytes) === 0;
  if (isOurs) {
    requireWritable(file.to, image);
    return { steps: writeStep(file.to, image, after), receipt: { path: file.to, left: markOf(after) }, notes: [] };
  }
  const note: Note = {
    code: 'file/not-ours',
    isWarning: old === undefined,
    file: file.to,
    say: (t) => (old === undefined ? t.foreignFile(file.to) : t.userChangedFile(file.to)),
  };
  return { steps: [], ...(old === undefined ? {} : { receipt: old }), notes: [note] };
}

function contentOf(payload: Payload, file: OwnedFile): Buffer {
  return 'content' in file ? Buffer.from(file.content, 'utf8') : readFileSync(join(payload.folder, file.from));
}

/** A replaced file would be written although its own permissions forbid it: whoever set them meant something. */
function requireWritable(path: string, image: FileImage | undefined): void {
  if (image === undefined || (image.mode & 0o200) !== 0) return;
  throw new Refusal({ code: 'file/read-only', say: (t) => t.readOnly(path), next: (t) => t.readOnlyNext(path) });
}
