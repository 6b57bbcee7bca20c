/** Whether a client has our plugin, and which: asked of its own commands, whose bookkeeping nobody else should read. */
import { isObject } from '@openviking/memory-core/full';
import type { JsonValue } from '@openviking/memory-core/full';

export interface ListedPlugin {
  readonly version: string;
  /** The user may have switched it off. */
  readonly isEnabled: boolean;
  /** Every text of the entry: the folder that it runs from is one of them, where the client tells. */
  readonly texts: readonly string[];
}

/** Our plugin in what the client's list prints; undefined when it is not in it, or the list cannot be read. */
export function listedPlugin(stdout: string, id: string): ListedPlugin | undefined {
  try {
    return search(JSON.parse(stdout.slice(Math.max(0, stdout.search(/[[{]/)))) as JsonValue, id);
  } catch {
    return undefined;
  }
}

function search(value: JsonValue, id: string): ListedPlugin | undefined {
  if (Array.isArray(value)) {
    for (const element of value as readonly JsonValue[]) {
      const found = search(element, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  if (Object.values(value).includes(id) && typeof value['version'] === 'string') {
    return {
      version: value['version'],
      isEnabled: value['enabled'] !== false,
      texts: Object.values(value).filter((text) => typeof text === 'string'),
    };
  }
  return search(Object.values(value), id);
}

/** True when the plugin runs from that folder, or the client does not say from which. */
export function runsFrom({ texts }: ListedPlugin, folder: string): boolean {
  const others = texts.filter((text) => /^(\/|[A-Za-z]:\\)/.test(text));
  const inside = (text: string): boolean =>
    text === folder || text.startsWith(`${folder}/`) || text.startsWith(`${folder}\\`);
  return others.some(inside) || others.length <= 1;
}
