/**
 * Applies a plan and tries what it made, as one: an embedded server that does not start, or Ctrl+C while the server is asked,
 * takes everything back.
 */
import { rmSync } from 'node:fs';
import { OpenVikingError } from '@openviking/memory-core/full';
import { applySteps } from '../apply/transaction.ts';
import { checkServer, INSTALL_CHECK_MS } from '../connection/server-check.ts';
import { displayUrl } from '../connection/server-url.ts';
import { isThere } from '../files/folders.ts';
import { runningServer, startServer, stopServer, waitForOwnServer } from '../local/local-server.ts';
import { installPaths, ovcliPath, settingsFor } from '../machine/machine.ts';
import type { AskedServer } from '../connection/server-note.ts';
import type { InstallationPlan } from './install-plan.ts';
import type { RunState } from './exclusive-run.ts';
import type { CommandContext } from './outcome.ts';

/** How long the embedded server may take to start, in ms. */
const START_MS = 20_000;

/** Applies everything as one; returns what the server said. The check is part of it: Ctrl+C while waiting goes back. */
export async function applyPlan(
  context: CommandContext,
  plan: InstallationPlan,
  state: RunState,
): Promise<ServerReport> {
  const { machine } = context;
  const { local } = plan;
  let server: ServerReport | undefined;
  let started = false;
  const { local: data } = installPaths(machine.home);
  const hadData = isThere(data);
  const afterSteps = async (): Promise<void> => {
    if (local !== undefined) {
      const outdated = plan.changesConnection || local.steps.length > 0;
      if (outdated) await stopServer(machine.home);
      if (runningServer(machine.home) === undefined) {
        startServer(machine, local.launcher);
        started = true;
      }
      await waitForOwnServer(machine, local, START_MS);
    }
    server = await askServer(context, plan, local === undefined ? 0 : INSTALL_CHECK_MS);
  };
  const changes = plan.steps.filter((step) => step.kind !== 'probe');
  try {
    if (changes.length === 0) {
      for (const step of plan.steps) if (step.kind === 'probe') await step.run();
      await afterSteps();
    } else {
      await applySteps({
        installFolder: installPaths(machine.home).install,
        steps: plan.steps,
        madeFolders: state.madeFolders,
        leaving: plan.clients.flatMap(({ leaving }) => leaving),
        signal: machine.signal,
        machine,
        afterLastStep: afterSteps,
        ...(machine.atPoint === undefined ? {} : { atPoint: machine.atPoint }),
      });
    }
  } catch (error) {
    if (started) {
      await stopServer(machine.home);
      // It has made its database already; nothing of this run has ever been stored there.
      if (!hadData) rmSync(data, { recursive: true, force: true });
    }
    throw error;
  }
  if (server === undefined)
    throw new OpenVikingError({
      code: 'install/no-check',
      message: 'The server was not asked.',
      next: 'Everything is installed. Run openviking-install doctor, which asks it.',
    });
  return server;
}

/** What the server said once everything was in place. */
export interface ServerReport extends AskedServer {
  readonly key: string | undefined;
}

/** Asks until the server answers or `patienceMs` is over. */
async function askServer(
  { machine }: CommandContext,
  plan: InstallationPlan,
  patienceMs: number,
): Promise<ServerReport> {
  const resolved = settingsFor(machine, plan.clients[0]?.client ?? { id: '' });
  const { connection } = resolved;
  const until = performance.now() + patienceMs;
  for (;;) {
    const state = await checkServer(machine, resolved, INSTALL_CHECK_MS);
    if (state.kind !== 'unreachable' || performance.now() > until || machine.signal.aborted) {
      const launcher = plan.local?.launcher;
      const url = displayUrl(connection.baseUrl);
      return { url, key: connection.apiKey, state, ovcli: ovcliPath(machine), ...(launcher && { launcher }) };
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}
