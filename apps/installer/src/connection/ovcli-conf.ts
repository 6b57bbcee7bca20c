/**
 * Merges the connection into `ovcli.conf`, the file that the OpenViking command line shares with us: its other fields and
 * its comments stay. Values that are replaced are remembered inside this very file, because no other file may hold a key.
 */
import type { Node } from 'jsonc-parser';
import { isObject } from '@openviking/memory-core/full';
import type { JsonObject } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { parseDocument, placeOf, plainValue, propertyOf } from '../json/document.ts';
import { insertFirst, removeMember, replaceRaw } from '../json/edit.ts';
import { maskKey } from './api-key.ts';

export interface ConnectionWish {
  readonly url?: string;
  /** `''` clears. */
  readonly apiKey?: string;
  /** The cleared key belongs to another server: a purge, which brings that one back, brings it back as well. */
  readonly isKeyOfOther?: true;
  readonly account?: string;
  readonly user?: string;
}

export interface StoredConnection {
  readonly url?: string;
  readonly apiKey?: string;
  readonly account?: string;
  readonly user?: string;
}

/** What earlier installations did to the file. */
export interface OwnFields {
  /** Names of fields that were not there before. */
  readonly added: readonly string[];
  /** True for a value that we wrote: any other is the user's, and neither removed nor replaced without being remembered. */
  wrote(name: string, value: string): boolean;
}

export interface MergedConnection {
  readonly text: string;
  /** Names of fields that are now ours and were not there before, those of earlier installations included. */
  readonly added: readonly string[];
  /** What this merge wrote, by field. */
  readonly wrote: Readonly<Record<string, string>>;
}

export interface RestoredConnection {
  readonly text: string;
  readonly isHollow: boolean;
  /** Names of fields of ours that the user has changed since: they stay. */
  readonly kept: readonly string[];
  /** Names of fields of the user's that were cleared on request, whose value nobody has any more. */
  readonly cleared: readonly string[];
}

const NOTHING: OwnFields = { added: [], wrote: () => false };

/** Our own corner of the file. */
const CORNER = 'installer';

/** Canonical name first: an older spelling that is already in the file is kept. */
const SPELLINGS = {
  url: ['url'],
  apiKey: ['api_key'],
  account: ['account', 'account_id'],
  user: ['user', 'user_id'],
} as const;

/** What makes a connection. */
const REMOTE_FIELDS = ['url', 'api_key'] as const;

type Field = keyof typeof SPELLINGS;
const FIELDS = Object.keys(SPELLINGS) as readonly Field[];

/** Fields of this file, of whoever, that are never shown. */
const SECRET_FIELDS = new Set(['api_key', 'root_api_key', 'gateway_token', 'extra_headers', 'extra_header', CORNER]);

/** Pure. `text` is undefined for a missing file. Throws a refusal when it does not parse. */
export function mergeConnection(
  text: string | undefined,
  wish: ConnectionWish,
  path: string,
  own: OwnFields = NOTHING,
): MergedConnection {
  if (text === undefined || isBlank(text)) {
    const fields: Record<string, string> = {};
    for (const field of FIELDS) {
      const value = wish[field];
      if (value !== undefined && value !== '') fields[SPELLINGS[field][0]] = value;
    }
    const mark = text?.startsWith('\uFEFF') ? '\uFEFF' : '';
    return { text: `${mark}${JSON.stringify(fields, null, 2)}\n`, added: Object.keys(fields), wrote: fields };
  }
  let working = text;
  const added = new Set(own.added);
  const wrote: Record<string, string> = {};
  // In reverse, because each new field goes in front of the others.
  for (const field of [...FIELDS].reverse()) {
    const value = wish[field];
    if (value === undefined) continue;
    const root = rootOf(working, path);
    const name = SPELLINGS[field].find((spelling) => propertyOf(root, spelling) !== undefined) ?? SPELLINGS[field][0];
    const node = propertyOf(root, name)?.children?.[1];
    if (node === undefined) {
      if (value === '') continue;
      working = insertFirst(parseDocument(working, path), root, value, name).text;
      added.add(name);
      wrote[name] = value;
    } else if (node.value !== value) {
      const raw = working.slice(node.offset, node.offset + node.length);
      const isOurs = typeof node.value === 'string' && own.wrote(name, node.value);
      working = replaceRaw(working, node, JSON.stringify(value));
      wrote[name] = value;
      // Who clears a key wants it gone, not moved.
      if (value === '' && wish.isKeyOfOther !== true) working = forget(working, name, path);
      else if (!isOurs) {
        working = remember(working, name, raw, path, own !== NOTHING);
        added.delete(name);
      } else if (!added.has(name) && !(name in cornerOf(root).previous)) {
        // Where a value of the user's was cleared, nothing else comes back than the cleared field.
        working = remember(working, name, '""', path, true);
      }
    }
  }
  return { text: working, added: [...added], wrote };
}

/** True for a file that holds nothing at all. */
export function isBlank(text: string): boolean {
  return text.replace(/^\uFEFF/, '').trim() === '';
}

/** The file as it was before the installer: replaced values return, added fields go, what the user changed stays. Pure. */
export function restoreConnection(text: string, own: OwnFields, path: string): RestoredConnection {
  let working = text;
  const kept: string[] = [];
  const isOurs = (name: string, value: unknown): boolean => {
    if (typeof value === 'string' && own.wrote(name, value)) return true;
    kept.push(name);
    return false;
  };
  const { previous } = cornerOf(rootOf(working, path));
  for (const [name, raw] of Object.entries(previous)) {
    const node = propertyOf(rootOf(working, path), name)?.children?.[1];
    if (node !== undefined && isOurs(name, node.value)) working = replaceRaw(working, node, raw);
  }
  for (const name of own.added) {
    const node = propertyOf(rootOf(working, path), name)?.children?.[1];
    if (node !== undefined && !(name in previous) && isOurs(name, node.value)) {
      working = removeField(working, name, path);
    }
  }
  working = removeCorner(working, path);
  const root = rootOf(working, path);
  const inner = working.slice(root.offset + 1, root.offset + root.length - 1);
  const cleared = FIELDS.flatMap((field) => SPELLINGS[field]).filter(
    (name) => propertyOf(root, name)?.children?.[1]?.value === '' && own.wrote(name, ''),
  );
  return { text: working, isHollow: (root.children ?? []).length === 0 && inner.trim() === '', kept, cleared };
}

/**
 * Remembers the address and key that a run was given earlier, before the embedded server takes their place: they are ours
 * to remove by a purge, but the user's connection as long as there is none. Pure.
 */
export function setRemoteAside(text: string, own: OwnFields, path: string): string {
  const root = rootOf(text, path);
  const url = propertyOf(root, 'url')?.children?.[1];
  // A value of the user's own is remembered as every other one, and what was aside until now is older than that.
  if (typeof url?.value !== 'string' || !own.wrote('url', url.value)) {
    return cornerOf(root).remote === undefined ? text : withoutAside(text, path);
  }
  return withPairAside(text, path, url.value);
}

/**
 * Puts address and key aside, whoever they are from, before others take their place: a key that turns out to be wrong must
 * not have cost the one that worked. `url`: of the server that the key was for, where the file names none. Pure.
 */
export function withPairAside(text: string, path: string, url: string): string {
  const root = rootOf(text, path);
  const remote = REMOTE_FIELDS.map((name) => {
    const node = propertyOf(root, name)?.children?.[1];
    const missing = name === 'url' ? JSON.stringify(url) : null;
    return [name, node === undefined ? missing : text.slice(node.offset, node.offset + node.length)] as const;
  });
  return withCorner(text, { ...cornerOf(root), remote: Object.fromEntries(remote) }, path);
}

/**
 * The connection without the embedded server: the one it took the place of, else that of before the installer. Undefined
 * when neither is known. Pure.
 */
export function remoteAgain(
  text: string,
  own: OwnFields,
  path: string,
): { readonly text: string; readonly isOriginal: boolean } | undefined {
  const corner = cornerOf(rootOf(text, path));
  if (corner.remote === undefined) {
    return 'url' in corner.previous ? { text: restoreConnection(text, own, path).text, isOriginal: true } : undefined;
  }
  let working = withCorner(text, { previous: corner.previous }, path);
  for (const [name, raw] of Object.entries(corner.remote).reverse()) {
    const root = rootOf(working, path);
    const node = propertyOf(root, name)?.children?.[1];
    if (raw === null) working = removeField(working, name, path);
    else if (node !== undefined) working = replaceRaw(working, node, raw);
    else {
      working = insertFirst(parseDocument(working, path), root, '', name).text;
      const fresh = propertyOf(rootOf(working, path), name)?.children?.[1];
      if (fresh !== undefined) working = replaceRaw(working, fresh, raw);
    }
  }
  return { text: working, isOriginal: false };
}

/** The address and key that were put aside last; undefined when there are none. Never throws. */
export function readAside(text: string | undefined, path: string): StoredConnection | undefined {
  if (text === undefined) return undefined;
  try {
    const { remote } = cornerOf(rootOf(text, path));
    if (remote === undefined) return undefined;
    const fields = Object.entries(remote).flatMap(([name, raw]) =>
      raw === null ? [] : [`${JSON.stringify(name)}:${raw}`],
    );
    return readConnection(`{${fields.join()}}`, path);
  } catch {
    return undefined;
  }
}

/** Forgets what was put aside. Pure. */
export function withoutAside(text: string, path: string): string {
  const { previous } = cornerOf(rootOf(text, path));
  return withCorner(text, { previous }, path);
}

/** Takes address and key of the embedded server out, where we had added them. Pure. */
export function withoutLocal(text: string, own: OwnFields, path: string): string {
  let working = text;
  for (const name of REMOTE_FIELDS.filter((field) => own.added.includes(field))) {
    const value: unknown = propertyOf(rootOf(working, path), name)?.children?.[1]?.value;
    if (typeof value === 'string' && own.wrote(name, value)) working = removeField(working, name, path);
  }
  return working;
}

/** What the file says about the connection; blank strings and the words null and undefined are unset. Never throws. */
export function readConnection(text: string | undefined, path: string): StoredConnection {
  if (text === undefined) return {};
  let root: Node;
  try {
    root = rootOf(text, path);
  } catch {
    return {};
  }
  const found: { -readonly [K in Field]?: string } = {};
  for (const field of FIELDS) {
    for (const spelling of SPELLINGS[field]) {
      const value = propertyOf(root, spelling)?.children?.[1]?.value as unknown;
      if (typeof value === 'string' && !['', 'null', 'undefined'].includes(value.trim())) found[field] ??= value.trim();
    }
  }
  return found;
}

/** The text with every secret value masked, for diffs. */
export function maskedConnection(text: string, path: string): string {
  if (text.trim() === '') return text;
  let result = text;
  const root = rootOf(text, path);
  for (const property of [...(root.children ?? [])].reverse()) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined || !SECRET_FIELDS.has(String(key.value))) continue;
    const shown = typeof value.value === 'string' && value.value !== '' ? maskKey(value.value) : '••••';
    result = value.value === '' ? result : replaceRaw(result, value, JSON.stringify(shown));
  }
  return result;
}

/** `isUsers`: the value is certain to be the user's, so it counts more than an earlier one. */
function remember(text: string, name: string, raw: string, path: string, isUsers: boolean): string {
  const corner = cornerOf(rootOf(text, path));
  if (name in corner.previous && !isUsers) return text;
  return withCorner(text, { ...corner, previous: { ...corner.previous, [name]: raw } }, path);
}

function forget(text: string, name: string, path: string): string {
  const corner = cornerOf(rootOf(text, path));
  if (!(name in corner.previous)) return text;
  const previous = Object.fromEntries(Object.entries(corner.previous).filter(([known]) => known !== name));
  return withCorner(text, { ...corner, previous }, path);
}

/** Values as they were spelled. */
interface Corner {
  /** Values of the user's that ours took the place of. */
  readonly previous: Readonly<Record<string, string>>;
  /** Address and key that the embedded server, or the last change of the connection, took the place of; null: there was none. */
  readonly remote?: Readonly<Record<string, string | null>>;
}

function withCorner(text: string, { previous, remote }: Corner, path: string): string {
  const cleared = removeCorner(text, path);
  const corner: JsonObject = {
    ...(Object.keys(previous).length === 0 ? {} : { previous }),
    ...(remote === undefined ? {} : { remote }),
  };
  if (Object.keys(corner).length === 0) return cleared;
  return insertFirst(parseDocument(cleared, path), rootOf(cleared, path), corner, CORNER).text;
}

/** A field of that name that does not look like our corner is somebody else's, and stays. */
function removeCorner(text: string, path: string): string {
  const root = rootOf(text, path);
  const property = cornerProperty(root);
  return property === undefined ? text : removeMember(text, root, property);
}

function cornerOf(root: Node): Corner {
  const node = cornerProperty(root)?.children?.[1];
  const value = node === undefined ? undefined : plainValue(node);
  if (!isCorner(value)) return { previous: {} };
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  const isTextOrNull = (entry: [string, unknown]): entry is [string, string | null] =>
    entry[1] === null || isText(entry);
  return {
    previous: Object.fromEntries(Object.entries(value.previous ?? {}).filter(isText)),
    ...(value.remote === undefined
      ? {}
      : { remote: Object.fromEntries(Object.entries(value.remote).filter(isTextOrNull)) }),
  };
}

function cornerProperty(root: Node): Node | undefined {
  return root.children?.find(({ children: [key, value] = [] }) => {
    return key?.value === CORNER && value !== undefined && isCorner(plainValue(value));
  });
}

function isCorner(value: unknown): value is { readonly previous?: JsonObject; readonly remote?: JsonObject } {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => (name === 'previous' || name === 'remote') && isObject(value[name]));
}

function removeField(text: string, name: string, path: string): string {
  const root = rootOf(text, path);
  const property = propertyOf(root, name);
  return property === undefined ? text : removeMember(text, root, property);
}

function rootOf(text: string, path: string): Node {
  const { root } = parseDocument(text, path);
  if (root?.type === 'object') return root;
  const { line, column } = placeOf(text, root?.offset ?? 0);
  throw new Refusal({
    code: 'config/shape',
    say: (t) => t.wrongShape(path, line, column, '', 'object'),
    next: (t) => t.brokenFileNext,
  });
}
