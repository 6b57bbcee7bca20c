/** What an installation or removal changes in `ovcli.conf`. The file holds a key, so its steps are marked secret and come last. */
import { randomBytes, scryptSync } from 'node:crypto';
import { Refusal } from '../cli/refusal.ts';
import {
  isBlank,
  mergeConnection,
  readAside,
  readConnection,
  remoteAgain,
  restoreConnection,
  setRemoteAside,
  withoutAside,
  withoutLocal,
  withPairAside,
} from '../connection/ovcli-conf.ts';
import { displayUrl } from '../connection/server-url.ts';
import { missingFolders } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig } from '../json/document.ts';
import { readLocalInstallation } from '../local/local-server.ts';
import { installPaths, ovcliPath, settingsFor } from '../machine/machine.ts';
import { CONNECTION, readReceipt, receiptImage } from '../receipts/receipt.ts';
import { writeStep } from '../apply/step.ts';
import type { Step } from '../apply/step.ts';
import type { ConnectionWish, OwnFields } from '../connection/ovcli-conf.ts';
import type { Machine } from '../machine/machine.ts';
import type { ConnectionReceipt } from '../receipts/receipt.ts';
import type { Note } from './client-plan.ts';

export interface ConnectionPlan {
  /** The receipt; goes before the file. */
  readonly receiptStep: readonly Step[];
  readonly fileStep: readonly Step[];
  readonly notes: readonly Note[];
}

/** Everybody but the owner is kept out of the file: it holds a key. */
const PRIVATE = 0o600;

/** `isLocal`: the embedded server becomes the connection. `isRefused`: the server is known not to take the present key. */
export function planConnection(
  machine: Machine,
  wish: ConnectionWish,
  madeFolders: readonly string[],
  isLocal: boolean,
  isRefused = false,
): ConnectionPlan {
  const path = ovcliPath(machine);
  const before = readImage(path);
  if (Object.values(wish).every((value) => value === undefined)) return { receiptStep: [], fileStep: [], notes: [] };
  if (before !== undefined && (before.mode & 0o200) === 0) {
    throw new Refusal({
      code: 'file/read-only',
      file: path,
      say: (t) => t.readOnly(path),
      next: (t) => t.readOnlyNext(path),
    });
  }
  const text = before === undefined ? undefined : decodeConfig(before.bytes, path);
  const receiptPath = installPaths(machine.home).receipt(CONNECTION);
  const found = readReceipt(receiptPath, 'connection');
  // The file was taken away since, or is another one: what an earlier run did to it counts no more.
  const old = found?.path === path && before !== undefined ? found : undefined;
  const start = startingPoint(machine, text, old, path, wish, isLocal);
  const keptKey = isLocal ? undefined : keyAside([start.text, text], wish, path);
  const known: ConnectionWish = keptKey === undefined ? wish : { ...wish, apiKey: keptKey };
  const leaves = isLocal ? undefined : otherServer(machine, start.text, known, path);
  const wanted: ConnectionWish = leaves === undefined ? known : { ...known, apiKey: '', isKeyOfOther: true };
  const aside = isLocal || isRefused ? start.text : withOldPair(machine, start.text, wanted, path);
  const merged = mergeConnection(aside, wanted, path, old === undefined ? undefined : start.own);
  const replaced = aside === start.text || leaves !== undefined ? undefined : readAside(aside, path);
  const mode = old === undefined ? before?.mode : old.mode;
  const blank = old === undefined ? (text !== undefined && isBlank(text) ? text : undefined) : old.blank;
  const salt = old?.salt ?? randomBytes(16).toString('hex');
  const receipt: ConnectionReceipt = {
    version: 1,
    kind: 'connection',
    installer: machine.version,
    installedAt: machine.now().toISOString(),
    folders: [...new Set([...(found?.folders ?? []), ...madeFolders, ...missingFolders(path)])],
    path,
    existed: old?.existed ?? before !== undefined,
    ...(mode === undefined ? {} : { mode }),
    added: merged.added,
    salt,
    wrote: withDigests(old?.wrote ?? {}, merged.wrote, salt),
    ...(blank === undefined ? {} : { blank }),
    ...(found?.foundInRoot === undefined ? {} : { foundInRoot: found.foundInRoot }),
  };
  return {
    receiptStep: writeStep(receiptPath, readImage(receiptPath), receiptImage(receipt, found), 'receipt'),
    fileStep: writeStep(path, before, { bytes: Buffer.from(merged.text, 'utf8'), mode: PRIVATE }, 'secret'),
    notes:
      leaves === undefined
        ? replaced?.apiKey === undefined
          ? []
          : [
              {
                code: 'connection/aside',
                isWarning: false,
                file: path,
                say: (t) => t.connectionAside(path, displayUrl(replaced.url ?? '')),
              },
            ]
        : [
            {
              code: 'connection/key-of-other',
              isWarning: true,
              file: path,
              say: (t) => t.keyOfOther(path, displayUrl(leaves)),
            },
          ],
  };
}

/** The key for the wanted address among the pairs that were put aside, when the wish names none. */
function keyAside(texts: readonly (string | undefined)[], { url, apiKey }: ConnectionWish, path: string) {
  if (url === undefined || apiKey !== undefined) return undefined;
  const now = readConnection(texts[0], path);
  if (now.apiKey !== undefined && now.url !== undefined && originOf(now.url) === originOf(url)) return undefined;
  return texts
    .map((text) => readAside(text, path))
    .find((pair) => pair?.url !== undefined && originOf(pair.url) === originOf(url))?.apiKey;
}

/** The text with the present address and key put aside, where the wish takes them away and nobody asked to forget them. */
function withOldPair(
  machine: Machine,
  text: string | undefined,
  wish: ConnectionWish,
  path: string,
): string | undefined {
  if (text === undefined || isBlank(text) || isLocalUrl(machine, text, path)) return text;
  const now = readConnection(text, path);
  // Without an address the key was that of the server which hooks and the command line use then.
  const url = now.url ?? settingsFor(machine, { id: '' }).connection.baseUrl;
  if (wish.apiKey === '' && wish.isKeyOfOther !== true) {
    const pair = readAside(text, path);
    return pair?.url !== undefined && originOf(pair.url) === originOf(url) ? withoutAside(text, path) : text;
  }
  if (now.apiKey === undefined) return text;
  const isSame = (wish.apiKey ?? now.apiKey) === now.apiKey && originOf(wish.url ?? url) === originOf(url);
  return isSame ? text : withPairAside(text, path, url);
}

/** The server whose key must not go to the new address: the wish names another one, and no key for it. */
function otherServer(
  machine: Machine,
  text: string | undefined,
  wish: ConnectionWish,
  path: string,
): string | undefined {
  const { url: stored, apiKey } = readConnection(text, path);
  if (wish.url === undefined || wish.apiKey !== undefined || apiKey === undefined) return undefined;
  // Without an address the key was that of the server which hooks and the command line use then.
  const url = stored ?? settingsFor(machine, { id: '' }).connection.baseUrl;
  return originOf(url) === originOf(wish.url) ? undefined : url;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Whoever goes to the embedded server, or leaves it, does not mix its address and key with those of another. */
function startingPoint(
  machine: Machine,
  text: string | undefined,
  old: ConnectionReceipt | undefined,
  path: string,
  wish: ConnectionWish,
  isLocal: boolean,
): { readonly text: string | undefined; readonly own: OwnFields } {
  const own = old === undefined ? { added: [], wrote: () => false } : ownFields(old);
  if (old === undefined || text === undefined || isBlank(text)) return { text, own };
  const wasLocal = isLocalUrl(machine, text, path);
  if (isLocal) return { text: wasLocal ? text : setRemoteAside(text, own, path), own };
  if (!wasLocal || wish.url === undefined || wish.url === localUrl(machine)) return { text, own };
  const remote = remoteAgain(text, own, path);
  if (remote !== undefined) {
    return { text: remote.text, own: remote.isOriginal ? { ...own, added: [] } : own };
  }
  return { text: withoutLocal(text, own, path), own };
}

export interface ConnectionRemoval {
  readonly steps: readonly Step[];
  readonly notes: readonly Note[];
}

/** Takes our fields out of `ovcli.conf`, or the file away when it was ours and nobody else has put anything in. */
export function planConnectionRemoval(receipt: ConnectionReceipt): ConnectionRemoval {
  const { path } = receipt;
  const before = readImage(path);
  if (before === undefined) return { steps: [], notes: [] };
  const text = decodeConfig(before.bytes, path);
  if (isBlank(text)) return { steps: [], notes: [] };
  const own = ownFields(receipt);
  const { kept, cleared, ...restored } = restoreConnection(text, own, path);
  const notes: Note[] = [];
  if (kept.length > 0) {
    notes.push({ code: 'connection/changed', isWarning: false, file: path, say: (t) => t.connectionKept(path, kept) });
  }
  if (cleared.length > 0) {
    notes.push({
      code: 'connection/cleared',
      isWarning: false,
      file: path,
      say: (t) => t.connectionCleared(path, cleared),
    });
  }
  if (!receipt.existed && restored.isHollow)
    return { steps: [{ kind: 'remove', path, before, isSecret: true }], notes };
  const original = restored.isHollow && receipt.blank !== undefined ? receipt.blank : restored.text;
  const { apiKey } = readConnection(original, path);
  const holdsOurs = apiKey !== undefined && own.wrote('api_key', apiKey);
  // A key that stays, whoever has typed it, is kept as closed as it is now.
  const mode = kept.length > 0 || holdsOurs ? before.mode : (receipt.mode ?? before.mode);
  return { steps: writeStep(path, before, { bytes: Buffer.from(original, 'utf8'), mode }, 'secret'), notes };
}

/**
 * What becomes of the connection when everything else goes and it stays: the embedded server's gives its place back to an
 * earlier one, and the receipt stays as long as there is something that a later `--purge` can take away.
 */
export function planConnectionStay(
  machine: Machine,
  receipt: ConnectionReceipt,
  madeFolders: readonly string[],
  foundInRoot: readonly string[],
): { readonly steps: readonly Step[]; readonly secretSteps: readonly Step[] } {
  const { path } = receipt;
  const receiptPath = installPaths(machine.home).receipt(CONNECTION);
  const receiptBefore = readImage(receiptPath);
  const forget: readonly Step[] =
    receiptBefore === undefined ? [] : [{ kind: 'remove', path: receiptPath, before: receiptBefore, isReceipt: true }];
  const before = readImage(path);
  if (before === undefined) return { steps: forget, secretSteps: [] };
  const text = decodeConfig(before.bytes, path);
  if (isBlank(text)) return { steps: forget, secretSteps: [] };
  const own = ownFields(receipt);
  const remote = isLocalUrl(machine, text, path) ? remoteAgain(text, own, path) : undefined;
  if (remote?.isOriginal === true) {
    return { steps: forget, secretSteps: planConnectionRemoval(receipt).steps };
  }
  const root = installPaths(machine.home).root;
  const kept: ConnectionReceipt = {
    ...receipt,
    folders: [...new Set([...receipt.folders, ...madeFolders.filter((folder) => folder.startsWith(root))])],
    foundInRoot: [...new Set([...(receipt.foundInRoot ?? []), ...foundInRoot])],
  };
  const after = { bytes: Buffer.from(remote?.text ?? text, 'utf8'), mode: before.mode };
  return {
    steps: writeStep(receiptPath, receiptBefore, receiptImage(kept, receipt), 'receipt'),
    secretSteps: writeStep(path, before, after, 'secret'),
  };
}

function ownFields({ added, salt, wrote }: ConnectionReceipt): OwnFields {
  return { added, wrote: (name, value) => wrote[name]?.includes(digest(salt, value)) === true };
}

function withDigests(
  old: ConnectionReceipt['wrote'],
  fresh: Readonly<Record<string, string>>,
  salt: string,
): ConnectionReceipt['wrote'] {
  const result = { ...old };
  for (const [name, value] of Object.entries(fresh)) {
    result[name] = [...new Set([...(result[name] ?? []), digest(salt, value)])];
  }
  return result;
}

/** Slow on purpose: a receipt that gets into other hands must not be a way to guess a weak key. */
function digest(salt: string, value: string): string {
  return scryptSync(value, salt, 32).toString('base64url');
}

function localUrl({ home }: Machine): string | undefined {
  const { port } = readLocalInstallation(home);
  return port === undefined ? undefined : `http://127.0.0.1:${port}`;
}

function isLocalUrl(machine: Machine, text: string, path: string): boolean {
  const { url } = readConnection(text, path);
  return url !== undefined && url === localUrl(machine);
}
