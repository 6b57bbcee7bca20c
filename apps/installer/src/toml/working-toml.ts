/**
 * A TOML file while it is being edited. Every change says what the file has to mean afterwards, and is held against what
 * smol-toml reads: an edit by place that hits the wrong table would otherwise change somebody else's settings.
 */
import type { TomlTable, TomlValue } from 'smol-toml';
import type { AST } from 'toml-eslint-parser';
import type { JsonObject, JsonValue } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { blockIn, cutLine, lineEnd, lineStart, newlineOf, withLines, withoutBlock } from './block.ts';
import { isTable, keysOf, meaningOf, parseToml, startsWith, toJson, tomlAt } from './document.ts';
import { appendInline, removeInline } from './inline.ts';
import { isObjectValue, renderElement, renderInline, renderKey, renderPath, renderTable } from './render.ts';
import type { Hollow } from '../wiring/record.ts';
import type { TomlAssignment, TomlDocument, TomlPath } from './document.ts';

type Container = AST.TOMLInlineTable | AST.TOMLArray;

/** Where a value stands: on a line of its own, or inside brackets. */
type Spot =
  | { readonly kind: 'line'; readonly assignment: TomlAssignment }
  | {
      readonly kind: 'member';
      readonly container: Container;
      readonly containerPath: TomlPath;
      readonly member: AST.TOMLKeyValue | AST.TOMLContentNode;
      readonly value: AST.TOMLContentNode;
    };

export class WorkingToml {
  readonly path: string;
  readonly #known: readonly Hollow[];
  readonly #hollows: Hollow[] = [];
  #document: TomlDocument;

  /** `hollows` tells how brackets looked when they were empty: those that are emptied again look so again. */
  constructor(document: TomlDocument, path: string, hollows: readonly Hollow[] = []) {
    this.#document = document;
    this.#known = hollows;
    this.path = path;
  }

  get document(): TomlDocument {
    return this.#document;
  }

  get text(): string {
    return this.#document.text;
  }

  /** Brackets that were empty before this was edited. */
  get hollows(): readonly Hollow[] {
    return this.#hollows;
  }

  at(path: TomlPath): JsonValue | undefined {
    const value = tomlAt(this.#document.table, path);
    return value === undefined ? undefined : toJson(value);
  }

  keysAt(path: TomlPath): readonly string[] {
    const value = tomlAt(this.#document.table, path);
    return isTable(value) ? Object.keys(value) : [];
  }

  /** How a value is spelled; undefined for one that is written as tables. */
  rawAt(path: TomlPath): string | undefined {
    const spot = this.#spot(path);
    if (spot === undefined) return undefined;
    const [start, end] = valueOf(spot).range;
    return this.text.slice(start, end);
  }

  /** Offset of what is written for a path, or for the nearest one around it. */
  offsetOf(path: TomlPath): number {
    for (let length = path.length; length > 0; length -= 1) {
      const prefix = path.slice(0, length);
      const spot = this.#spot(prefix);
      if (spot !== undefined) return spot.kind === 'line' ? spot.assignment.start : spot.member.range[0];
      const { sections } = this.#document;
      const place = sections
        .flatMap((section) => [section, ...section.assignments])
        .find((candidate) => startsWith(candidate.path, prefix));
      if (place !== undefined) return place.start;
    }
    return 0;
  }

  /** Removes the header of a table that has nothing under it, where that stands in our block. */
  removeEmptyHeader(path: TomlPath): void {
    const block = blockIn(this.#document);
    const section = this.#document.sections.find(
      (candidate) => candidate.kind === 'table' && samePlace(candidate.path, path),
    );
    if (block?.end === undefined || section === undefined || section.assignments.length > 0) return;
    if (section.start < block.begin.start || section.start > block.end.start) return;
    this.#set(this.#withoutHeader(section.start, section.end), () => undefined);
  }

  /** Puts another value in the place of one. */
  replace(path: TomlPath, value: JsonValue): void {
    const spot = this.#spot(path);
    if (spot === undefined) {
      this.remove(path);
      this.add(path.slice(0, -1), String(path.at(-1)), value);
    } else this.replaceRaw(path, renderInline(value), value);
  }

  /** The same with the text as it is to stand there. */
  replaceRaw(path: TomlPath, raw: string, value?: JsonValue): void {
    const spot = this.#spot(path);
    if (spot === undefined) return;
    const [start, end] = valueOf(spot).range;
    const text = this.text.slice(0, start) + raw + this.text.slice(end);
    this.#set(text, value === undefined ? undefined : (table) => put(table, path, value));
  }

  /** Adds a key that is not there to the table at `parent`, which is made where it is missing. */
  add(parent: TomlPath, key: string, value: JsonValue): void {
    const path = [...parent, key];
    const change = (table: TomlTable): void => put(table, path, value);
    const around = this.#inlineAround(path);
    if (around !== undefined) return this.#addInline(around, path, value, change);
    if (isObjectValue(value)) return this.#set(withLines(this.#document, renderTable(path, value)), change);
    const line = (relative: TomlPath): string => `${renderPath(relative)} = ${renderInline(value)}`;
    const { sections, text } = this.#document;
    const section = sections.find(
      (candidate) => samePlace(candidate.path, parent) && (candidate.kind !== 'top' || parent.length === 0),
    );
    const last = section?.assignments.at(-1);
    if (section !== undefined && section.kind !== 'top') {
      return this.#set(lineAfter(text, last?.end ?? section.end, line([key])), change);
    }
    if (section !== undefined) {
      return this.#set(
        last === undefined ? lineAtTop(text, line([key])) : lineAfter(text, last.end, line([key])),
        change,
      );
    }
    // A table that is only there by dotted keys must not get a header.
    for (const { path: within, kind, assignments } of sections) {
      const dotted = assignments.findLast(
        (assignment) => assignment.path.length > parent.length && startsWith(assignment.path, parent),
      );
      if (dotted === undefined || within.length >= parent.length) continue;
      if (kind !== 'top' && !startsWith(parent, within)) continue;
      return this.#set(lineAfter(text, dotted.end, line(path.slice(within.length))), change);
    }
    this.#set(withLines(this.#document, [`[${renderPath(parent)}]`, line([key])]), change);
  }

  /** Adds an element to the list at `path`, behind those that are there. The list is made where it is missing. */
  append(path: TomlPath, element: JsonValue): void {
    const { table, sections, text } = this.#document;
    const list = tomlAt(table, path);
    // Tables of a list count in the order of the file, and a user's may stand behind our block.
    const block = blockIn(this.#document);
    const at = block?.begin.end ?? text.length;
    const isBefore = (position: number): boolean =>
      sections.some((section) => samePlace(section.path, [...path, position]) && section.start < at);
    const change = (wanted: TomlTable): void => {
      const present = tomlAt(wanted, path);
      if (!Array.isArray(present)) return put(wanted, path, [element]);
      const isInline = this.#spot(path) !== undefined;
      const index = isInline ? present.length : present.filter((_, position) => isBefore(position)).length;
      present.splice(index, 0, element as TomlValue);
    };
    const spot = this.#spot(path);
    if (spot !== undefined) {
      const node = valueOf(spot);
      if (node.type !== 'TOMLArray') throw new TypeError(`no list at ${renderPath(path)}`);
      return this.#appendInline(node, path, renderInline(element), change);
    }
    if (list === undefined && (!isObjectValue(element) || this.#inlineAround(path) !== undefined)) {
      return this.add(path.slice(0, -1), String(path.at(-1)), [element]);
    }
    this.#set(withLines(this.#document, renderElement(path, element as JsonObject)), change);
  }

  /** Takes out everything at a path and below it. */
  remove(path: TomlPath): void {
    const wanted = this.#copy();
    drop(wanted, path);
    for (;;) {
      const text = this.#withoutOne(path);
      if (text === undefined) break;
      this.#document = this.#reread(text);
      // An element of a list: the ones behind it have moved up by now.
      if (typeof path.at(-1) === 'number' && meaningOf(this.#document.table) === meaningOf(wanted)) break;
    }
    this.#require(wanted);
  }

  /** Takes the marks of our block out; see `withoutBlock`. `onlyEmpty`: only where nothing is between them. */
  removeBlock(joint: string | undefined, onlyEmpty: boolean): void {
    const block = blockIn(this.#document);
    if (block?.end === undefined) return;
    const isEmpty = this.text.slice(block.begin.end, block.end.start).trim() === '';
    if (isEmpty || !onlyEmpty) this.#set(withoutBlock(this.#document, joint));
  }

  /** The text with one piece of what stands at the path taken out; undefined when nothing is left of it. */
  #withoutOne(path: TomlPath): string | undefined {
    const { text, sections } = this.#document;
    const around = this.#inlineAround(path);
    if (around !== undefined) {
      const rest = path.slice(around.path.length);
      const index = rest[0];
      const member =
        around.node.type === 'TOMLArray'
          ? around.node.elements[typeof index === 'number' ? index : -1]
          : around.node.body.find((pair) => startsWith(keysOf(pair), rest));
      if (member === undefined) return undefined;
      return removeInline(text, around.node, member, this.#hollowAt(around.path));
    }
    // Last first: the lines of a table go before its header does.
    for (const section of [...sections].reverse()) {
      for (const assignment of [...section.assignments].reverse()) {
        if (startsWith(assignment.path, path)) return cutLine(text, assignment.start, assignment.end);
      }
      if (section.kind !== 'top' && startsWith(section.path, path))
        return this.#withoutHeader(section.start, section.end);
    }
    return undefined;
  }

  /** In our block, tables are a blank line apart. */
  #withoutHeader(start: number, end: number): string {
    const block = blockIn(this.#document);
    const text = cutLine(this.text, start, end);
    if (block?.end === undefined || start < block.begin.start || start > block.end.start) return text;
    const at = lineStart(this.text, start);
    if (at >= text.length) return text;
    const before = text.slice(lineStart(text, at - 1), at);
    const line = text.slice(at, lineEnd(text, at));
    if (line.trim() === '') return cutLine(text, at, at);
    const isSeparated = before.trim() === '' && line.startsWith('# <<<');
    return isSeparated ? text.slice(0, at - before.length) + text.slice(at) : text;
  }

  #addInline(
    { node, path: outer }: { readonly node: Container; readonly path: TomlPath },
    path: TomlPath,
    value: JsonValue,
    change: (table: TomlTable) => void,
  ): void {
    const [key, ...inner] = path.slice(outer.length);
    const nested = inner.reduceRight<JsonValue>((member, name) => ({ [String(name)]: member }), value);
    this.#appendInline(node, outer, `${renderKey(String(key))} = ${renderInline(nested)}`, change);
  }

  #appendInline(node: Container, path: TomlPath, rendered: string, change: (table: TomlTable) => void): void {
    const { text, hollow } = appendInline(this.text, node, rendered);
    if (hollow !== undefined && path.every((key) => typeof key === 'string'))
      this.#hollows.push({ path, text: hollow });
    this.#set(text, change);
  }

  /** The innermost brackets that a path leads into, without the path itself. */
  #inlineAround(path: TomlPath): { readonly node: Container; readonly path: TomlPath } | undefined {
    for (let length = path.length - 1; length > 0; length -= 1) {
      const spot = this.#spot(path.slice(0, length));
      const node = spot === undefined ? undefined : valueOf(spot);
      if (node?.type === 'TOMLInlineTable' || node?.type === 'TOMLArray') return { node, path: path.slice(0, length) };
    }
    return undefined;
  }

  #spot(path: TomlPath): Spot | undefined {
    for (const { assignments } of this.#document.sections) {
      for (const assignment of assignments) {
        if (!startsWith(path, assignment.path)) continue;
        let spot: Spot | undefined = { kind: 'line', assignment };
        let reached = assignment.path.length;
        while (spot !== undefined && reached < path.length) {
          const container: AST.TOMLContentNode = valueOf(spot);
          if (container.type === 'TOMLValue') return undefined;
          const rest = path.slice(reached);
          const member: AST.TOMLKeyValue | AST.TOMLContentNode | undefined =
            container.type === 'TOMLArray'
              ? container.elements[typeof rest[0] === 'number' ? rest[0] : -1]
              : container.body.find((pair) => startsWith(rest, keysOf(pair)));
          if (member === undefined) {
            spot = undefined;
            break;
          }
          const containerPath = path.slice(0, reached);
          const isPair = member.type === 'TOMLKeyValue';
          spot = { kind: 'member', container, containerPath, member, value: isPair ? member.value : member };
          reached += isPair ? keysOf(member).length : 1;
        }
        if (spot !== undefined) return spot;
      }
    }
    return undefined;
  }

  #hollowAt(path: TomlPath): string | undefined {
    return this.#known.find((hollow) => samePlace(hollow.path, path))?.text;
  }

  #set(text: string, change?: (table: TomlTable) => void): void {
    if (change === undefined) {
      this.#document = this.#reread(text);
      return;
    }
    const wanted = this.#copy();
    change(wanted);
    this.#document = this.#reread(text);
    this.#require(wanted);
  }

  /** What we have made. A line of it that does not parse is one that the user never had, and is not shown as theirs. */
  #reread(text: string): TomlDocument {
    try {
      return parseToml(text, this.path);
    } catch (cause) {
      throw this.#defect(cause);
    }
  }

  /** A copy to be changed: dates of TOML are of a class that a structured clone loses. */
  #copy(): TomlTable {
    return parseToml(this.text, this.path).table;
  }

  #require(wanted: TomlTable): void {
    if (meaningOf(this.#document.table) === meaningOf(wanted)) return;
    throw this.#defect();
  }

  #defect(cause?: unknown): Refusal {
    return new Refusal({
      code: 'config/would-break',
      file: this.path,
      say: (t) => t.wouldMean(this.path),
      next: (t) => t.reportDefect,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

function valueOf(spot: Spot): AST.TOMLContentNode {
  return spot.kind === 'line' ? spot.assignment.value : spot.value;
}

function samePlace(one: TomlPath, other: TomlPath): boolean {
  return one.length === other.length && startsWith(one, other);
}

function lineAfter(text: string, offset: number, line: string): string {
  const at = lineEnd(text, offset);
  const indent = /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
  // The break that follows comes to stand behind our line: where breaks are mixed, taking that out has to leave the same.
  const newline = /^\r?\n/.exec(text.slice(at))?.[0] ?? newlineOf(text);
  return text.slice(0, at) + newline + indent + line + text.slice(at);
}

function lineAtTop(text: string, line: string): string {
  const at = text.startsWith('\uFEFF') ? 1 : 0;
  const rest = text.slice(at);
  return text.slice(0, at) + line + (rest === '' ? '' : newlineOf(text)) + rest;
}

function put(table: TomlTable, path: TomlPath, value: JsonValue): void {
  let within: TomlTable | TomlValue[] = table;
  for (const key of path.slice(0, -1)) {
    const next: TomlValue | undefined = Array.isArray(within) ? within[Number(key)] : within[String(key)];
    if (next !== undefined && (isTable(next) || Array.isArray(next))) within = next;
    else {
      const made: TomlTable = {};
      if (!Array.isArray(within)) within[String(key)] = made;
      within = made;
    }
  }
  const last = path.at(-1);
  if (Array.isArray(within)) within[Number(last)] = value as TomlValue;
  else within[String(last)] = value as TomlValue;
}

function drop(table: TomlTable, path: TomlPath): void {
  const within = tomlAt(table, path.slice(0, -1));
  const last = path.at(-1);
  if (Array.isArray(within)) within.splice(Number(last), 1);
  else if (isTable(within)) delete within[String(last)];
}
