/**
 * What the client says it has, or would say. Its settings file alone does not tell: a plugin may stand there and not be
 * installed, and be installed from another folder.
 */
import { Refusal } from '../cli/refusal.ts';
import { clientRunner } from '../clients/client-runner.ts';
import { listedPlugin } from '../clients/listed-plugin.ts';
import { networkVariables } from '../distribution/network-variables.ts';
import { decodeConfig } from '../json/document.ts';
import { locationVariables } from '../machine/machine.ts';
import { switchedOffIn } from '../registration/mentions.ts';
import type { ListedPlugin } from '../clients/listed-plugin.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { Machine } from '../machine/machine.ts';
import type { PluginNames } from '../registration/mentions.ts';
import type { RegistrationReceipt } from '../registration/plugin-change.ts';
import type { RewrittenFile } from './rewritten-file.ts';

/** Where the client keeps its things, and what keeps its commands from talking to its vendor. */
export function variablesFor(
  machine: Machine,
  registration: Pick<DistributedRegistration, 'variables' | 'source'> | undefined,
): Readonly<Record<string, string>> {
  const way = registration?.source === undefined ? {} : networkVariables(machine.env);
  return { ...locationVariables(machine), ...way, ...registration?.variables };
}

/** What each of the client's commands lists under our name. */
export async function listAll(
  machine: Machine,
  registration: Pick<DistributedRegistration, 'list' | 'variables' | 'source'>,
  programs: readonly string[],
  id: string,
): Promise<readonly { readonly program: string; readonly plugin: ListedPlugin | undefined }[]> {
  const run = clientRunner(machine, machine.signal);
  const variables = variablesFor(machine, registration);
  return Promise.all(
    programs.map(async (program) => {
      const { stdout } = await run(program, registration.list, variables);
      return { program, plugin: listedPlugin(stdout, id) };
    }),
  );
}

/** What the client would list, going by the receipt and its settings. */
export function believed(
  programs: readonly string[],
  files: readonly Pick<RewrittenFile, 'path' | 'image' | 'mentions'>[],
  old: RegistrationReceipt | undefined,
  names: PluginNames,
): Awaited<ReturnType<typeof listAll>> {
  if (old === undefined || files.every(({ mentions }) => mentions.length === 0)) return [];
  const isEnabled = !files.some(
    ({ path, image }) =>
      image !== undefined && switchedOffIn(decodeConfig(image.bytes, path), path, names) !== undefined,
  );
  return programs.map((program) => ({ program, plugin: { version: old.listed, isEnabled, texts: [] } }));
}

/** The client's commands have said that all is well, and it does not have the plugin. */
export function notListed(program: string, id: string): Refusal {
  return new Refusal({
    code: 'client/not-registered',
    say: (t) => t.pluginNotListed(program, id),
    next: (t) => t.commandFailedNext,
  });
}
