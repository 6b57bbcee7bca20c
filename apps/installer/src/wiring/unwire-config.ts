/**
 * Takes our handlers and entries out of a configuration file that has changed since they were put in: only ours goes,
 * containers that we made go when nobody else has filled them, and `enabled` goes back to what it was.
 */
import type { Node } from 'jsonc-parser';
import type { ConfigFile } from '@openviking/memory-core/hot';
import { parseDocument, plainValue } from '../json/document.ts';
import { replaceRaw } from '../json/edit.ts';
import { WorkingText } from './working-text.ts';
import type { ConfigRecord } from './record.ts';

export interface UnwiredConfig {
  readonly text: string;
  /** How many handlers and entries were taken out. */
  readonly removed: number;
  /** True when nothing but an empty object is left of the file. */
  readonly isHollow: boolean;
}

/** Pure. Throws a refusal when the file does not parse. */
export function unwireConfig(text: string, file: ConfigFile, record: ConfigRecord): UnwiredConfig {
  const document = parseDocument(text, file.path);
  if (document.root?.type !== 'object') return { text, removed: 0, isHollow: document.root === undefined };
  const working = new WorkingText(document, file.path, record.hollows);
  let removed = 0;
  for (const { kind, path } of file.operations) {
    if (kind === 'scalar') continue;
    const parent = path.slice(0, -1);
    for (const name of working.keysAt(parent)) {
      removed += kind === 'handler' ? removeHandlers(working, file, [...parent, name]) : 0;
      if (kind === 'entry') removed += removeEntry(working, file, [...parent, name]);
    }
  }
  for (const scalar of record.scalars) {
    const node = working.at(scalar.path);
    // Changed since: the user has decided.
    if (node === undefined || node.value !== scalar.value) continue;
    if (scalar.before === undefined) working.removeProperty(scalar.path);
    else working.set(replaceRaw(working.text, node, scalar.before));
  }
  const innerFirst = [...record.containers].sort((one, other) => other.length - one.length);
  for (const path of innerFirst) {
    const node = working.at(path);
    if (node !== undefined && isEmpty(working.text, node)) working.removeProperty(path);
  }
  const { root } = working.document;
  return { text: working.text, removed, isHollow: root !== undefined && isAlone(working.text, root) };
}

function removeHandlers(working: WorkingText, file: ConfigFile, path: readonly string[]): number {
  for (let removed = 0; ; removed += 1) {
    const found = working.findHandler(path, file.owns, () => true);
    if (found === undefined) return removed;
    working.removeHandler(path, found);
  }
}

function removeEntry(working: WorkingText, file: ConfigFile, path: readonly string[]): number {
  const node = working.at(path);
  if (node === undefined || file.owns(plainValue(node), path.at(-1)) === undefined) return 0;
  working.removeProperty(path);
  return 1;
}

/** An empty object with nothing around it: a comment there is the user's, too. */
function isAlone(text: string, root: Node): boolean {
  const around = text.slice(0, root.offset).replace(/^\uFEFF/, '') + text.slice(root.offset + root.length);
  return isEmpty(text, root) && around.trim() === '';
}

/** No member and no comment: a comment is the user's, and keeps its container. */
function isEmpty(text: string, node: { offset: number; length: number; type: string; children?: unknown[] }): boolean {
  return (
    (node.type === 'object' || node.type === 'array') &&
    (node.children ?? []).length === 0 &&
    text.slice(node.offset + 1, node.offset + node.length - 1).trim() === ''
  );
}
