/**
 * What a plan has to know of a client beyond its files: the version of its runtime, which of its commands are there, and
 * which of those have plugins. Asked once per run, in a scratch home: some builds migrate their files at the first start.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HarnessDeclaration, PluginRegistration, WiringContext } from '@openviking/memory-core/full';
import { distributedWiring } from '../distribution/distributed-wiring.ts';
import { childEnvironment, installPaths } from '../machine/machine.ts';
import { launcherPath } from '../plan/payload-plan.ts';
import { QUESTION_MS, readClientVersion } from './client-version.ts';
import { findCommand } from './find-command.ts';
import { runCommand } from './run-command.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientReceipt, ClientWishes } from '../receipts/receipt.ts';

export interface PluginCommand {
  /** As the declaration or the user names it. */
  readonly command: string;
  /** Absolute path. */
  readonly program: string;
}

export interface ClientSurvey {
  readonly clientVersion: string | undefined;
  readonly wishes: ClientWishes;
  /** Commands with plugins; empty where the client has none, and for a client that is never registered that way. */
  readonly pluginCommands: readonly PluginCommand[];
}

/** Never throws for a client that is missing or does not answer. */
export async function surveyClient(
  client: HarnessDeclaration,
  machine: Machine,
  wishes: ClientWishes,
): Promise<ClientSurvey> {
  const clientVersion = await readClientVersion(client, machine, wishes.commands);
  const pluginCommands = await commandsWithPlugins(client, machine, { clientVersion, wishes });
  return { clientVersion, wishes, pluginCommands };
}

/**
 * The same without asking which commands have plugins: those that the receipt names and that are still there. Only the
 * version is asked for, where the form of the wiring may depend on it.
 */
export async function surveyFromReceipt(
  client: HarnessDeclaration,
  machine: Machine,
  { wishes = {}, registration }: Pick<ClientReceipt, 'wishes' | 'registration'>,
): Promise<ClientSurvey> {
  const pluginCommands = (registration?.programs ?? [])
    .filter((program) => findCommand(program, machine) !== undefined)
    .map((program) => ({ command: program, program }));
  const clientVersion =
    pluginCommands.length > 0 ? undefined : await readClientVersion(client, machine, wishes.commands);
  return { clientVersion, wishes, pluginCommands };
}

/** The declaration's view of this machine. */
export function wiringContext(
  client: HarnessDeclaration,
  machine: Machine,
  { clientVersion, wishes, pluginCommands }: ClientSurvey,
): WiringContext {
  const { home, platform, env } = machine;
  const { distribution: _, ...rest } = wishes;
  return {
    home,
    platform,
    env,
    launcher: launcherPath(installPaths(home).integration(client.id), platform),
    pluginCommands: pluginCommands.map(({ command }) => command),
    ...(clientVersion === undefined ? {} : { clientVersion }),
    ...rest,
  };
}

/** Nothing known about the client: what its declaration says of any machine. */
export const NO_SURVEY: ClientSurvey = { clientVersion: undefined, wishes: {}, pluginCommands: [] };

/** How the client is told about our plugin where it has plugins; undefined for one that has no commands for it. */
export function registrationOf(
  client: HarnessDeclaration,
  machine: Machine,
  survey: Pick<ClientSurvey, 'clientVersion' | 'wishes'>,
): DistributedRegistration | undefined {
  // As if all of them had plugins: what it says then is how to ask them.
  const pluginCommands = commandNames(client, survey.wishes).map((command) => ({ command, program: command }));
  const wiring = client.wiring(wiringContext(client, machine, { ...survey, pluginCommands }));
  return distributedWiring(wiring, survey.wishes.distribution, installPaths(machine.home).integration(client.id))
    .registration;
}

/** The names that the user has given, else those by which the client is known. */
function commandNames(client: HarnessDeclaration, { commands }: ClientWishes): readonly string[] {
  return commands ?? client.detection.flatMap((probe) => (probe.kind === 'command' ? [probe.command] : []));
}

async function commandsWithPlugins(
  client: HarnessDeclaration,
  machine: Machine,
  survey: Pick<ClientSurvey, 'clientVersion' | 'wishes'>,
): Promise<readonly PluginCommand[]> {
  const registration = registrationOf(client, machine, survey);
  if (registration === undefined) return [];
  const found = registration.commands.flatMap((command): PluginCommand[] => {
    const program = findCommand(command, machine);
    return program === undefined ? [] : [{ command, program }];
  });
  const answers = await Promise.all(found.map(({ program }) => hasPlugins(program, registration, machine)));
  return found.filter((_, index) => answers[index] === true);
}

async function hasPlugins(
  program: string,
  { probe, variables }: PluginRegistration,
  machine: Machine,
): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'openviking-probe-'));
  try {
    const { status } = await runCommand(program, probe, {
      cwd: scratch,
      env: { ...childEnvironment(machine, scratch), ...variables },
      platform: machine.platform,
      timeoutMs: QUESTION_MS,
      signal: machine.signal,
    });
    return status === 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}
