/**
 * Merges the connection into `ovcli.conf`, the file that the OpenViking command line shares with us: its other fields and
 * its comments stay. Values that are replaced are remembered inside this very file, because no other file may hold a key.
 */
import type { Node } from 'jsonc-parser';
import type { JsonValue } from '@openviking/memory-core/hot';
import { Refusal } from '../cli/refusal.ts';
import { parseDocument, placeOf, plainValue, propertyOf } from '../json/document.ts';
import { insertFirst, removeMember, replaceRaw } from '../json/edit.ts';
import { maskKey } from './api-key.ts';

export interface ConnectionWish {
  readonly url?: string;
  /** `''` clears. */
  readonly apiKey?: string;
  readonly account?: string;
  readonly user?: string;
}

export interface StoredConnection {
  readonly url?: string;
  readonly apiKey?: string;
  readonly account?: string;
  readonly user?: string;
}

export interface MergedConnection {
  readonly text: string;
  /** Names of fields that are now ours and were not there before. */
  readonly added: readonly string[];
}

/** Our own corner of the file. */
const CORNER = 'installer';

/** Canonical name first: an older spelling that is already in the file is kept. */
const SPELLINGS = {
  url: ['url'],
  apiKey: ['api_key'],
  account: ['account', 'account_id'],
  user: ['user', 'user_id'],
} as const;

type Field = keyof typeof SPELLINGS;
const FIELDS = Object.keys(SPELLINGS) as readonly Field[];

/** Fields of this file, of whoever, that are never shown. */
const SECRET_FIELDS = new Set(['api_key', 'root_api_key', 'gateway_token', 'extra_headers', 'extra_header', CORNER]);

/** Pure. `text` is undefined for a missing file. Throws a refusal when it does not parse. */
export function mergeConnection(text: string | undefined, wish: ConnectionWish, path: string): MergedConnection {
  let working = text === undefined || text.replace(/^\uFEFF/, '').trim() === '' ? undefined : text;
  if (working === undefined) {
    const fields: Record<string, string> = {};
    for (const field of FIELDS) {
      const value = wish[field];
      if (value !== undefined && value !== '') fields[SPELLINGS[field][0]] = value;
    }
    const mark = text?.startsWith('\uFEFF') ? '\uFEFF' : '';
    return { text: `${mark}${JSON.stringify(fields, null, 2)}\n`, added: Object.keys(fields) };
  }
  const added: string[] = [];
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
      added.push(name);
    } else if (node.value !== value) {
      const raw = working.slice(node.offset, node.offset + node.length);
      working = replaceRaw(working, node, JSON.stringify(value));
      // Who clears a key wants it gone, not moved.
      working = value === '' ? forget(working, name, path) : remember(working, name, raw, path);
    }
  }
  return { text: working, added };
}

/** The file as it was before the installer: replaced values return, added fields go. Pure. */
export function restoreConnection(
  text: string,
  added: readonly string[],
  path: string,
): { readonly text: string; readonly isHollow: boolean } {
  let working = text;
  const previous = remembered(rootOf(working, path));
  for (const [name, raw] of Object.entries(previous)) {
    const node = propertyOf(rootOf(working, path), name)?.children?.[1];
    if (node !== undefined) working = replaceRaw(working, node, raw);
  }
  for (const name of [CORNER, ...added]) working = removeField(working, name, path);
  const root = rootOf(working, path);
  const inner = working.slice(root.offset + 1, root.offset + root.length - 1);
  return { text: working, isHollow: (root.children ?? []).length === 0 && inner.trim() === '' };
}

/** True when the file remembers an earlier URL: a connection that the embedded server has taken the place of. */
export function remembersUrl(text: string, path: string): boolean {
  return remembered(rootOf(text, path))['url'] !== undefined;
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

function remember(text: string, name: string, raw: string, path: string): string {
  const previous = remembered(rootOf(text, path));
  // The first value is the user's; later ones are ours.
  return name in previous ? text : withPrevious(text, { ...previous, [name]: raw }, path);
}

function forget(text: string, name: string, path: string): string {
  const previous = { ...remembered(rootOf(text, path)) };
  if (!(name in previous)) return text;
  delete previous[name];
  return withPrevious(text, previous, path);
}

function withPrevious(text: string, previous: Readonly<Record<string, string>>, path: string): string {
  const cleared = removeField(text, CORNER, path);
  if (Object.keys(previous).length === 0) return cleared;
  const corner: JsonValue = { previous };
  return insertFirst(parseDocument(cleared, path), rootOf(cleared, path), corner, CORNER).text;
}

function remembered(root: Node): Readonly<Record<string, string>> {
  const corner = propertyOf(root, CORNER)?.children?.[1];
  const value =
    corner === undefined ? undefined : (plainValue(corner) as { previous?: Record<string, unknown> } | null);
  const entries = Object.entries(value?.previous ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
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
