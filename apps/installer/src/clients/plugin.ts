/**
 * Whether a client has our plugin already. The plugin and the installer wire the same hooks: with both, every prompt would
 * be answered twice and every turn captured twice.
 */
import { join } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { isThere, namesIn } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig, parseDocument, placeOf, valueAt } from '../json/document.ts';
import { NO_SURVEY, registrationOf, wiringContext } from './survey.ts';
import type { Machine } from '../machine/machine.ts';

export interface FoundPlugin {
  /** `name@marketplace`, or what is known of it. */
  readonly id: string;
  readonly isEnabled: boolean;
  /** Where that stands. */
  readonly file: string;
  readonly line?: number;
}

/**
 * The plugin where it is switched on; else where it is installed; undefined when the client does not have it, and for a
 * client whose plugin is ours to register: there it is no second wiring.
 */
export function findPlugin(client: HarnessDeclaration, machine: Machine): FoundPlugin | undefined {
  const { plugin } = client;
  if (plugin === undefined || registrationOf(client, machine, NO_SURVEY) !== undefined) return undefined;
  const mentions = configPaths(client, machine).flatMap((path) => mentionsIn(path, plugin.name, plugin.enabledAt));
  return mentions.find(({ isEnabled }) => isEnabled) ?? mentions[0] ?? installedPlugin(client, machine);
}

function configPaths(client: HarnessDeclaration, machine: Machine): readonly string[] {
  return client.wiring(wiringContext(client, machine, NO_SURVEY)).files.map(({ path }) => path);
}

function mentionsIn(file: string, name: string, at: readonly string[]): readonly FoundPlugin[] {
  const image = readImage(file);
  if (image === undefined) return [];
  try {
    const text = decodeConfig(image.bytes, file);
    const map = valueAt(parseDocument(text, file).root, at);
    return (map?.children ?? []).flatMap((property): readonly FoundPlugin[] => {
      const [key, value] = property.children ?? [];
      const id = String(key?.value);
      if (key === undefined || value === undefined || !isOurs(id, name)) return [];
      // Whatever form a build may give an entry one day: only a plain no is a no.
      const isEnabled = value.value !== false && value.type !== 'null';
      return [{ id, isEnabled, file, line: placeOf(text, key.offset).line }];
    });
  } catch (error) {
    // A broken file is told about by the plan.
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/** Installed, and no configuration file says whether it is switched on: then it is not. */
function installedPlugin({ plugin }: HarnessDeclaration, machine: Machine): FoundPlugin | undefined {
  if (plugin === undefined) return undefined;
  const below = (path: string): string => join(machine.home, path.replace(/^~\//, ''));
  for (const marketplace of namesIn(below(plugin.folder))) {
    const file = join(below(plugin.folder), marketplace, plugin.name);
    if (isThere(file)) return { id: `${plugin.name}@${marketplace}`, isEnabled: false, file };
  }
  const registry = below(plugin.registry);
  const id = new RegExp(`"(${plugin.name}@[^"\\\\]+)"`).exec(textOf(registry))?.[1];
  return id === undefined ? undefined : { id, isEnabled: false, file: registry };
}

function isOurs(id: string, name: string): boolean {
  return id === name || id.startsWith(`${name}@`);
}

function textOf(path: string): string {
  try {
    return Buffer.from(readImage(path)?.bytes ?? []).toString('utf8');
  } catch {
    return '';
  }
}
