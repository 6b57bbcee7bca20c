/**
 * Our plugin put into a client, or taken out, by the client's own commands: everything that is needed to do it, and to go
 * back from any point of it, also in another process after this one was killed. Pure data, because it lies in the journal.
 */
import type { ConfigOperation } from '@openviking/memory-core/full';
import type { PluginNames } from './mentions.ts';

export interface PluginChange extends PluginNames {
  /** Folder of the marketplace. */
  readonly folder: string;
  /** Absolute paths of the client's commands. */
  readonly programs: readonly string[];
  /** Those that had the plugin before. */
  readonly registered: readonly string[];
  /** One list of arguments per step. */
  readonly add: readonly (readonly string[])[];
  /** The same for what was registered before, where that came from another place. */
  readonly again?: readonly (readonly string[])[];
  readonly remove: readonly (readonly string[])[];
  /** Tell the programs where their files are. */
  readonly variables: Readonly<Record<string, string>>;
  /** Files that the commands rewrite. */
  readonly rewrites: readonly string[];
  /** Folders that the commands leave, and that were not there before. */
  readonly fresh: readonly string[];
}

/** Runs one command line of a client's. `started` gets the process id. */
export type RunClient = (
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  started?: (pid: number) => void,
) => Promise<{ readonly status: number | string; readonly stdout: string; readonly output: string }>;

/** What a receipt keeps of a registration: enough to take it out again without asking the declaration. */
export interface RegistrationReceipt extends PluginNames {
  readonly plugin: string;
  readonly folder: string;
  /** What the client was told in place of the folder. */
  readonly source?: string;
  /** The folder before this one: sessions that were open then may still run from it. */
  readonly previous?: string;
  /** The version under which the client lists it. */
  readonly listed: string;
  readonly programs: readonly string[];
  readonly remove: readonly (readonly string[])[];
  readonly leavesBehind: readonly string[];
  /** Files that the commands have rewritten, with what they had put there. */
  readonly rewrites: readonly { readonly path: string; readonly operations: readonly ConfigOperation[] }[];
}
