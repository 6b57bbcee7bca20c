/**
 * Settles where each client's plugin comes from, and fetches it where it has to be fetched: before anything is planned, so
 * that a network that fails, or an archive that is not what it should be, stops the run while there is nothing to undo.
 */
import { join } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { isThere } from '../files/folders.ts';
import { sha256 } from '../files/image.ts';
import { installPaths } from '../machine/machine.ts';
import { damagedFiles, MANIFEST_NAME, readManifest } from '../payload/payload.ts';
import { archiveAddress, archiveBase, gitAddress } from './addresses.ts';
import { BadArchive, readArchive } from './archive.ts';
import { readChecksum } from './checksum.ts';
import { checkoutFolder } from './checkout.ts';
import { download } from './download.ts';
import { treeName } from './plugin-source.ts';
import { stageTree } from './staged-tree.ts';
import type { ClientSurvey } from '../clients/survey.ts';
import type { Machine } from '../machine/machine.ts';
import type { Note } from '../plan/note.ts';
import type { Choice } from './choice.ts';
import type { PluginSource } from './plugin-source.ts';
import type { StagedTree } from './staged-tree.ts';

/** Largest archive, and largest checksum file, in bytes. */
const ARCHIVE_BYTES = 32 * 1024 * 1024;
const CHECKSUM_BYTES = 4 * 1024;
const DOWNLOAD_MS = 120_000;

export interface PreparedPlugin {
  /** Undefined: what this package carries. */
  readonly source: PluginSource | undefined;
  /** To be placed; absent where it lies there already. */
  readonly staged?: StagedTree;
  readonly notes: readonly Note[];
}

/**
 * `choice` is what was typed; without it, a client stays with what it had. Throws a refusal; nothing of the user's has been
 * touched then. The caller removes what is staged.
 */
export async function preparePlugin(
  client: HarnessDeclaration,
  machine: Machine,
  { wishes, pluginCommands }: ClientSurvey,
  choice: Choice | undefined,
): Promise<PreparedPlugin> {
  const before = wishes.distribution;
  if (choice?.kind === 'carried' || (choice === undefined && before === undefined)) {
    return { source: undefined, notes: [] };
  }
  if (pluginCommands.length === 0) {
    // A build without plugins that gets them one day is asked for the same again.
    return { source: before, notes: choice === undefined ? [] : [noEffect(client)] };
  }
  const { only } = wishes;
  if (only !== undefined) {
    throw new Refusal({
      code: 'cli/distribution-whole',
      exitCode: 2,
      say: (t) => t.distributionWhole(`--${only}-only`),
      next: (t) => t.distributionWholeNext,
    });
  }
  switch (choice?.kind ?? before?.kind) {
    case 'dev':
      return { source: devSource(client, machine, choice === undefined ? before : undefined), notes: [] };
    case 'archive': {
      const known = choice === undefined && before?.kind === 'archive' ? before : undefined;
      const dist = known?.dist ?? (choice?.kind === 'archive' ? choice.dist : 'github');
      const base = known?.base ?? archiveBase(dist, machine.env);
      return { ...(await archiveSource(client, machine, { dist, base, before })), notes: [] };
    }
    default: {
      const dist = choice?.kind === 'remote' ? choice.dist : 'github';
      const source =
        choice === undefined ? before : ({ kind: 'remote', dist, url: gitAddress(dist, machine.env) } as const);
      return { source, notes: [] };
    }
  }
}

function devSource(client: HarnessDeclaration, machine: Machine, before: PluginSource | undefined): PluginSource {
  const folder = before?.kind === 'dev' ? before.folder : checkoutFolder(client.id, machine);
  if (isThere(folder)) return { kind: 'dev', folder };
  throw new Refusal({
    code: 'dist/no-checkout',
    say: (t) => t.checkoutMissing(folder),
    next: (t) => t.checkoutMissingNext,
  });
}

async function archiveSource(
  client: HarnessDeclaration,
  machine: Machine,
  place: { readonly dist: 'github' | 'tos'; readonly base: string; readonly before: PluginSource | undefined },
): Promise<{ readonly source: PluginSource; readonly staged?: StagedTree }> {
  const { dist, base, before } = place;
  const url = archiveAddress(base, client.id, machine.version);
  // An address names one version, whose files do not change: what lies there is not fetched again.
  if (before?.kind === 'archive' && before.url === url && isIntact(client, machine, before.sha256)) {
    return { source: { ...before, dist, base } };
  }
  const limits = { timeoutMs: DOWNLOAD_MS };
  const sums = await download(`${url}.sha256`, dist, { ...limits, maxBytes: CHECKSUM_BYTES }, machine);
  const wanted = readChecksum(sums.toString('latin1'), url.slice(url.lastIndexOf('/') + 1));
  if (wanted === undefined) {
    throw new Refusal({
      code: 'dist/checksum',
      say: (t) => t.checksumMalformed(`${url}.sha256`),
      next: (t) => t.checksumNext,
    });
  }
  const packed = await download(url, dist, { ...limits, maxBytes: ARCHIVE_BYTES }, machine);
  const found = sha256(packed);
  if (found !== wanted) {
    throw new Refusal({
      code: 'dist/checksum',
      say: (t) => t.checksumWrong(url, wanted, found),
      next: (t) => t.checksumNext,
    });
  }
  const staged = stageTree(unpacked(url, packed), { name: `${client.id}-plugin`, version: wanted });
  return { source: { kind: 'archive', dist, base, url, sha256: wanted }, staged };
}

function unpacked(url: string, packed: Buffer): ReadonlyMap<string, Buffer> {
  try {
    const files = readArchive(packed);
    if (files.has(MANIFEST_NAME)) throw new BadArchive('twice', MANIFEST_NAME);
    return files;
  } catch (error) {
    if (!(error instanceof BadArchive)) throw error;
    const { fault, entry } = error;
    throw new Refusal({
      code: 'dist/archive',
      say: (t) => t.archiveRefused(url, fault, entry),
      next: (t) => t.archiveRefusedNext,
    });
  }
}

function isIntact(client: HarnessDeclaration, { home }: Machine, hash: string): boolean {
  const folder = join(installPaths(home).integration(client.id), treeName(hash));
  const manifest = readManifest(folder);
  return manifest?.version === hash && damagedFiles(folder, manifest).length === 0;
}

function noEffect({ id, name }: HarnessDeclaration): Note {
  return { code: `${id}/distribution-without-effect`, isWarning: false, say: (t) => t.distributionNoEffect(name) };
}

export interface PreparedPlugins {
  /** With the settled source among the wishes. */
  readonly surveys: ReadonlyMap<HarnessDeclaration, ClientSurvey>;
  readonly staged: ReadonlyMap<HarnessDeclaration, StagedTree>;
  readonly notes: ReadonlyMap<HarnessDeclaration, readonly Note[]>;
  /** Takes away what was staged. */
  remove(): void;
}

/** `preparePlugin` for every client of a run. */
export async function preparePlugins(
  machine: Machine,
  surveys: ReadonlyMap<HarnessDeclaration, ClientSurvey>,
  choice: Choice | undefined,
): Promise<PreparedPlugins> {
  const settled = new Map<HarnessDeclaration, ClientSurvey>();
  const staged = new Map<HarnessDeclaration, StagedTree>();
  const notes = new Map<HarnessDeclaration, readonly Note[]>();
  const remove = (): void => {
    for (const tree of staged.values()) tree.remove();
  };
  try {
    for (const [client, survey] of surveys) {
      const prepared = await preparePlugin(client, machine, survey, choice);
      const { distribution: _, ...wishes } = survey.wishes;
      const { source } = prepared;
      settled.set(client, {
        ...survey,
        wishes: { ...wishes, ...(source === undefined ? {} : { distribution: source }) },
      });
      if (prepared.staged !== undefined) staged.set(client, prepared.staged);
      notes.set(client, prepared.notes);
    }
    return { surveys: settled, staged, notes, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
