/**
 * Puts a client's hooks and server into a TOML file and takes them out again, as `wireConfig` and `unwireConfig` do for
 * JSON. What is missing comes as tables of its own into a marked block at the end; where the user has written a table in
 * brackets or with dotted keys, ours goes in there, because a second definition of a table breaks the whole file.
 */
import { isObject } from '@openviking/memory-core/full';
import type { ConfigFile, ConfigOperation, JsonObject, JsonValue } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { placeOf } from '../json/document.ts';
import { userSettingsOf, withUserSettings } from '../migration/user-settings.ts';
import { blockIn, BLOCK_END, jointFor } from '../toml/block.ts';
import { parseToml, tomlToConfigDocument } from '../toml/document.ts';
import { WorkingToml } from '../toml/working-toml.ts';
import { requireNothingBroken } from './client-rules.ts';
import { handlersIn } from './handlers-by-value.ts';
import { isHandler } from './handlers.ts';
import { equal, merged } from './merge.ts';
import { mergeByPath, mergeScalars, objectionOf, samePath } from './record.ts';
import type { TomlPath } from '../toml/document.ts';
import type { HandlerOperation } from './handlers.ts';
import type { HandlerPlace } from './handlers-by-value.ts';
import type { ConfigRecord, SetScalar, WrittenValue } from './record.ts';
import type { UnwiredConfig } from './unwire-config.ts';
import type { WiredConfig } from './wire-config.ts';

/** Pure; see `wireConfig`. */
export function wireToml(text: string | undefined, file: ConfigFile, known: ConfigRecord): WiredConfig {
  const before = text ?? '';
  const working = open(before, file, known);
  const earlierDocument = tomlToConfigDocument(working.document);
  for (const operation of file.operations) checkShape(working, operation);
  const carried = settingsInEarlier(working, file);
  const replaced = removeEarlier(working, file);
  const base = working.text;
  const joint = blockIn(working.document) === undefined ? jointFor(base).before : undefined;
  const entries = file.operations.filter(({ kind }) => kind === 'entry').map(({ path }) => path);
  const foreign = entries.filter((path) => {
    const value = working.at(path);
    return value !== undefined && file.owns(value, path.at(-1)) === undefined;
  });

  const scalars: SetScalar[] = [];
  const written: WrittenValue[] = [];
  const containers: (readonly string[])[] = [];
  // What is new comes to the top of the block: the last one first gives the order of the declaration.
  for (const operation of [...file.operations].reverse()) {
    const { path } = operation;
    if (foreign.some((other) => samePath(other, path))) continue;
    for (let length = 1; length <= path.length - (isHandler(operation) ? 0 : 1); length += 1) {
      const container = path.slice(0, length);
      if (working.at(container) === undefined) containers.push(container);
    }
    if (operation.kind === 'scalar') scalars.push(...setScalar(working, path, operation.value));
    else if (operation.kind === 'entry') {
      setObject(working, path, merged(working.at(path) ?? operation.value, operation, known));
      written.push({ path, value: operation.value });
    } else if (isHandler(operation)) {
      placeHandler(working, file, operation, known);
      if (operation.kind !== 'item') written.push({ path, value: operation.handler });
    }
  }
  for (const { path, settings } of carried) {
    const value = working.at(path);
    if (isObject(value)) setObject(working, path, withUserSettings(value, settings));
  }
  const madeBlock = joint !== undefined && blockIn(working.document) !== undefined;
  const record: ConfigRecord = {
    containers: [
      ...known.containers,
      ...containers.filter((path, index) => {
        const isKnown = known.containers.some((other) => samePath(other, path));
        return !isKnown && containers.findIndex((other) => samePath(other, path)) === index;
      }),
    ],
    hollows: mergeByPath(
      working.hollows.map(({ path, text: inner }) => ({ path, text: inner })),
      known.hollows,
    ),
    scalars: mergeScalars(scalars, known.scalars),
    written: mergeByPath(known.written, written),
    objections:
      known.objections ?? (earlierDocument.root === undefined ? [] : file.check(earlierDocument).map(objectionOf)),
    ...(madeBlock ? { joint } : known.joint === undefined ? {} : { joint: known.joint }),
  };
  const violations = requireNothingBroken(earlierDocument, tomlToConfigDocument(working.document), file);
  return { text: working.text, base, record, foreign, replaced, violations };
}

/** Pure; see `unwireConfig`. `isPart`: more of ours stays in the file, and with it the marks of our block. */
export function unwireToml(text: string, file: ConfigFile, record: ConfigRecord, isPart = false): UnwiredConfig {
  const working = open(text, file, record);
  let removed = 0;
  for (const operation of file.operations) {
    if (operation.kind === 'scalar' || operation.kind === 'block') continue;
    const parent = operation.path.slice(0, -1);
    for (const name of working.keysAt(parent)) {
      const path = [...parent, name];
      if (operation.kind === 'item' && !samePath(path, operation.path)) continue;
      if (isHandler(operation)) removed += removeHandlers(working, operation.kind, file, path, () => true);
      else if (isOurs(working, file, path)) {
        working.remove(path);
        removed += 1;
      }
    }
  }
  const withScalars = working.text;
  for (const { path, value, before } of record.scalars) {
    // Changed since: the user has decided.
    if (working.at(path) !== value) continue;
    if (before === undefined) working.remove(path);
    else working.replaceRaw(path, before);
  }
  tidy(working, record, isPart);
  if (!isHollow(working.text) && breaksRules(working, withScalars, file, record)) {
    const kept = new WorkingToml(parseToml(withScalars, file.path), file.path, record.hollows);
    tidy(kept, record, isPart);
    return { text: kept.text, removed, isHollow: isHollow(kept.text) };
  }
  return { text: working.text, removed, isHollow: isHollow(working.text) };
}

function open(text: string, file: ConfigFile, record: ConfigRecord): WorkingToml {
  const document = parseToml(text, file.path);
  const block = blockIn(document);
  if (block !== undefined && block.end === undefined) {
    const { line, column } = placeOf(text, block.begin.start);
    throw new Refusal({
      code: 'config/markers-torn',
      file: file.path,
      say: (t) => t.markersTorn(file.path, line, BLOCK_END),
      next: (t) => t.markersTornNext,
      place: { line, column },
    });
  }
  return new WorkingToml(document, file.path, record.hollows);
}

/** Containers of ours that nobody else has filled, and the marks of the block. */
function tidy(working: WorkingToml, record: ConfigRecord, isPart: boolean): void {
  for (const path of [...record.containers].sort((one, other) => other.length - one.length)) {
    const value = working.at(path);
    if (value === undefined || !isEmptyContainer(value)) continue;
    if (working.rawAt(path) === undefined) working.removeEmptyHeader(path);
    else working.remove(path);
  }
  // A table of which the user has only inner ones got a header for our value.
  for (const { path } of record.scalars) working.removeEmptyHeader(path.slice(0, -1));
  working.removeBlock(record.joint, isPart);
}

function isEmptyContainer(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function isHollow(text: string): boolean {
  return text.replace(/^\uFEFF/, '').trim() === '';
}

function breaksRules(working: WorkingToml, withScalars: string, file: ConfigFile, record: ConfigRecord): boolean {
  const known = new Set([
    ...(record.objections ?? []),
    ...file.check(tomlToConfigDocument(parseToml(withScalars, file.path))).map(objectionOf),
  ]);
  return file
    .check(tomlToConfigDocument(working.document))
    .map(objectionOf)
    .some((objection) => !known.has(objection));
}

function setScalar(
  working: WorkingToml,
  path: readonly string[],
  value: string | number | boolean,
): readonly SetScalar[] {
  const present = working.at(path);
  if (present === value) return [];
  const raw = working.rawAt(path);
  if (present === undefined || raw === undefined) {
    working.add(path.slice(0, -1), path.at(-1) ?? '', value);
    return [{ path, value }];
  }
  working.replace(path, value);
  return [{ path, value, before: raw }];
}

/** Edits a table key by key until it has exactly the wanted ones. */
function setObject(working: WorkingToml, path: TomlPath, wanted: JsonObject): void {
  const present = working.at(path);
  if (present === undefined) return working.add(path.slice(0, -1), String(path.at(-1)), wanted);
  if (!isObject(present)) return working.replace(path, wanted);
  for (const [key, value] of Object.entries(wanted)) {
    const inner = working.at([...path, key]);
    if (inner === undefined) working.add(path, key, value);
    else if (equal(inner, value)) continue;
    else if (isObject(inner) && isObject(value)) setObject(working, [...path, key], value);
    else working.replace([...path, key], value);
  }
  for (const key of Object.keys(present)) if (!(key in wanted)) working.remove([...path, key]);
}

function placeHandler(working: WorkingToml, file: ConfigFile, operation: HandlerOperation, known: ConfigRecord): void {
  const { path } = operation;
  const [found] = handlersIn(working.at(path), operation.kind, file.owns);
  if (found === undefined) return working.append(path, elementOf(operation));
  const place = [...path, ...found.path];
  if (operation.kind !== 'item') setObject(working, place, merged(found.value, operation, known));
  else if (found.value !== operation.value) working.replace(place, operation.value);
}

function elementOf(operation: HandlerOperation): JsonValue {
  if (operation.kind === 'item') return operation.value;
  if (operation.kind === 'flat-handler') return operation.handler;
  return { ...(operation.matcher === undefined ? {} : { matcher: operation.matcher }), hooks: [operation.handler] };
}

/** Takes out what an earlier installer wrote, and second copies of ours. Returns how many pieces of an earlier one. */
function removeEarlier(working: WorkingToml, file: ConfigFile): number {
  let removed = 0;
  const done = new Set<string>();
  for (const operation of file.operations) {
    const parent = operation.path.slice(0, -1);
    const id = JSON.stringify([operation.kind, parent]);
    if (operation.kind === 'scalar' || done.has(id)) continue;
    done.add(id);
    for (const name of working.keysAt(parent)) {
      const path = [...parent, name];
      if (!isHandler(operation)) {
        const value = working.at(path);
        if (value === undefined || file.owns(value, name) !== 'earlier') continue;
        working.remove(path);
        removed += 1;
        continue;
      }
      const isWanted = file.operations.some((other) => other.kind === operation.kind && samePath(other.path, path));
      // The same text in another list says something else, and is somebody else's.
      if (operation.kind === 'item' && !isWanted) continue;
      const had = working.at(path);
      const gone = removeHandlers(
        working,
        operation.kind,
        file,
        path,
        ({ owner }, index) => owner === 'earlier' || !isWanted || index > 0,
        ({ owner }) => owner === 'earlier',
      );
      removed += gone;
      const now = working.at(path);
      if (!equal(had, now) && now !== undefined && isEmptyContainer(now)) working.remove(path);
    }
  }
  return removed;
}

/** Takes handlers out one by one. Returns how many of them `counts`. */
function removeHandlers(
  working: WorkingToml,
  kind: HandlerOperation['kind'],
  file: ConfigFile,
  path: readonly string[],
  wanted: (place: HandlerPlace, index: number) => boolean,
  counts: (place: HandlerPlace) => boolean = () => true,
): number {
  let removed = 0;
  for (;;) {
    const found = handlersIn(working.at(path), kind, file.owns).find(wanted);
    if (found === undefined) return removed;
    working.remove([...path, ...found.removal]);
    if (counts(found)) removed += 1;
  }
}

function isOurs(working: WorkingToml, file: ConfigFile, path: readonly string[]): boolean {
  const value = working.at(path);
  return value !== undefined && file.owns(value, path.at(-1)) !== undefined;
}

/** What the user has set in entries of an earlier installer that ours take the place of. */
function settingsInEarlier(
  working: WorkingToml,
  file: ConfigFile,
): readonly { readonly path: readonly string[]; readonly settings: JsonObject }[] {
  return file.operations.flatMap(({ kind, path }) => {
    const value = kind === 'entry' ? working.at(path) : undefined;
    if (value === undefined || file.owns(value, path.at(-1)) !== 'earlier') return [];
    return [{ path, settings: userSettingsOf(value) }];
  });
}

/** Refuses a file whose containers have another shape than the client's: a guess would lose what is there. */
function checkShape(working: WorkingToml, operation: ConfigOperation): void {
  for (let length = 1; length <= operation.path.length; length += 1) {
    const path = operation.path.slice(0, length);
    const value = working.at(path);
    if (value === undefined) return;
    const isTarget = length === operation.path.length;
    if (!isTarget) requireShape(isObject(value), 'object', working, path);
    else if (isHandler(operation)) requireShape(Array.isArray(value), 'list', working, path);
    else if (operation.kind === 'scalar') requireShape(typeof value !== 'object', 'value', working, path);
  }
}

function requireShape(
  fits: boolean,
  wanted: 'object' | 'list' | 'value',
  working: WorkingToml,
  path: readonly string[],
): void {
  if (fits) return;
  const { line, column } = placeOf(working.text, working.offsetOf(path));
  throw new Refusal({
    code: 'config/shape',
    file: working.path,
    say: (t) => t.wrongShape(working.path, line, column, path.join('.'), wanted),
    next: (t) => t.brokenFileNext,
    place: { line, column },
  });
}
