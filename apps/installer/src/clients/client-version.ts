/**
 * The version of a client's runtime, as far as it can be read without guessing. What an unknown one gets is for the client's
 * declaration to say: a form that every version understands, or one whose commands are asked for themselves.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HarnessDeclaration, VersionProbe } from '@openviking/memory-core/full';
import { readImage } from '../files/image.ts';
import { childEnvironment } from '../machine/machine.ts';
import { findCommand } from './find-command.ts';
import { runCommand } from './run-command.ts';
import type { Machine } from '../machine/machine.ts';

/**
 * How long a client's own command may take to answer a question about itself, in ms: its version, or whether it has plugins.
 * A first start on a busy machine takes seconds, and no answer means another form of the wiring.
 */
export const QUESTION_MS = 10_000;

/**
 * The lowest version that any probe yields: several builds of a client read the same file. `commands` are the names that
 * the user has given to builds of it; they are asked instead of the usual one.
 */
export async function readClientVersion(
  client: HarnessDeclaration,
  machine: Machine,
  commands?: readonly string[],
): Promise<string | undefined> {
  const probes = (client.versionProbes ?? []).flatMap((probe) =>
    probe.kind === 'command' && commands !== undefined ? commands.map((command) => ({ ...probe, command })) : [probe],
  );
  const found = await Promise.all(probes.map((probe) => ask(probe, machine)));
  return found.filter((version) => version !== undefined).sort(compareVersions)[0];
}

async function ask(probe: VersionProbe, machine: Machine): Promise<string | undefined> {
  switch (probe.kind) {
    case 'command':
      return askCommand(probe, machine);
    case 'json':
      if (probe.os !== undefined && !probe.os.includes(machine.platform)) return undefined;
      return versionOf(readText(probe.path, machine)?.match(/"version"\s*:\s*"([^"]+)"/)?.[1]);
    case 'property-list': {
      if (machine.platform !== 'darwin') return undefined;
      const text = readText(probe.path, machine);
      const key = /<key>CFBundleShortVersionString<\/key>\s*<string>([^<]+)<\/string>/;
      const version = versionOf(text?.match(key)?.[1]);
      if (version === undefined) return undefined;
      return probe.implies
        .filter(({ atLeast }) => compareVersions(version, atLeast) >= 0)
        .map(({ runtime }) => runtime)
        .sort(compareVersions)
        .at(-1);
    }
  }
}

/** Runs the client's command in a scratch home: some builds migrate their configuration at the first start. */
async function askCommand(
  { command, args, pattern, variables }: Extract<VersionProbe, { kind: 'command' }>,
  machine: Machine,
): Promise<string | undefined> {
  const file = findCommand(command, machine);
  if (file === undefined) return undefined;
  const scratch = mkdtempSync(join(tmpdir(), 'openviking-version-'));
  try {
    const { stdout } = await runCommand(file, args, {
      cwd: scratch,
      env: { ...childEnvironment(machine, scratch), ...variables },
      platform: machine.platform,
      timeoutMs: QUESTION_MS,
      signal: machine.signal,
    });
    return versionOf(new RegExp(pattern).exec(stdout)?.[1]);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Negative when `one` is older; only the numbers count. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => (version.split(/[-+]/)[0] ?? '').split('.').map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function versionOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d+\.\d+\.\d+/.test(text) ? text : undefined;
}

function readText(path: string, machine: Machine): string | undefined {
  try {
    const image = readImage(path.startsWith('~/') ? join(machine.home, path.slice(2)) : path);
    return image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8');
  } catch {
    return undefined;
  }
}
