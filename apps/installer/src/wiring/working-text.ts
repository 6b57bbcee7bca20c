/**
 * A configuration file while it is being edited: every change re-parses, so that no edit works with stale offsets.
 */
import type { Node } from 'jsonc-parser';
import type { ConfigFile } from '@openviking/memory-core/hot';
import { parseDocument, propertyOf, valueAt } from '../json/document.ts';
import { removeMember } from '../json/edit.ts';
import { ownedHandlers } from './handlers.ts';
import { samePath } from './record.ts';
import type { JsonDocument } from '../json/document.ts';
import type { FoundHandler, HandlerOperation } from './handlers.ts';
import type { Hollow } from './record.ts';

export class WorkingText {
  readonly path: string;
  readonly #hollows: readonly Hollow[];
  #document: JsonDocument;

  /** `hollows` tells how containers looked when they were empty: one that is emptied again looks so again. */
  constructor(document: JsonDocument, path: string, hollows: readonly Hollow[] = []) {
    this.#document = document;
    this.#hollows = hollows;
    this.path = path;
  }

  get document(): JsonDocument {
    return this.#document;
  }

  get text(): string {
    return this.#document.text;
  }

  set(text: string): void {
    if (text !== this.text) this.#document = parseDocument(text, this.path);
  }

  at(path: readonly string[]): Node | undefined {
    return valueAt(this.#document.root, path);
  }

  /** Names of the members of the object at `path`; empty when there is none. */
  keysAt(path: readonly string[]): readonly string[] {
    const node = this.at(path);
    if (node?.type !== 'object') return [];
    return [...new Set((node.children ?? []).map((property) => String(property.children?.[0]?.value)))];
  }

  removeProperty(path: readonly string[]): void {
    const parent = path.slice(0, -1);
    const container = this.at(parent);
    const property = container === undefined ? undefined : propertyOf(container, path.at(-1) ?? '');
    if (container !== undefined && property !== undefined) {
      this.set(removeMember(this.text, container, property, this.#hollowOf(parent)));
    }
  }

  /** Removes one of our handlers from the event's list at `path`, and its group when nobody else is in it. */
  removeHandler(path: readonly string[], { node, list, group }: FoundHandler): void {
    const event = this.at(path);
    if (event === undefined) return;
    const isAlone = group === undefined || (list.children ?? []).length === 1;
    this.set(
      isAlone
        ? removeMember(this.text, event, group ?? node, this.#hollowOf(path))
        : removeMember(this.text, list, node),
    );
  }

  /** The first of our handlers in the event's list at `path` that `wanted` accepts. */
  findHandler(
    path: readonly string[],
    kind: HandlerOperation['kind'],
    owns: ConfigFile['owns'],
    wanted: (handler: FoundHandler, index: number) => boolean = () => true,
  ): FoundHandler | undefined {
    const event = this.at(path);
    return event?.type === 'array' ? ownedHandlers(event, kind, owns).find(wanted) : undefined;
  }

  #hollowOf(path: readonly string[]): string | undefined {
    return this.#hollows.find((hollow) => samePath(hollow.path, path))?.text;
  }
}
