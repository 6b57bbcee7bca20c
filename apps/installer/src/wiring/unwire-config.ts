/**
 * Takes our handlers and entries out of a configuration file that has changed since they were put in: only ours goes,
 * containers that we made go when nobody else has filled them, and `enabled` goes back to what it was, unless a hook that
 * the user has added since needs it.
 */
import type { Node } from 'jsonc-parser';
import type { ConfigFile } from '@openviking/memory-core/hot';
import { parseDocument, plainValue, toConfigDocument } from '../json/document.ts';
import { replaceRaw } from '../json/edit.ts';
import { isHandler } from './handlers.ts';
import { objectionOf, samePath } from './record.ts';
import { hasNewNeighbour, isSwitch, neighboursIn } from './neighbours.ts';
import { WorkingText } from './working-text.ts';
import type { HandlerOperation } from './handlers.ts';
import type { ConfigRecord, SetScalar } from './record.ts';

export interface UnwiredConfig {
  readonly text: string;
  /** How many handlers and entries were taken out. */
  readonly removed: number;
  /** True when nothing but an empty object is left of the file. */
  readonly isHollow: boolean;
  /** Switches that stay on, because a handler that was added since needs them. */
  readonly keptOn?: readonly (readonly string[])[];
}

/** Pure. Throws a refusal when the file does not parse. */
export function unwireConfig(text: string, file: ConfigFile, record: ConfigRecord): UnwiredConfig {
  const document = parseDocument(text, file.path);
  if (document.root?.type !== 'object') return { text, removed: 0, isHollow: document.root === undefined };
  const working = new WorkingText(document, file.path, record.hollows);
  let removed = 0;
  for (const operation of file.operations) {
    if (operation.kind === 'scalar') continue;
    const parent = operation.path.slice(0, -1);
    for (const name of working.keysAt(parent)) {
      const path = [...parent, name];
      // The same text in another list says something else, and is somebody else's.
      if (operation.kind === 'item' && !samePath(path, operation.path)) continue;
      removed += isHandler(operation)
        ? removeHandlers(working, operation.kind, file, path)
        : removeEntry(working, file, path);
    }
  }
  const withScalars = working.text;
  const stillOn = record.scalars.filter(
    (scalar) => isSwitch(scalar, file.operations) && working.at(scalar.path)?.value === scalar.value,
  );
  const isNeeded =
    record.neighbours !== undefined &&
    stillOn.length > 0 &&
    hasNewNeighbour(neighboursIn(working, file), record.neighbours);
  const keptOn = isNeeded ? stillOn : [];
  for (const scalar of record.scalars) if (!keptOn.includes(scalar)) restoreScalar(working, scalar);
  removeHollow(working, record);
  if (!isHollow(working) && breaksRules(working, withScalars, file, record)) {
    working.set(withScalars);
    removeHollow(working, record);
  }
  return {
    text: working.text,
    removed,
    isHollow: isHollow(working),
    ...(keptOn.length === 0 ? {} : { keptOn: keptOn.map(({ path }) => path) }),
  };
}

function restoreScalar(working: WorkingText, { path, value, before }: SetScalar): void {
  const node = working.at(path);
  // Changed since: the user has decided.
  if (node === undefined || node.value !== value) return;
  if (before === undefined) working.removeProperty(path);
  else working.set(replaceRaw(working.text, node, before));
}

function removeHollow(working: WorkingText, record: ConfigRecord): void {
  const innerFirst = [...record.containers].sort((one, other) => other.length - one.length);
  for (const path of innerFirst) {
    const node = working.at(path);
    if (node !== undefined && isEmpty(working.text, node)) working.removeProperty(path);
  }
}

/** A client may refuse the user's own handlers without a scalar that only we had set. */
function breaksRules(working: WorkingText, withScalars: string, file: ConfigFile, record: ConfigRecord): boolean {
  const now = file.check(toConfigDocument(working.document)).map(objectionOf);
  const known = new Set([
    ...(record.objections ?? []),
    ...file.check(toConfigDocument(parseDocument(withScalars, file.path))).map(objectionOf),
  ]);
  return now.some((objection) => !known.has(objection));
}

function isHollow({ document: { root }, text }: WorkingText): boolean {
  return root !== undefined && isAlone(text, root);
}

function removeHandlers(
  working: WorkingText,
  kind: HandlerOperation['kind'],
  file: ConfigFile,
  path: readonly string[],
): number {
  for (let removed = 0; ; removed += 1) {
    const found = working.findHandler(path, kind, file.owns);
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
