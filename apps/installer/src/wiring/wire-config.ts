/**
 * Puts a client's hooks and server into the text of its configuration file, by the smallest change that does it: first
 * what older installers left is taken out, then what is there is brought up to date, then what is missing is added. A
 * second run over the result changes nothing.
 */
import { isObject } from '@openviking/memory-core/full';
import type {
  ConfigFile,
  ConfigOperation,
  JsonObject,
  JsonValue,
  RuleViolation,
  TreeOperation,
} from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { parseDocument, placeOf, plainValue, propertyOf, toConfigDocument } from '../json/document.ts';
import { insertFirst, removeMember, replaceRaw, replaceValue } from '../json/edit.ts';
import { renderValue, styleOf } from '../json/style.ts';
import { isHandler, treeOperations } from './handlers.ts';
import { userSettingsOf, withUserSettings } from '../migration/user-settings.ts';
import { requireNothingBroken } from './client-rules.ts';
import { equal, merged } from './merge.ts';
import { mergeByPath, mergeScalars, objectionOf, samePath } from './record.ts';
import { isSwitch, neighboursIn } from './neighbours.ts';
import { WorkingText } from './working-text.ts';
import type { JsonDocument } from '../json/document.ts';
import type { HandlerOperation } from './handlers.ts';
import type { ConfigRecord, Hollow, SetScalar, WrittenValue } from './record.ts';

export interface WiredConfig {
  readonly text: string;
  /** The file without what an earlier installer had put there: what uninstall goes back to. */
  readonly base: string;
  readonly record: ConfigRecord;
  /** Paths of entries under our name that are somebody else's: left as they are. */
  readonly foreign: readonly (readonly string[])[];
  /** How many handlers and entries of an earlier installer were replaced. */
  readonly replaced: number;
  /** What makes the client drop the file or a part of it; all of it was there before. Offsets into `text`. */
  readonly violations: readonly RuleViolation[];
}

/**
 * Pure. `text` is undefined for a missing file; one with nothing but white space is treated the same. Throws a refusal when
 * the file does not parse, has another shape than the client's, or when the result would break a rule of the client.
 */
export function wireConfig(text: string | undefined, file: ConfigFile, known: ConfigRecord): WiredConfig {
  const before = text ?? '';
  const document = parseDocument(before, file.path);
  if (document.root === undefined) return createConfig(before, file, known);
  requireShape(document.root.type === 'object', '', 'object', before, document.root.offset, file.path);

  const working = new WorkingText(document, file.path);
  for (const operation of file.operations) checkShape(working, operation);
  const neighbours = neighboursIn(working, file);
  const carried = settingsInEarlier(working, file);
  const replaced = removeEarlier(working, file);
  const base = working.text;
  const foreign = file.operations
    .filter((operation) => operation.kind === 'entry')
    .filter(({ path }) => isForeign(working, file, path))
    .map(({ path }) => path);

  const scalars: SetScalar[] = [];
  const written: WrittenValue[] = [];
  const hollows: Hollow[] = [];
  const missing: TreeOperation[] = [];
  for (const operation of treeOperations(file.operations)) {
    if (foreign.some((path) => samePath(path, operation.path))) continue;
    const target = working.at(operation.path);
    if (target === undefined) {
      missing.push(operation);
    } else if (operation.kind === 'scalar') {
      if (target.value === operation.value) continue;
      const raw = working.text.slice(target.offset, target.offset + target.length);
      working.set(replaceRaw(working.text, target, JSON.stringify(operation.value)));
      scalars.push({ path: operation.path, value: operation.value, before: raw });
    } else if (operation.kind === 'entry') {
      updateObject(working, () => working.at(operation.path), merged(plainValue(target), operation, known));
      written.push({ path: operation.path, value: operation.value });
    } else {
      placeHandler(working, file, operation, known, hollows);
      if (operation.kind !== 'item') written.push({ path: operation.path, value: operation.handler });
    }
  }
  const added = addMissing(working, missing);
  for (const { path, settings } of carried) {
    const entry = working.at(path);
    const value = entry === undefined ? undefined : plainValue(entry);
    if (isObject(value)) updateObject(working, () => working.at(path), withUserSettings(value, settings));
  }
  // What was true before the first installation stays what uninstall goes back to.
  const record: ConfigRecord = {
    containers: [
      ...known.containers.filter((path) => !added.containers.some((other) => samePath(other, path))),
      ...added.containers,
    ],
    hollows: mergeByPath([...hollows, ...added.hollows], known.hollows),
    scalars: mergeScalars([...scalars, ...added.scalars], known.scalars),
    written: mergeByPath(known.written, [...written, ...added.written]),
    objections: known.objections ?? objectionsTo(document, file),
    ...neighboursOf([...scalars, ...added.scalars], neighbours, file, known),
  };
  const violations = requireNothingBroken(toConfigDocument(document), toConfigDocument(working.document), file);
  return { text: working.text, base, record, foreign, replaced, violations };
}

/** A new file, or one without a value: white space goes, a byte order mark and comments stay in front. */
function createConfig(before: string, file: ConfigFile, known: ConfigRecord): WiredConfig {
  const working = new WorkingText(parseDocument('{}', file.path), file.path);
  const added = addMissing(working, treeOperations(file.operations));
  const style = styleOf(before, undefined);
  const content = working.document.root === undefined ? {} : plainValue(working.document.root);
  const front = frontOf(before, style.newline);
  working.set(front + renderValue(content, style, '') + style.newline);
  return {
    text: working.text,
    base: before,
    record: {
      ...added,
      scalars: mergeScalars(added.scalars, known.scalars),
      ...neighboursOf(added.scalars, [], file, known),
    },
    foreign: [],
    replaced: 0,
    violations: requireNothingBroken(
      toConfigDocument(parseDocument(`${front}{}`, file.path)),
      toConfigDocument(working.document),
      file,
    ),
  };
}

/** Remembered with the first switch that is put on; an earlier run has seen the file without us. */
function neighboursOf(
  set: readonly SetScalar[],
  found: readonly string[],
  { operations }: ConfigFile,
  known: ConfigRecord,
): Pick<ConfigRecord, 'neighbours'> {
  if (known.neighbours !== undefined) return { neighbours: known.neighbours };
  const isNew = ({ path }: SetScalar): boolean => !known.scalars.some((earlier) => samePath(earlier.path, path));
  return set.some((scalar) => isNew(scalar) && isSwitch(scalar, operations)) ? { neighbours: found } : {};
}

/** What stays in front of the value that a file gets: its comments, on lines of their own. */
function frontOf(before: string, newline: string): string {
  const mark = before.startsWith('\uFEFF') ? '\uFEFF' : '';
  if (before.slice(mark.length).trim() === '') return mark;
  return /[\r\n][ \t]*$/.test(before) ? before.replace(/[ \t]+$/, '') : before + newline;
}

/** In a file that held something: what a client says about an empty one counts no more once the user fills it. */
function objectionsTo(document: JsonDocument, file: ConfigFile): readonly string[] {
  if ((document.root?.children ?? []).length === 0) return [];
  return file.check(toConfigDocument(document)).map(objectionOf);
}

/** What the user has set in entries of an earlier installer that ours take the place of. */
function settingsInEarlier(
  working: WorkingText,
  file: ConfigFile,
): readonly { readonly path: readonly string[]; readonly settings: JsonObject }[] {
  return file.operations.flatMap(({ kind, path }) => {
    const node = kind === 'entry' ? working.at(path) : undefined;
    const value = node === undefined ? undefined : plainValue(node);
    if (value === undefined || file.owns(value, path.at(-1)) !== 'earlier') return [];
    return [{ path, settings: userSettingsOf(value) }];
  });
}

/** Takes out what an earlier installer wrote, and second copies of ours. Returns how many pieces of an earlier one. */
function removeEarlier(working: WorkingText, file: ConfigFile): number {
  let removed = 0;
  const handlers = file.operations.filter(isHandler);
  for (const { kind, parent } of parentsOf(handlers)) {
    for (const name of working.keysAt(parent)) {
      const path = [...parent, name];
      const wanted = handlers.some((operation) => samePath(operation.path, path));
      // The same text in another list says something else, and is somebody else's.
      if (kind === 'item' && !wanted) continue;
      for (;;) {
        const found = working.findHandler(
          path,
          kind,
          file.owns,
          (handler, index) => handler.owner === 'earlier' || !wanted || index > 0,
        );
        if (found === undefined) break;
        if (found.owner === 'earlier') removed += 1;
        working.removeHandler(path, found);
        // An event that only the earlier installer used may be one that the client does not know.
        if (working.at(path)?.children?.length === 0) working.removeProperty(path);
      }
    }
  }
  for (const { parent } of parentsOf(file.operations.filter(({ kind }) => kind === 'entry'))) {
    for (const name of working.keysAt(parent)) {
      const node = working.at([...parent, name]);
      if (node === undefined || file.owns(plainValue(node), name) !== 'earlier') continue;
      removed += 1;
      working.removeProperty([...parent, name]);
    }
  }
  return removed;
}

/** The handler of one event: brought up to date where it is, or put in front of the others, in a group of its own. */
function placeHandler(
  working: WorkingText,
  file: ConfigFile,
  operation: HandlerOperation,
  known: ConfigRecord,
  hollows: Hollow[],
): void {
  const find = () => working.findHandler(operation.path, operation.kind, file.owns);
  const found = find();
  if (found === undefined) return insertInto(working, operation.path, elementOf(operation), undefined, hollows);
  if (operation.kind === 'item') {
    if (found.node.value !== operation.value) working.set(replaceValue(working.document, found.node, operation.value));
    return;
  }
  updateObject(working, () => find()?.node, merged(plainValue(found.node), operation, known));
}

function insertInto(
  working: WorkingText,
  path: readonly string[],
  value: JsonValue,
  key: string | undefined,
  hollows: Hollow[],
): void {
  const container = working.at(path);
  if (container === undefined) throw new Error(`no container at ${path.join('.')}`);
  const { text, hollow } = insertFirst(working.document, container, value, key);
  working.set(text);
  if (hollow !== undefined) hollows.push({ path, text: hollow });
}

/** Edits an object member by member until it has exactly the wanted ones. */
function updateObject(working: WorkingText, find: () => ReturnType<WorkingText['at']>, wanted: JsonObject): void {
  const start = find();
  if (start === undefined) return;
  if (start.type !== 'object') {
    working.set(replaceValue(working.document, start, wanted));
    return;
  }
  for (const [key, value] of Object.entries(wanted)) {
    const object = find();
    const node = object === undefined ? undefined : propertyOf(object, key)?.children?.[1];
    if (object === undefined) return;
    if (node === undefined) working.set(insertFirst(working.document, object, value, key).text);
    else if (!equal(plainValue(node), value)) working.set(replaceValue(working.document, node, value));
  }
  const names = (find()?.children ?? []).map((property) => String(property.children?.[0]?.value));
  for (const name of names.filter((key) => !(key in wanted))) {
    const object = find();
    const property = object === undefined ? undefined : propertyOf(object, name);
    if (object !== undefined && property !== undefined) working.set(removeMember(working.text, object, property));
  }
}

/** Adds what is missing. Operations that lack the same container are added as one member, in their own order. */
function addMissing(working: WorkingText, operations: readonly TreeOperation[]): ConfigRecord {
  const groups = new Map<string, { at: readonly string[]; operations: TreeOperation[] }>();
  for (const operation of operations) {
    let depth = 0;
    while (depth < operation.path.length && working.at(operation.path.slice(0, depth + 1)) !== undefined) depth += 1;
    const at = operation.path.slice(0, depth + 1);
    const id = JSON.stringify(at);
    const group = groups.get(id) ?? { at, operations: [] };
    group.operations.push(operation);
    groups.set(id, group);
  }
  const containers: (readonly string[])[] = [];
  const hollows: Hollow[] = [];
  const scalars: SetScalar[] = [];
  const written: WrittenValue[] = [];
  // Each goes in front of what is there: the last one first gives the order of the declaration.
  for (const { at, operations: members } of [...groups.values()].reverse()) {
    insertInto(working, at.slice(0, -1), subtree(members, at), at.at(-1), hollows);
    for (const operation of members) {
      const innermost = isHandler(operation) ? operation.path.length : operation.path.length - 1;
      for (let length = at.length; length <= innermost; length += 1) {
        const path = operation.path.slice(0, length);
        if (!containers.some((made) => samePath(made, path))) containers.push(path);
      }
      if (operation.kind === 'scalar') scalars.push({ path: operation.path, value: operation.value });
      else if (operation.kind !== 'item') {
        const value = operation.kind === 'entry' ? operation.value : operation.handler;
        written.push({ path: operation.path, value });
      }
    }
  }
  return { containers, hollows, scalars, written };
}

/** The value at `at` that holds all of the operations below it. */
function subtree(operations: readonly TreeOperation[], at: readonly string[]): JsonValue {
  const root: Record<string, JsonValue> = {};
  for (const operation of operations) {
    const value: JsonValue = isHandler(operation) ? [elementOf(operation)] : operation.value;
    const below = operation.path.slice(at.length);
    if (below.length === 0) return value;
    let object = root;
    for (const key of below.slice(0, -1)) {
      object = (object[key] ??= {}) as Record<string, JsonValue>;
    }
    object[below.at(-1) ?? ''] = value;
  }
  return root;
}

/** What a list gets: the text, the handler itself, or a group around it. */
function elementOf(operation: HandlerOperation): JsonValue {
  if (operation.kind === 'item') return operation.value;
  if (operation.kind === 'flat-handler') return operation.handler;
  return { ...(operation.matcher === undefined ? {} : { matcher: operation.matcher }), hooks: [operation.handler] };
}

/** Refuses a file whose containers have another shape than the client's: a guess would lose what is there. */
function checkShape(working: WorkingText, operation: ConfigOperation): void {
  for (let length = 1; length <= operation.path.length; length += 1) {
    const path = operation.path.slice(0, length);
    const node = working.at(path);
    if (node === undefined) return;
    const isTarget = length === operation.path.length;
    const { text, path: file } = working;
    if (!isTarget) requireShape(node.type === 'object', path.join('.'), 'object', text, node.offset, file);
    else if (isHandler(operation)) {
      requireShape(node.type === 'array', path.join('.'), 'list', text, node.offset, file);
    } else if (operation.kind === 'scalar') {
      requireShape(node.type !== 'object' && node.type !== 'array', path.join('.'), 'value', text, node.offset, file);
    }
  }
}

function requireShape(
  fits: boolean,
  where: string,
  wanted: 'object' | 'list' | 'value',
  text: string,
  offset: number,
  file: string,
): void {
  if (fits) return;
  const { line, column } = placeOf(text, offset);
  throw new Refusal({
    code: 'config/shape',
    file,
    say: (t) => t.wrongShape(file, line, column, where, wanted),
    next: (t) => t.brokenFileNext,
    place: { line, column },
  });
}

function isForeign(working: WorkingText, file: ConfigFile, path: readonly string[]): boolean {
  const node = working.at(path);
  return node !== undefined && file.owns(plainValue(node), path.at(-1)) === undefined;
}

/** The containers that the operations put something into, each once. */
function parentsOf<Operation extends ConfigOperation>(
  operations: readonly Operation[],
): readonly { readonly kind: Operation['kind']; readonly parent: readonly string[] }[] {
  const parents: { kind: Operation['kind']; parent: readonly string[] }[] = [];
  for (const { kind, path } of operations) {
    const parent = path.slice(0, -1);
    const isKnown = parents.some((known) => known.kind === kind && samePath(known.parent, parent));
    if (!isKnown) parents.push({ kind, parent });
  }
  return parents;
}
