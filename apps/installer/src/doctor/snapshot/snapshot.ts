/**
 * The machine as doctor and status see it: everything is read once, before the first check, so that checks are functions of
 * it and two of them cannot disagree about what was there.
 */
import { readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { HarnessDeclaration, Localized } from '@openviking/memory-core/full';
import { credentialPaths, findRepository, inspectSettings, livingOwner } from '@openviking/memory-core/full';
import { journalPath } from '../../apply/journal.ts';
import { detect } from '../../clients/detect.ts';
import { isThere } from '../../files/folders.ts';
import { runningServer } from '../../local/local-server.ts';
import { installPaths, ovcliPath } from '../../machine/machine.ts';
import { CONNECTION, installedClients, LOCAL_SERVER, readReceipt } from '../../receipts/receipt.ts';
import { readClient } from './client.ts';
import { probeMcp } from './mcp-probe.ts';
import { readPermissions } from './permissions.ts';
import { readServers } from './server.ts';
import { readSpool } from './spool.ts';
import { readLeftovers, readProfiles, readProjectFiles } from './texts.ts';
import { fileStatus } from '../../files/file-status.ts';
import type { Machine } from '../../machine/machine.ts';
import type { ClientSnapshot } from './client.ts';
import type { McpProbe } from './mcp-probe.ts';
import type { Permissions } from './permissions.ts';
import type { ServerSnapshot } from './server.ts';
import type { SpoolSnapshot } from './spool.ts';
import type { Leftovers, ProjectText, TextFile } from './texts.ts';

export interface Snapshot {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Where the program was started: what a project there sets counts. */
  readonly cwd: string;
  /** The repository that this is in, else the same folder. */
  readonly project: string;
  /** ms since 1970. */
  readonly now: number;
  /** Of the interpreter that runs this program. */
  readonly nodeVersion: string;
  /** Its path. */
  readonly interpreter: string;
  /** Clients that have a receipt, examined or not. */
  readonly installed: readonly string[];
  /** Names of all clients of this release, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Of all clients of this release: those that are on this machine. */
  readonly detected: readonly string[];
  readonly clients: readonly ClientSnapshot[];
  /** Receipts of what clients share that this program cannot read. */
  readonly brokenReceipts: readonly { readonly kind: 'connection' | 'local-server'; readonly path: string }[];
  /** Clients that a newer release has installed, with their receipts. */
  readonly strangers: readonly { readonly id: string; readonly path: string }[];
  /** A run of the installer was interrupted. */
  readonly isInterrupted: boolean;
  /** Process of another run that is changing things right now. */
  readonly runUnderWay?: number;
  /** Places in our folder where a folder must be and is none. */
  readonly notFolders: readonly string[];
  /** Files with credentials that are named and not there: by a variable, or by a link that leads nowhere. */
  readonly missingCredentials: readonly {
    readonly path: string;
    readonly variable?: string;
    readonly target?: string;
  }[];
  /** Files with credentials that exist, with their permission bits. */
  readonly credentialFiles: readonly { readonly path: string; readonly mode: number }[];
  readonly permissions: Permissions;
  readonly servers: readonly ServerSnapshot[];
  /** By client; empty when nothing was probed. */
  readonly mcp: ReadonlyMap<string, McpProbe>;
  readonly localServer?: { readonly port: number; readonly launcher: string; readonly pid?: number };
  readonly spool: SpoolSnapshot;
  readonly profiles: readonly TextFile[];
  readonly projectFiles: readonly ProjectText[];
  readonly leftovers: Leftovers;
}

export interface SnapshotOptions {
  readonly machine: Machine;
  /** All clients of this release. */
  readonly known: readonly HarnessDeclaration[];
  /** Those to examine; absent: those that are installed or on this machine. */
  readonly wanted?: readonly HarnessDeclaration[];
  readonly language: keyof Localized;
  readonly cwd: string;
  /** Whether the installed MCP proxies are started and asked. */
  readonly probesMcp: boolean;
  /** Whether clients are asked, by their own commands in this home, what plugins they have; else receipt and settings tell. */
  readonly asksClients: boolean;
}

/** Reads everything. Writes nothing; the only programs that it starts are interpreters, clients for their version and plugins, and our proxy. */
export async function readSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { machine, known, language, cwd } = options;
  const { home, platform, env } = machine;
  const paths = installPaths(home);
  const installed = installedClients(paths.receipts);
  const detected = known.filter((client) => detect(client, machine) !== undefined).map(({ id }) => id);
  const examined = options.wanted ?? known.filter(({ id }) => installed.includes(id) || detected.includes(id));
  const clients = await Promise.all(
    examined.map((client) => readClient(machine, client, language, cwd, options.asksClients)),
  );
  // Also where there is no client yet: the first question then is whether a server is there.
  const settings = new Map(clients.map((snapshot) => [snapshot.client.id, snapshot.settings]));
  if (settings.size === 0) settings.set('', inspectSettings({ harness: '', home, cwd, env }, undefined, language));
  const servers = await readServers(machine, settings);
  const local = quietReceipt(paths.receipt(LOCAL_SERVER), 'local-server');
  const pid = local === undefined ? undefined : runningServer(home);
  const credentials = credentialPaths({ home, env });
  const hasJournal = isThere(journalPath(paths.install));
  const owner = hasJournal ? livingOwner(paths.lock) : undefined;
  const runUnderWay = owner === process.pid ? undefined : owner;
  return {
    home,
    platform,
    cwd,
    project: findRepository({ cwd, home }) ?? cwd,
    now: machine.now().getTime(),
    nodeVersion: machine.nodeVersion,
    interpreter: machine.interpreter,
    installed,
    names: new Map(known.map(({ id, name }) => [id, name])),
    detected,
    clients,
    brokenReceipts: (['connection', 'local-server'] as const).flatMap((kind) => {
      const path = paths.receipt(kind === 'connection' ? CONNECTION : LOCAL_SERVER);
      return isThere(path) && quietReceipt(path, kind) === undefined ? [{ kind, path }] : [];
    }),
    strangers: installed
      .filter((id) => !known.some((client) => client.id === id))
      .map((id) => ({ id, path: paths.receipt(id) })),
    // A run that ended between the two looks has taken its journal away.
    isInterrupted: hasJournal && runUnderWay === undefined && isThere(journalPath(paths.install)),
    ...(runUnderWay === undefined ? {} : { runUnderWay }),
    notFolders: [
      paths.root,
      ...['agent-integrations', 'install', 'state', 'logs', 'spool', 'local'].map((name) => join(paths.root, name)),
      paths.receipts,
      ...known.map(({ id }) => paths.integration(id)),
    ].filter((path) => isThere(path) && fileStatus(path)?.isDirectory() !== true),
    missingCredentials: missingCredentials(machine),
    credentialFiles: [...new Set([ovcliPath(machine), credentials.ovConf])].flatMap((path) => {
      const mode = modeOf(path);
      return mode === undefined ? [] : [{ path, mode }];
    }),
    permissions: readPermissions(machine),
    servers,
    mcp: options.probesMcp ? await probeAll(machine, clients, servers, cwd) : new Map(),
    ...(local === undefined
      ? {}
      : { localServer: { port: local.port, launcher: local.launcher.path, ...(pid === undefined ? {} : { pid }) } }),
    spool: readSpool(
      machine,
      clients.map(({ client }) => client),
      known,
    ),
    profiles: readProfiles(machine),
    projectFiles: readProjectFiles(machine, cwd, known),
    leftovers: readLeftovers(machine, installed),
  };
}

/** Undefined also for one that may not be read: that is told as a broken one. */
function quietReceipt<Kind extends 'connection' | 'local-server'>(
  path: string,
  kind: Kind,
): ReturnType<typeof readReceipt<Kind>> {
  try {
    return readReceipt(path, kind);
  } catch {
    return undefined;
  }
}

/** A variable of a file that is not there does what no file does: nothing, without a word. */
function missingCredentials(machine: Machine): Snapshot['missingCredentials'] {
  const { home, env } = machine;
  const { ovConf } = credentialPaths({ home, env });
  return [
    { path: ovcliPath(machine), variable: 'OPENVIKING_CLI_CONFIG_FILE' },
    { path: ovConf, variable: 'OPENVIKING_CONFIG_FILE' },
  ].flatMap(({ path, variable }): Snapshot['missingCredentials'] => {
    if (fileStatus(path) !== undefined) return [];
    if (isThere(path)) return [{ path, target: targetOf(path) }];
    return (env[variable]?.trim() ?? '') === '' ? [] : [{ path, variable }];
  });
}

function targetOf(link: string): string {
  try {
    return resolve(dirname(link), readlinkSync(link));
  } catch {
    return link;
  }
}

function modeOf(path: string): number | undefined {
  const status = fileStatus(path);
  return status?.isFile() === true ? status.mode & 0o777 : undefined;
}

/** One after the other: they all start a process. Only where the server answers: nothing is to be learnt of the proxy otherwise. */
async function probeAll(
  machine: Machine,
  clients: readonly ClientSnapshot[],
  servers: readonly ServerSnapshot[],
  cwd: string,
): Promise<ReadonlyMap<string, McpProbe>> {
  const probes = new Map<string, McpProbe>();
  for (const { client, program } of clients) {
    const server = servers.find((candidate) => candidate.clients.includes(client.id));
    // A launcher that finds no program writes that into its log, and to look is not to write.
    const hasProxy = program?.isThere === true && !program.damaged.includes('mcp-proxy.cjs');
    if (!hasProxy || !program.launcher.isExecutable || server?.state.kind !== 'ready') continue;
    probes.set(client.id, await probeMcp(machine, program.launcher.path, cwd));
  }
  return probes;
}
