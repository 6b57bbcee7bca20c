/** `install`: read, plan, show, apply, try, report. */
import { allowAttempt } from '@openviking/memory-core/full';
import { declined } from '../cli/interruption.ts';
import { Refusal } from '../cli/refusal.ts';
import { resolveClients } from '../clients/catalogue.ts';
import { detect } from '../clients/detect.ts';
import { requireLocations } from '../clients/locations.ts';
import { surveyClient } from '../clients/survey.ts';
import { wishesFor } from '../clients/wishes.ts';
import { readWish } from '../connection/connection-wish.ts';
import { chooseDistribution } from '../distribution/choice.ts';
import { preparePlugins } from '../distribution/prepare.ts';
import { missingFolders, namesIn } from '../files/folders.ts';
import { guide } from '../guided/guided-run.ts';
import { PortTaken } from '../local/local-server.ts';
import { installPaths } from '../machine/machine.ts';
import { requireNode, requireOwnHome } from '../machine/requirements.ts';
import { takeOver } from '../migration/take-over.ts';
import { pathOf, showSteps } from '../plan/show-plan.ts';
import { spoolFolders } from '../spool/folders.ts';
import { reportConversations, reportDelivery } from '../spool/report.ts';
import { startDelivery } from '../spool/start-delivery.ts';
import { applyPlan } from './apply-plan.ts';
import { endInterruptedRun, runExclusively } from './exclusive-run.ts';
import { knownFound, planInstallation } from './install-plan.ts';
import { reportDryRun, reportInstalled } from './install-report.ts';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import type { Invocation } from '../cli/arguments.ts';
import type { ClientSurvey } from '../clients/survey.ts';
import type { Guidance } from '../guided/guided-run.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientWishes } from '../receipts/receipt.ts';
import type { InstallationPlan } from './install-plan.ts';
import type { CommandContext, Outcome } from './outcome.ts';

/** How many ports of the embedded server may be taken by others while we start before we stop. */
const PORT_ATTEMPTS = 5;

/** Installs for the clients that are named, or for all that are found. */
export async function install(context: CommandContext, typed: Invocation): Promise<Outcome> {
  const { machine, terminal } = context;
  requireNode(machine);
  // A misspelt name comes before anything is touched.
  if (typed.harness !== undefined) resolveClients(typed.harness, context.clients);
  if (!typed.dryRun) await endInterruptedRun(machine, terminal);
  const guidance = await guide(context, typed);
  const { invocation } = guidance;
  const choice = chooseDistribution(invocation);
  const clients = chooseClients(context, invocation);
  const wishes = new Map(clients.map((client) => [client, wishesFor(client, invocation, machine)]));
  const wish = await readWish(context, invocation);
  requireLocations(machine);
  requireOwnHome(machine);
  const surveys = await terminal.during(terminal.texts.lookingAtClients, () => surveyAll(machine, wishes));
  const prepared = await terminal.during(terminal.texts.fetchingPlugin, () => preparePlugins(machine, surveys, choice));
  try {
    const paths = installPaths(machine.home);
    const foundInRoot = knownFound(machine) ?? namesIn(paths.root);
    const takenPorts = new Set<number>();
    const plan = (madeFolders: readonly string[]) =>
      planInstallation({ context, invocation, clients, prepared, wish, foundInRoot, madeFolders, takenPorts });

    if (invocation.dryRun) {
      const planned = await plan(missingFolders(paths.lock));
      return reportDryRun(context, planned);
    }
    return await runExclusively(machine, terminal, async (state) => {
      for (;;) {
        const planned = await plan(state.madeFolders);
        if (takenPorts.size === 0) await confirmPlan(context, guidance, planned);
        try {
          const server = await terminal.during(terminal.texts.installing, () => applyPlan(context, planned, state));
          const [first] = planned.clients;
          const takenOver = first === undefined ? [] : await takeOver(machine, context.clients, first.client.id);
          const delivering = server.state.kind === 'ready' ? deliverWaiting(context, first?.client.id ?? '') : 0;
          return reportInstalled(context, { invocation, plan: planned, server, takenOver, delivering });
        } catch (error) {
          if (!(error instanceof PortTaken) || takenPorts.size >= PORT_ATTEMPTS) throw error;
          takenPorts.add(error.port);
        }
      }
    });
  } finally {
    prepared.remove();
  }
}

/** What each client is like. */
async function surveyAll(
  machine: Machine,
  wishes: ReadonlyMap<HarnessDeclaration, ClientWishes>,
): Promise<ReadonlyMap<HarnessDeclaration, ClientSurvey>> {
  const surveys = [...wishes].map(
    async ([client, wanted]) => [client, await surveyClient(client, machine, wanted)] as const,
  );
  return new Map(await Promise.all(surveys));
}

function chooseClients(context: CommandContext, invocation: Invocation): readonly HarnessDeclaration[] {
  const { machine } = context;
  if (invocation.harness !== undefined) return resolveClients(invocation.harness, context.clients);
  const found = context.clients.filter(
    (client) => detect(client, machine, wishesFor(client, invocation, machine).commands) !== undefined,
  );
  if (found.length > 0) return found;
  throw new Refusal({
    code: 'harness/none-found',
    exitCode: 2,
    say: (t) => t.noneDetected,
    next: (t) => t.harnessList(context.clients.map(({ id }) => id)),
  });
}

async function confirmPlan(
  context: CommandContext,
  { invocation, confirm }: Guidance,
  plan: InstallationPlan,
): Promise<void> {
  const { terminal, machine } = context;
  const changes = showSteps(plan.steps);
  if (invocation.yes || !terminal.isInteractive || changes.length === 0) return;
  const title = terminal.texts.planTitle(plan.clients.map(({ client }) => client.name));
  if (confirm !== undefined) {
    if (!(await confirm(title, changes))) throw declined();
    return;
  }
  terminal.say(title);
  for (const change of changes) terminal.say(`  ${terminal.texts.change(change.action, pathOf(change))}`);
  if (!(await terminal.confirm(terminal.texts.confirmPlan, true, machine.signal))) throw declined();
}

/**
 * What waits goes now: the server has just taken the key with which it may have been refused before. `asked` is the client
 * with whose connection that was found out. Returns how many conversations go.
 */
function deliverWaiting({ machine, clients }: CommandContext, asked: string): number {
  const waiting = reportConversations(spoolFolders(machine, clients), machine.env).filter(({ depth }) => depth > 0);
  if (waiting.length === 0) return 0;
  for (const { conversation } of waiting) conversation.mark();
  for (const { path, clients: of } of reportDelivery(machine, clients)) if (of.includes(asked)) allowAttempt(path);
  return startDelivery(machine, clients).length === 0 ? 0 : waiting.length;
}
