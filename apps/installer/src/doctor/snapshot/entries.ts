/** Finds what is ours in a client's configuration file, and what stands where ours should be. Goes by the declaration alone. */
import type { ConfigFile, ConfigOperation, JsonValue } from '@openviking/memory-core/full';
import { placeOf, plainValue, propertyOf } from '../../json/document.ts';
import { nodeAt, readConfig } from '../../wiring/format.ts';
import { samePath } from '../../wiring/record.ts';
import { findBlock } from '../../yaml/block.ts';
import { switchesOn } from './switches.ts';
import type { Switched } from './switches.ts';
import type { Node } from 'jsonc-parser';

/** A handler or entry of ours in a file. */
export interface OwnEntry {
  readonly path: readonly string[];
  readonly kind: 'hook' | 'entry';
  readonly owner: 'current' | 'earlier';
  readonly line: number;
  readonly value: JsonValue;
  /** False: it does not belong there, because ours is wired in another form. */
  readonly isWanted: boolean;
  /** An entry under a name that no form of ours has: somebody renamed or copied it. */
  readonly isRenamed: boolean;
}

export interface Place {
  readonly path: readonly string[];
  readonly line: number;
}

/** A key that keeps an entry of ours from its work. */
export interface SwitchedEntry extends Place, Pick<Switched, 'of' | 'key' | 'value' | 'effect'> {}

export interface FileEntries {
  readonly own: readonly OwnEntry[];
  /** What the declaration wants and the file does not have. */
  readonly missing: readonly { readonly path: readonly string[]; readonly kind: 'hook' | 'entry' | 'item' }[];
  /** What is there, ours, and kept from its work. */
  readonly switched: readonly SwitchedEntry[];
  /** Entries under our name that are somebody else's. */
  readonly foreign: readonly Place[];
  /** Scalars that have another value than the one that we need. */
  readonly scalars: readonly (Place & { readonly wanted: string | number | boolean; readonly isAbsent: boolean })[];
}

/** A rule of the client that the file breaks, with its line. */
export interface BrokenRule {
  readonly code: string;
  readonly line: number;
  readonly message: { readonly en: string; readonly zh: string };
  readonly fix: { readonly en: string; readonly zh: string };
}

/** Pure. `surplus`: where other forms of the wiring put ours. Throws a refusal when the text does not parse. */
export function findEntries(text: string, file: ConfigFile, surplus: readonly ConfigOperation[] = []): FileEntries {
  const { root } = readConfig(text, file);
  // The nodes of every format are those of JSON.
  const at = (path: readonly string[]): Node | undefined => nodeAt(root, path) as Node | undefined;
  const own: OwnEntry[] = [];
  const missing: { path: readonly string[]; kind: 'hook' | 'entry' | 'item' }[] = [];
  const switched: SwitchedEntry[] = [];
  const foreign: Place[] = [];
  const scalars: (Place & { wanted: string | number | boolean; isAbsent: boolean })[] = [];
  const isWanted = (path: readonly string[]): boolean =>
    file.operations.some((operation) => samePath(operation.path, path));
  const line = (node: Node): number => placeOf(text, node.offset).line;
  const look = (path: readonly string[], node: Node, matcher?: Node): void => {
    const operation = file.operations.find((candidate) => samePath(candidate.path, path));
    for (const { node: at, of, key, value, effect } of switchesOn(node, matcher, operation, file)) {
      switched.push({ path, line: line(at), of, key, value, effect });
    }
  };
  for (const operation of file.operations) {
    const { path, kind } = operation;
    const node = at(path);
    if (kind === 'block') {
      if (findBlock(text, operation.path[0], file.path) === undefined) missing.push({ path, kind: 'entry' });
    } else if (kind === 'scalar') {
      if (node?.value === operation.value) continue;
      const around = node ?? at(path.slice(0, -1)) ?? at([]);
      const isAbsent = node === undefined;
      scalars.push({ path, wanted: operation.value, isAbsent, line: around === undefined ? 1 : line(around) });
    } else if (kind === 'entry') {
      if (node === undefined) missing.push({ path, kind: 'entry' });
      else if (file.owns(plainValue(node), path.at(-1)) === undefined) foreign.push({ path, line: line(node) });
    } else if (!handlersIn(node, file).some(({ owner }) => owner === 'current')) {
      missing.push({ path, kind: kind === 'item' ? 'item' : 'hook' });
    }
  }
  const places = [...file.operations, ...surplus];
  for (const { parent, kind } of parentsOf(places)) {
    for (const property of at(parent)?.children ?? []) {
      const [key, value] = property.children ?? [];
      if (key === undefined || value === undefined) continue;
      const name = String(key.value);
      const path = [...parent, name];
      if (kind === 'hook') {
        for (const { node, owner, matcher } of handlersIn(value, file)) {
          if (owner === 'current') look(path, node, matcher);
          own.push({
            path,
            kind,
            owner,
            line: line(node),
            value: plainValue(node),
            isWanted: isWanted(path),
            isRenamed: false,
          });
        }
      } else {
        const owner = file.owns(plainValue(value), name);
        if (owner === undefined) continue;
        if (owner === 'current') look(path, value);
        const isRenamed = owner === 'current' && !places.some((operation) => samePath(operation.path, path));
        own.push({
          path,
          kind,
          owner,
          line: line(value),
          value: plainValue(value),
          isWanted: isWanted(path),
          isRenamed,
        });
      }
    }
  }
  return { own, missing, switched, foreign, scalars };
}

/** What of the file the client refuses. Pure; `text` parses. */
export function brokenRules(text: string, file: ConfigFile): readonly BrokenRule[] {
  return file.check(readConfig(text, file)).map(({ code, offset, message, fix }) => ({
    code,
    line: placeOf(text, offset).line,
    message,
    fix,
  }));
}

/** Handlers of ours in a list: elements of the list, or of the `hooks` of its groups. */
function handlersIn(
  list: Node | undefined,
  file: ConfigFile,
): { node: Node; owner: 'current' | 'earlier'; matcher: Node | undefined }[] {
  if (list?.type !== 'array') return [];
  return (list.children ?? []).flatMap((element) => {
    const inner = element.type === 'object' ? propertyOf(element, 'hooks')?.children?.[1] : undefined;
    const nodes = inner?.type === 'array' ? (inner.children ?? []) : [element];
    return nodes.flatMap((node) => {
      const owner = file.owns(plainValue(node));
      const matcher = element.type === 'object' ? propertyOf(element, 'matcher')?.children?.[1] : undefined;
      return owner === undefined ? [] : [{ node, owner, matcher }];
    });
  });
}

/** The objects below which ours are found, each once. */
function parentsOf(
  operations: readonly ConfigOperation[],
): readonly { readonly parent: readonly string[]; readonly kind: 'hook' | 'entry' }[] {
  const parents = new Map<string, { parent: readonly string[]; kind: 'hook' | 'entry' }>();
  for (const { kind, path } of operations) {
    if (kind === 'scalar' || kind === 'block') continue;
    const parent = path.slice(0, -1);
    parents.set(JSON.stringify(parent), { parent, kind: kind === 'entry' ? 'entry' : 'hook' });
  }
  return [...parents.values()];
}
