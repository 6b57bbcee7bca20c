/** A client that has our plugin is not wired a second time; what the user should know about a plugin that is switched off. */
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { findPlugin } from '../clients/plugin.ts';
import type { Machine } from '../machine/machine.ts';
import type { Note } from './client-plan.ts';

/** Throws a refusal that says how to move when the plugin is switched on. */
export function refuseSecondWiring(client: HarnessDeclaration, machine: Machine): void {
  const found = findPlugin(client, machine);
  const { plugin } = client;
  if (found?.isEnabled !== true || plugin === undefined) return;
  const place = found.line === undefined ? found.file : `${found.file}:${found.line}`;
  throw new Refusal({
    code: `${client.id}/plugin-enabled`,
    say: (t) => t.pluginEnabled(place, found.id, client.name),
    next: (t) => t.pluginMove(plugin.removal[t.language]),
  });
}

/** The plugin is there and switched off: fine, as long as it stays so. */
export function notesOnPlugin(client: HarnessDeclaration, machine: Machine): readonly Note[] {
  const found = findPlugin(client, machine);
  const { plugin } = client;
  if (found === undefined || plugin === undefined) return [];
  const { file, line, id, isEnabled } = found;
  const place = line === undefined ? file : `${file}:${line}`;
  return [
    {
      code: `${client.id}/${isEnabled ? 'plugin-enabled' : 'plugin-installed'}`,
      isWarning: isEnabled,
      file,
      ...(line === undefined ? {} : { line }),
      say: (t) =>
        isEnabled
          ? `${t.pluginEnabled(place, id, client.name)} ${plugin.removal[t.language]}`
          : t.pluginInstalled(place, id, client.name),
    },
  ];
}
