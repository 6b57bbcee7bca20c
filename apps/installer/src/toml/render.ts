/** Values as TOML 1.0 text, which every reader of TOML understands. */
import type { JsonObject, JsonValue } from '@openviking/memory-core/full';
import type { TomlPath } from './document.ts';

/** A value on one line. */
export function renderInline(value: JsonValue): string {
  if (typeof value === 'string') return renderText(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(renderInline).join(', ')}]`;
  if (isObjectValue(value)) {
    const members = Object.entries(value).map(([key, member]) => `${renderKey(key)} = ${renderInline(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (value === null) throw new TypeError('TOML has no null');
  return String(value);
}

export function renderKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : renderText(key);
}

/** Dotted, without positions in lists: a header of a list means its last element. */
export function renderPath(path: TomlPath): string {
  return path
    .filter((key) => typeof key === 'string')
    .map(renderKey)
    .join('.');
}

/** A table with its tables inside, each under a header of its own: what users and clients add later gets a line of its own. */
export function renderTable(path: TomlPath, value: JsonObject): readonly string[] {
  const tables = Object.entries(value).filter((entry): entry is [string, JsonObject] => isObjectValue(entry[1]));
  return [
    `[${renderPath(path)}]`,
    ...renderAssignments(value),
    ...tables.flatMap(([key, table]) => ['', ...renderTable([...path, key], table)]),
  ];
}

/** One more element of a list of tables; lists of tables inside it get headers of their own. */
export function renderElement(path: TomlPath, value: JsonObject): readonly string[] {
  const lists = Object.entries(value).filter(([, member]) => isListOfTables(member));
  const rest = Object.entries(value).filter(([, member]) => !isListOfTables(member));
  return [
    `[[${renderPath(path)}]]`,
    ...rest.map(([key, member]) => `${renderKey(key)} = ${renderInline(member)}`),
    ...lists.flatMap(([key, elements]) =>
      (elements as readonly JsonObject[]).flatMap((element) => ['', ...renderElement([...path, key], element)]),
    ),
  ];
}

function renderAssignments(value: JsonObject): readonly string[] {
  return Object.entries(value)
    .filter(([, member]) => !isObjectValue(member))
    .map(([key, member]) => `${renderKey(key)} = ${renderInline(member)}`);
}

function isListOfTables(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isObjectValue);
}

export function isObjectValue(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON's escapes are TOML's, but for one character that TOML wants escaped as well. */
function renderText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007F');
}
