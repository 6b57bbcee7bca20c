/** Which clients are to be wired: every one of this release, with what was found of it and where. */
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { displayWidth } from '../cli/display-width.ts';
import { interrupted } from '../cli/interruption.ts';
import { shortHome } from '../cli/short-home.ts';
import { detect } from '../clients/detect.ts';
import { wishesFor } from '../clients/wishes.ts';
import { installPaths } from '../machine/machine.ts';
import { installedClients } from '../receipts/receipt.ts';
import { fit, LIST_FRAME } from './fit.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { CommandContext } from '../commands/outcome.ts';
import type { Choice, Prompter } from './prompter.ts';

/** The ids that were chosen, at least one. Throws the refusal of an interruption when the user leaves. */
export async function askClients(
  prompter: Prompter,
  { machine, terminal, clients }: CommandContext,
  invocation: Invocation,
): Promise<readonly string[]> {
  const { texts } = terminal;
  const installed = installedClients(installPaths(machine.home).receipts);
  const found = new Map(
    clients.map((client) => [client.id, detect(client, machine, wishesFor(client, invocation, machine).commands)]),
  );
  const hintFor = ({ id, name }: HarnessDeclaration): string => {
    const place = found.get(id);
    const isInstalled = installed.includes(id);
    if (place === undefined) return isInstalled ? texts.guidedInstalled : texts.guidedNotFound;
    const text = isInstalled ? texts.guidedInstalledAt : texts.guidedFound;
    const room = terminal.columns - LIST_FRAME - displayWidth(name) - displayWidth(text(''));
    return text(fit(shortHome(place, machine.home), room));
  };
  const choices = clients.map((client): Choice<string> => ({
    value: client.id,
    label: client.name,
    hint: hintFor(client),
  }));
  const preset = clients.filter(({ id }) => found.get(id) !== undefined || installed.includes(id)).map(({ id }) => id);
  for (;;) {
    const chosen = await prompter.chooseSeveral({ message: texts.guidedClients, choices, preset });
    if (chosen === undefined) throw interrupted();
    if (chosen.length > 0) return clients.map(({ id }) => id).filter((id) => chosen.includes(id));
    prompter.tell(texts.guidedNoClient);
  }
}
