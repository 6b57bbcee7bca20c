/**
 * The names under which our plugin may stand in a client's files: its own, and those of earlier installers. What is not known
 * by name here stays behind, and the client runs our hooks twice.
 */
import { installPaths } from '../machine/machine.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { Machine } from '../machine/machine.ts';
import type { PluginNames } from './mentions.ts';
import type { RegistrationReceipt } from './plugin-change.ts';

/** The names under which the plugin may stand in a settings file. */
export function pluginNames(
  { plugin, marketplace, folder, source, replaces = [] }: DistributedRegistration,
  machine: Pick<Machine, 'home'>,
  old?: RegistrationReceipt,
): PluginNames {
  const earlier = replaces.map((args) => args.at(-1) ?? '').filter((name) => name !== marketplace && name !== '');
  // Predecessors kept their marketplace in the same folder of the home, under our name.
  const places = [installPaths(machine.home).root, folder, source, ...(old?.places ?? [])];
  return {
    id: `${plugin}@${marketplace}`,
    marketplace,
    earlier: [...new Set(earlier)],
    places: [...new Set(places.filter((place) => place !== undefined))],
  };
}

/** By which the client's own entries tell ours. */
export function placeOfPlugin({ source, folder }: Pick<RegistrationReceipt, 'source' | 'folder'>): string {
  return source ?? folder;
}
