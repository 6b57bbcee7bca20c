/** Sends what waits without waiting for the next hook: nobody may be at work in a client for days. */
import { startLauncher } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { installPaths } from '../machine/machine.ts';
import { readReceipt } from '../receipts/receipt.ts';
import type { Machine } from '../machine/machine.ts';

/** One worker for each installed client: only it can complete the turns of its client. Returns the ids of the clients. */
export function startDelivery(machine: Machine, clients: readonly HarnessDeclaration[]): readonly string[] {
  const { home, platform, env } = machine;
  return clients.flatMap(({ id }) => {
    const receipt = readReceipt(installPaths(home).receipt(id), 'client');
    if (receipt === undefined) return [];
    const worker = startLauncher(receipt.launcher.path, ['worker', 'sweep'], { home, platform, env: { ...env } });
    return worker === undefined ? [] : [id];
  });
}
