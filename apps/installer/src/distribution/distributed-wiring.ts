/**
 * The same registration from another place: our files stay away, and the client is told about a repository or a folder in
 * place of the marketplace that the installer writes. Pure.
 */
import { join } from 'node:path';
import type { HarnessDeclaration, PluginRegistration } from '@openviking/memory-core/full';
import { treeName } from './plugin-source.ts';
import type { PluginSource } from './plugin-source.ts';

type Wiring = ReturnType<HarnessDeclaration['wiring']>;

export interface DistributedRegistration extends PluginRegistration {
  /** What the client is told in place of the folder: a URL. The client keeps the plugin, and its version, by itself. */
  readonly source?: string;
}

/** `folder` is where the installer keeps this client's program files. */
export function distributedWiring(
  wiring: Wiring,
  source: PluginSource | undefined,
  folder: string,
): Wiring & { readonly registration?: DistributedRegistration } {
  const { registration } = wiring;
  if (registration === undefined || source === undefined) return wiring;
  return {
    ...wiring,
    owned: wiring.owned.filter(({ kind }) => kind !== 'plugin'),
    registration: distributedRegistration(registration, source, folder),
  };
}

export function distributedRegistration(
  registration: PluginRegistration,
  source: PluginSource,
  folder: string,
): DistributedRegistration {
  const place = source.kind === 'remote' ? source.url : pluginFolder(source, folder);
  return {
    ...registration,
    folder: source.kind === 'remote' ? folder : place,
    ...(source.kind === 'remote' ? { source: place } : {}),
    add: registration.add.map((args) => args.map((word) => (word === registration.folder ? place : word))),
  };
}

function pluginFolder(source: Exclude<PluginSource, { kind: 'remote' }>, folder: string): string {
  return source.kind === 'dev' ? source.folder : join(folder, treeName(source.sha256));
}
