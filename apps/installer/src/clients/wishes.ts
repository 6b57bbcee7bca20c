/** How the user wants a client to be wired: what this command line says, and what an earlier one said before it. */
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { installPaths } from '../machine/machine.ts';
import { readReceipt } from '../receipts/receipt.ts';
import { compatibleCommands } from './compatible-commands.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientWishes } from '../receipts/receipt.ts';

/**
 * `--hooks-only` and `--mcp-only` are not remembered: a later run without them wires the rest. Throws a usage refusal.
 */
export function wishesFor(
  client: HarnessDeclaration,
  { bins, statusLine, only }: Pick<Invocation, 'bins' | 'statusLine' | 'only'>,
  machine: Machine,
): ClientWishes {
  const before = readReceipt(installPaths(machine.home).receipt(client.id), 'client')?.wishes ?? {};
  const commands = compatibleCommands(client.id, bins, machine) ?? before.commands;
  const line = statusLine ?? before.statusLine;
  return {
    ...(commands === undefined ? {} : { commands }),
    ...(line === undefined ? {} : { statusLine: line }),
    ...(only === undefined ? {} : { only }),
    ...(before.distribution === undefined ? {} : { distribution: before.distribution }),
  };
}
