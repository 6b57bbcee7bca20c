/**
 * What the administrator of the machine has settled for a client: hooks of users may be forbidden there, which no file of the
 * user's tells. Read only.
 */
import { join } from 'node:path';
import type { HarnessDeclaration, ManagedFile } from '@openviking/memory-core/full';
import { namesIn } from '../../files/folders.ts';
import { readImage } from '../../files/image.ts';
import { decodeConfig, parseDocument, placeOf, valueAt } from '../../json/document.ts';
import type { JsonDocument } from '../../json/document.ts';
import type { Machine } from '../../machine/machine.ts';

/** A key that is true in one of those files. */
export interface ManagedOff {
  readonly file: string;
  readonly line: number;
  readonly key: string;
  /** Plugins whose hooks run all the same. */
  readonly except: readonly string[];
  /** False: no hook runs, whatever the plugins. */
  readonly hasExceptions: boolean;
}

interface Layer {
  readonly path: string;
  readonly document: JsonDocument;
}

/** Never throws: a file that cannot be read or understood says nothing. */
export function readManaged(
  { managedFiles = [] }: HarnessDeclaration,
  { platform, systemRoot = '' }: Pick<Machine, 'platform' | 'systemRoot'>,
): readonly ManagedOff[] {
  return managedFiles
    .filter(({ os }) => os.includes(platform))
    .flatMap((file) => offIn(layersOf(file, systemRoot), file.offSwitches));
}

/** The later one counts, as the client lays them over one another. */
function layersOf({ path, dropIns }: ManagedFile, root: string): readonly Layer[] {
  const above = dropIns === undefined ? undefined : root + dropIns;
  const names = above === undefined ? [] : namesIn(above).filter((name) => /^[^.].*\.json$/i.test(name));
  return [root + path, ...names.map((name) => join(above ?? '', name))].flatMap(readLayer);
}

function readLayer(path: string): readonly Layer[] {
  try {
    const image = readImage(path);
    return image === undefined ? [] : [{ path, document: parseDocument(decodeConfig(image.bytes, path), path) }];
  } catch {
    return [];
  }
}

function offIn(layers: readonly Layer[], switches: ManagedFile['offSwitches']): readonly ManagedOff[] {
  return switches.flatMap(({ key, exceptPlugins }) => {
    const set = layers.findLast(({ document }) => valueAt(document.root, [key]) !== undefined);
    const node = set === undefined ? undefined : valueAt(set.document.root, [key]);
    if (set === undefined || node?.value !== true) return [];
    return [
      {
        file: set.path,
        line: placeOf(set.document.text, node.offset).line,
        key,
        except: exceptPlugins === undefined ? [] : trueIn(layers, exceptPlugins),
        hasExceptions: exceptPlugins !== undefined,
      },
    ];
  });
}

/** Names that are true in that map, over all layers. */
function trueIn(layers: readonly Layer[], map: string): readonly string[] {
  const values = new Map<string, unknown>();
  for (const { document } of layers) {
    for (const { children } of valueAt(document.root, [map])?.children ?? []) {
      values.set(String(children?.[0]?.value), children?.[1]?.value);
    }
  }
  return [...values].flatMap(([name, value]) => (value === true ? [name] : []));
}
