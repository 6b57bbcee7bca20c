/**
 * Reads a TOML file twice: smol-toml says what it means, toml-eslint-parser where it stands. Both have to agree that it is
 * sound, and a broken file is refused with the place.
 */
import { parse, TomlDate, TomlError } from 'smol-toml';
import type { TomlTable, TomlValue } from 'smol-toml';
import { ParseError, parseTOML } from 'toml-eslint-parser';
import type { AST } from 'toml-eslint-parser';
import type { ConfigDocument, ConfigNode, JsonValue } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { withoutMark } from '../json/document.ts';

/** Keys, and the positions of elements of lists. */
export type TomlPath = readonly (string | number)[];

/** A value or a key-value pair inside `{ … }` or `[ … ]`. */
export type InlineValue = AST.TOMLContentNode;

/** One `key = value` line (or lines). */
export interface TomlAssignment {
  readonly path: TomlPath;
  readonly start: number;
  readonly end: number;
  readonly value: InlineValue;
}

/** What stands under one header; the first has none. */
export interface TomlSection {
  readonly kind: 'top' | 'table' | 'element';
  readonly path: TomlPath;
  /** Of the header, without the comment beside it. */
  readonly start: number;
  readonly end: number;
  readonly assignments: readonly TomlAssignment[];
}

export interface TomlDocument {
  /** As in the file, a byte order mark included: every offset counts it. */
  readonly text: string;
  readonly table: TomlTable;
  readonly sections: readonly TomlSection[];
  readonly comments: readonly { readonly start: number; readonly end: number }[];
}

/** Throws a refusal naming file, line and column when either parser objects. */
export function parseToml(text: string, path: string): TomlDocument {
  const unmarked = withoutMark(text);
  try {
    const { body, comments } = parseTOML(unmarked, { tomlVersion: '1.1' });
    const [top] = body;
    return {
      text,
      table: parse(unmarked, { integersAsBigInt: 'asNeeded' }),
      sections: sectionsOf(top, unmarked),
      comments: comments.map(({ range: [start, end] }) => ({ start, end })),
    };
  } catch (cause) {
    const place = placeOfError(cause);
    if (place === undefined) throw cause;
    throw new Refusal({
      code: 'config/broken',
      file: path,
      say: (t) => t.brokenToml(path, place.line, place.column),
      next: (t) => t.brokenFileNext,
      place,
      cause,
    });
  }
}

function placeOfError(error: unknown): { readonly line: number; readonly column: number } | undefined {
  // The column of the one counts from 0.
  if (error instanceof ParseError) return { line: error.lineNumber, column: error.column + 1 };
  return error instanceof TomlError ? { line: error.line, column: error.column } : undefined;
}

function sectionsOf(top: AST.TOMLTopLevelTable, text: string): readonly TomlSection[] {
  const own: TomlAssignment[] = [];
  const tables: TomlSection[] = [];
  for (const node of top.body) {
    if (node.type === 'TOMLKeyValue') own.push(assignmentOf(node, []));
    else {
      const end = text.indexOf(']', node.key.range[1]) + (node.kind === 'array' ? 2 : 1);
      tables.push({
        kind: node.kind === 'array' ? 'element' : 'table',
        path: node.resolvedKey,
        start: node.range[0],
        end,
        assignments: node.body.map((pair) => assignmentOf(pair, node.resolvedKey)),
      });
    }
  }
  return [{ kind: 'top', path: [], start: 0, end: 0, assignments: own }, ...tables];
}

function assignmentOf(node: AST.TOMLKeyValue, within: TomlPath): TomlAssignment {
  const [start, end] = node.range;
  return { path: [...within, ...keysOf(node)], start, end, value: node.value };
}

/** The keys of a possibly dotted key. */
export function keysOf({ key }: AST.TOMLKeyValue): readonly string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

/** What stands at a path; undefined for nothing. */
export function tomlAt(table: TomlTable, path: TomlPath): TomlValue | undefined {
  let value: TomlValue | undefined = table;
  for (const key of path) {
    if (Array.isArray(value)) value = typeof key === 'number' ? value[key] : undefined;
    else if (isTable(value)) value = typeof key === 'string' && Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

export function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);
}

/** As JSON knows it: a date is a text, and a number that JavaScript cannot hold is the nearest one. */
export function toJson(value: TomlValue): JsonValue {
  if (value instanceof TomlDate) return value.toISOString();
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member)]));
}

/**
 * One text for all files of one meaning, to compare before and after an edit. Containers without content do not count:
 * they come and go with what is in them.
 */
export function meaningOf(value: TomlValue): string | undefined {
  if (value instanceof TomlDate) return `date ${value.toISOString()}`;
  if (typeof value === 'bigint') return `integer ${String(value)}`;
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : `[${value.map((element) => meaningOf(element) ?? '{}').join()}]`;
  }
  if (!isTable(value))
    return Object.is(value, -0) ? '-0' : typeof value === 'number' ? String(value) : JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const meaning = meaningOf(value[key] as TomlValue);
      return meaning === undefined ? [] : [`${JSON.stringify(key)}:${meaning}`];
    });
  return members.length === 0 ? undefined : `{${members.join()}}`;
}

export function startsWith(path: TomlPath, prefix: TomlPath): boolean {
  return path.length >= prefix.length && prefix.every((key, index) => path[index] === key);
}

/** The document as a client's own rules see it: tables that are written in several places are one. */
export function tomlToConfigDocument({ text, table, sections }: TomlDocument): ConfigDocument {
  const oddities: ConfigDocument['oddities'][number][] = text.startsWith('\uFEFF')
    ? [{ kind: 'byte-order-mark', offset: 0 }]
    : [];
  if (Object.keys(table).length === 0) return { oddities: [...oddities, { kind: 'empty', offset: 0 }] };
  const places = sections.flatMap((section) => [section, ...section.assignments]);
  const placeFor = (path: TomlPath): { offset: number; length: number } => {
    const place = places.find((candidate) => path.length > 0 && startsWith(candidate.path, path));
    return place === undefined ? { offset: 0, length: 0 } : { offset: place.start, length: place.end - place.start };
  };
  const nodeOf = (value: TomlValue, path: TomlPath, outer: { offset: number; length: number }): ConfigNode => {
    const found = placeFor(path);
    const place = found.length === 0 ? outer : found;
    if (Array.isArray(value)) {
      return { type: 'array', ...place, children: value.map((child, index) => nodeOf(child, [...path, index], place)) };
    }
    if (isTable(value)) {
      const children = Object.entries(value).map(([key, member]): ConfigNode => {
        const inner = nodeOf(member, [...path, key], place);
        const { offset, length } = inner;
        return { type: 'property', offset, length, children: [{ type: 'string', value: key, offset, length }, inner] };
      });
      return { type: 'object', ...place, children };
    }
    const plain = toJson(value);
    return { type: typeof plain as 'string' | 'number' | 'boolean', value: plain, ...place };
  };
  return { root: nodeOf(table, [], { offset: 0, length: text.length }), oddities };
}
