/**
 * All that one installation changes, in the order in which it is applied: program files before the entries that start them,
 * receipts before the connection. One plan, so that a failure anywhere leaves the machine as it was.
 */
import { requireDistinctFiles } from '../apply/distinct-files.ts';
import { Refusal } from '../cli/refusal.ts';
import { requireFoldersOnTheWay } from '../clients/file-in-the-way.ts';
import { NO_SURVEY, wiringContext } from '../clients/survey.ts';
import { selfTest } from './self-test.ts';
import { readAside } from '../connection/ovcli-conf.ts';
import { checkServer, INSTALL_CHECK_MS } from '../connection/server-check.ts';
import { confText, storedConnection } from '../connection/stored-connection.ts';
import { choosePort, newToken } from '../local/local-server.ts';
import { installPaths, ovcliPath, settingsFor } from '../machine/machine.ts';
import { openPayload } from '../payload/payload.ts';
import { CONNECTION, installedClients, LOCAL_SERVER, readReceipt } from '../receipts/receipt.ts';
import { planClient } from '../plan/client-plan.ts';
import { planConnection } from '../plan/connection-plan.ts';
import { planLocalServer } from '../plan/local-plan.ts';
import { notesOnClient } from '../plan/notes-on-client.ts';
import { refuseSecondWiring } from '../plan/second-wiring.ts';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import type { Step } from '../apply/step.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { CommandContext } from './outcome.ts';
import type { ConnectionWish } from '../connection/ovcli-conf.ts';
import type { PreparedPlugins } from '../distribution/prepare.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientPlan, Note } from '../plan/client-plan.ts';
import type { LocalPlan } from '../plan/local-plan.ts';

/** Everything that one run changes, and what the user should know of it. */
export interface InstallationPlan {
  readonly clients: readonly ClientPlan[];
  readonly refused: readonly { readonly client: HarnessDeclaration; readonly error: Refusal }[];
  readonly local: LocalPlan | undefined;
  readonly steps: readonly Step[];
  /** True when the connection changes, so that a running embedded server must read it again. */
  readonly changesConnection: boolean;
  readonly connectionNotes: readonly Note[];
}

/** Plans all clients, the embedded server and the connection as one. Throws a refusal when something cannot be done. */
export async function planInstallation(input: {
  readonly context: CommandContext;
  readonly invocation: Invocation;
  readonly clients: readonly HarnessDeclaration[];
  readonly prepared: PreparedPlugins;
  readonly wish: ConnectionWish;
  readonly foundInRoot: readonly string[];
  readonly madeFolders: readonly string[];
  /** Ports that turned out to be another program's. */
  readonly takenPorts: ReadonlySet<number>;
}): Promise<InstallationPlan> {
  const { machine, terminal } = input.context;
  const { madeFolders, foundInRoot } = input;
  const sharedFolders = foldersOfReceipts(machine);
  const clients: ClientPlan[] = [];
  const refused: { client: HarnessDeclaration; error: Refusal }[] = [];
  for (const client of input.clients) {
    try {
      refuseSecondWiring(client, machine);
      const payload = openPayload(machine.payloadRoot, client.id);
      const survey = input.prepared.surveys.get(client) ?? NO_SURVEY;
      const wiring = client.wiring(wiringContext(client, machine, survey));
      requireFoldersOnTheWay([...wiring.files.map(({ path }) => path), ...wiring.owned.map(({ to }) => to)]);
      const staged = input.prepared.staged.get(client);
      const planned = await planClient({
        machine,
        client,
        payload,
        survey,
        madeFolders,
        sharedFolders,
        foundInRoot,
        ...(staged === undefined ? {} : { staged }),
      });
      const notes = [
        ...notesOnClient(client, machine, survey),
        ...(input.prepared.notes.get(client) ?? []),
        ...planned.notes,
      ];
      clients.push({ ...planned, notes });
    } catch (error) {
      if (!input.invocation.keepGoing || !(error instanceof Refusal)) throw error;
      refused.push({ client, error });
    }
  }
  const [first] = refused;
  if (clients.length === 0 && first !== undefined) throw first.error;

  let wish = input.wish;
  let local: LocalPlan | undefined;
  if (input.invocation.local) {
    const port = await choosePort(machine.home, input.takenPorts);
    local = planLocalServer(machine, openPayload(machine.payloadRoot, LOCAL_SERVER), port);
    const url = `http://127.0.0.1:${port}`;
    const now = storedConnection(machine);
    const token = now.url === url && now.apiKey !== undefined ? now.apiKey : newToken();
    terminal.keepSecret(token);
    wish = { ...wish, url, apiKey: token };
  }
  const isRefused = local === undefined && (await isKeyRefused(machine, wish, clients[0]?.client));
  const connection = planConnection(machine, wish, madeFolders, local !== undefined, isRefused);
  const steps: readonly Step[] = [
    ...clients.flatMap(({ payloadSteps }) => payloadSteps),
    ...clients.map(({ launcher }): Step => ({ kind: 'probe', run: () => selfTest(machine, launcher) })),
    ...(local?.steps ?? []),
    ...clients.flatMap(({ wiringSteps }) => wiringSteps),
    ...clients.flatMap(({ receiptStep }) => receiptStep),
    ...(local?.receiptStep ?? []),
    ...connection.receiptStep,
    ...connection.fileStep,
  ];
  requireDistinctFiles(steps);
  return {
    clients,
    refused,
    local,
    steps,
    changesConnection: connection.fileStep.length > 0,
    connectionNotes: connection.notes,
  };
}

/**
 * What the first of the present installations found in `~/.openviking`, or one that is gone and has left its connection:
 * whatever has come there since was made by hooks of ours.
 */
export function knownFound(machine: Machine): readonly string[] | undefined {
  const { receipts, receipt } = installPaths(machine.home);
  const found = [
    readReceipt(receipt(CONNECTION), 'connection'),
    ...installedClients(receipts).map((id) => readReceipt(receipt(id), 'client')),
  ].flatMap((known) => (known?.foundInRoot === undefined ? [] : [known.foundInRoot]));
  const [first, ...others] = found;
  return first?.filter((name) => others.every((names) => names.includes(name)));
}

function foldersOfReceipts(machine: Machine): readonly string[] {
  const { receipts, receipt } = installPaths(machine.home);
  return [
    ...installedClients(receipts).flatMap((id) => readReceipt(receipt(id), 'client')?.folders ?? []),
    ...(readReceipt(receipt(CONNECTION), 'connection')?.folders ?? []),
    ...(readReceipt(receipt(LOCAL_SERVER), 'local-server')?.folders ?? []),
  ].filter((folder) => folder.startsWith(installPaths(machine.home).root));
}

/**
 * Whether the server refuses the key that another one is about to take the place of: then the one that was put aside before
 * is the one worth keeping. Asked only where there are both.
 */
async function isKeyRefused(
  machine: Machine,
  wish: ConnectionWish,
  owner: HarnessDeclaration | undefined,
): Promise<boolean> {
  const path = ovcliPath(machine);
  const { apiKey } = storedConnection(machine);
  if (wish.apiKey === undefined || wish.apiKey === apiKey || apiKey === undefined) return false;
  if (readAside(confText(path), path) === undefined) return false;
  const state = await checkServer(machine, settingsFor(machine, owner ?? { id: '' }), INSTALL_CHECK_MS);
  return state.kind === 'rejected';
}
