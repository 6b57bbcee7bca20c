/**
 * Reads a client's configuration file without changing a thing about it: comments, a byte order mark and trailing commas
 * are noted, a broken file is refused with the place. "Does not parse, so start from {}" has cost users their settings.
 */
import { createScanner, getNodeValue, parseTree } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import type { ConfigDocument, JsonValue } from '@openviking/memory-core/hot';
import { Refusal } from '../cli/refusal.ts';
import { TOKEN } from './token.ts';

export interface JsonDocument {
  /** As in the file, a byte order mark included: every offset counts it. */
  readonly text: string;
  readonly root: Node | undefined;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** The bytes of a file as text. Throws a refusal when they are not UTF-8: guessing another encoding would destroy it. */
export function decodeConfig(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Refusal({
      code: 'config/encoding',
      file: path,
      say: (t) => t.notUtf8(path),
      next: (t) => t.notUtf8Next,
      cause,
    });
  }
}

/** Parses JSON with comments. Throws a refusal naming file, line and column when the text is broken. */
export function parseDocument(text: string, path: string): JsonDocument {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    // A space in the mark's place keeps all offsets; the parser would take the mark for a broken word.
    root = parseTree(withoutMark(text), errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (cause) {
    throw new Refusal({
      code: 'config/too-deep',
      file: path,
      say: (t) => t.tooDeep(path),
      next: (t) => t.brokenFileNext,
      cause,
    });
  }
  const first = errors[0];
  if (first !== undefined) {
    const { line, column } = placeOf(text, first.offset);
    throw new Refusal({
      code: 'config/broken',
      file: path,
      say: (t) => t.brokenFile(path, line, column),
      next: (t) => t.brokenFileNext,
      place: { line, column },
    });
  }
  return { text, root };
}

/** The document as a client's own rules see it. */
export function toConfigDocument({ text, root }: JsonDocument): ConfigDocument {
  const oddities: ConfigDocument['oddities'][number][] = [];
  if (text.startsWith(BYTE_ORDER_MARK)) oddities.push({ kind: 'byte-order-mark', offset: 0 });
  const scanner = createScanner(withoutMark(text), false);
  let comma: number | undefined;
  for (let token = scanner.scan(); token !== TOKEN.end; token = scanner.scan()) {
    switch (token) {
      case TOKEN.lineComment:
      case TOKEN.blockComment:
        oddities.push({ kind: 'comment', offset: scanner.getTokenOffset() });
        break;
      case TOKEN.whiteSpace:
      case TOKEN.lineBreak:
        break;
      case TOKEN.comma:
        comma = scanner.getTokenOffset();
        break;
      case TOKEN.closeBrace:
      case TOKEN.closeBracket:
        if (comma !== undefined) oddities.push({ kind: 'trailing-comma', offset: comma });
        comma = undefined;
        break;
      default:
        comma = undefined;
    }
  }
  if (root === undefined) oddities.push({ kind: 'empty', offset: 0 });
  return { ...(root === undefined ? {} : { root }), oddities };
}

/** The text as the JSON scanner may see it, with equal offsets. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? ` ${text.slice(1)}` : text;
}

/** 1-based line and column of an offset. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The property of that name; with duplicates the last, which is the one that JSON.parse keeps. */
export function propertyOf(object: Node, key: string): Node | undefined {
  return object.children?.findLast((property) => property.children?.[0]?.value === key);
}

/** The value at a path of keys; undefined when it, or something on the way, is missing or no object. */
export function valueAt(root: Node | undefined, path: readonly string[]): Node | undefined {
  let node = root;
  for (const key of path) {
    if (node?.type !== 'object') return undefined;
    node = propertyOf(node, key)?.children?.[1];
  }
  return node;
}

/** The plain value of a node. */
export function plainValue(node: Node): JsonValue {
  return getNodeValue(node) as JsonValue;
}
