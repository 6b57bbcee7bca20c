/**
 * The machine as a client's installation saw it. Variables that move the client's files may be set otherwise in the shell
 * that asks later: doctor would look into folders where nothing of ours ever was, and uninstall would leave everything behind.
 */
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { isAbsolutePath, isPathVariable, locationNames } from './location-names.ts';
import { NO_SURVEY, wiringContext } from './survey.ts';
import type { Machine } from '../machine/machine.ts';
import type { ClientReceipt } from '../receipts/receipt.ts';

/** A variable by which the client, started from this shell, looks for its files in another place than the wired one. */
export interface Elsewhere {
  readonly variable: string;
  /** What it is in this shell, and what it was at the installation; absent where it was not set. */
  readonly here?: string;
  readonly there?: string;
  /** False for one that names another folder after every `cd`. */
  readonly isAbsolute: boolean;
  /** The first file that differs: as the client looks for it from here, and as it was wired. */
  readonly file: { readonly here: string; readonly there: string };
}

interface InstalledPlace {
  /** With the variables of the installation, unless what this shell names is wired too. */
  readonly machine: Machine;
  readonly elsewhere?: Elsewhere;
}

/** Variables that move the client's files, as they are set on this machine: a receipt keeps them. */
export function locationsOf(
  client: HarnessDeclaration,
  { env }: Pick<Machine, 'env'>,
): Readonly<Record<string, string>> {
  const names = [...locationNames([client])].filter(isPathVariable).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]?.trim() ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
}

/** Without a receipt there is no other place than what this shell says. */
export function installedPlace(
  client: HarnessDeclaration,
  machine: Machine,
  receipt: Pick<ClientReceipt, 'locations' | 'configs'> | undefined,
): InstalledPlace {
  if (receipt === undefined) return { machine };
  const here = locationsOf(client, machine);
  const { locations: there = {} } = receipt;
  const names = [...locationNames([client])].filter(isPathVariable);
  const installed = withVariables(machine, Object.fromEntries(names.map((name) => [name, there[name]])));
  const pathsHere = filesOf(client, machine);
  const moved = filesOf(client, installed).flatMap((path, index) => {
    const other = pathsHere[index];
    return other === undefined || other === path ? [] : [{ here: other, there: path, index }];
  });
  const known = new Set(receipt.configs.map(({ path }) => path));
  const [file] = moved;
  const differing = names.filter((name) => here[name] !== there[name]);
  // Several may differ of which one has the last word: set as it is here, it alone moves the file.
  const moves = (name: string): boolean =>
    file !== undefined && filesOf(client, withVariables(installed, { [name]: here[name] }))[file.index] !== file.there;
  const variable = differing.find(moves) ?? differing[0];
  // A later installation from such a shell has wired that place as well.
  if (file === undefined || variable === undefined || moved.some((pair) => known.has(pair.here))) return { machine };
  const [now, before] = [here[variable], there[variable]];
  return {
    machine: installed,
    elsewhere: {
      variable,
      ...(now === undefined ? {} : { here: now }),
      ...(before === undefined ? {} : { there: before }),
      isAbsolute: now === undefined || isAbsolutePath(now, machine.platform),
      file: { here: file.here, there: file.there },
    },
  };
}

function filesOf(client: HarnessDeclaration, machine: Machine): readonly string[] {
  return client.wiring(wiringContext(client, machine, NO_SURVEY)).files.map(({ path }) => path);
}

function withVariables(machine: Machine, variables: Machine['env']): Machine {
  return { ...machine, env: { ...machine.env, ...variables } };
}
