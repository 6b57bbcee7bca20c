/**
 * Under which peer a conversation's memories are kept and asked for. One project must be one peer on every machine and in
 * every worktree, two projects must be two, and a folder without a repository must not become a peer by accident.
 */
import { basename } from 'node:path';
import type { Settings } from '../contract/settings.ts';
import { diskReader, realPathOr } from '../settings/file-reader.ts';
import { readGitIdentity } from './git.ts';
import type { GitIdentity } from './git.ts';
import { distinctPathId, plainPathId, safePeerId } from './peer-id.ts';
import { findRepository, findWorkspaceRoot } from './root.ts';
import type { PlaceInput } from './root.ts';

export interface PeerInput extends PlaceInput {
  readonly harness: string;
  readonly settings: Pick<Settings, 'peerId' | 'peerSource' | 'workspacePeer'>;
}

export interface Peer {
  /** Value of the actor-peer header; absent: none is sent, and what is remembered belongs to the user. */
  readonly peer?: string;
  /**
   * The path-made id of earlier versions, where it differs. A recall in `actor` scope asks it as well; in `all` scope the
   * server finds it by itself.
   */
  readonly legacyPeer?: string;
  /** What decided: `peerId`, the template that was used, or `none`. */
  readonly source: string;
}

/** The variables that a template may name. */
export const PEER_VARIABLES = ['git_remote', 'git_root', 'cwd', 'dir', 'harness'] as const;
export type PeerVariable = (typeof PEER_VARIABLES)[number];

const SHORTHANDS: Readonly<Record<string, readonly string[]>> = {
  git: ['{git_remote}', '{git_root}'],
  cwd: ['{cwd}'],
  none: [],
};

/**
 * Resolves the peer. An explicit `peerId` wins over any source, also over `none`. Templates are tried in order; one with
 * an empty or unknown variable is passed over. Outside a repository the git variables are empty, so that the default
 * source sends nothing there; a user who asks for `cwd` by name gets it everywhere.
 */
export function resolvePeer(input: PeerInput): Peer {
  const { settings } = input;
  const explicit = settings.peerId === undefined ? undefined : safePeerId(settings.peerId);
  if (explicit !== undefined) return { peer: explicit, source: 'peerId' };

  const templates = settings.workspacePeer ? templatesOf(settings.peerSource) : [];
  if (templates.length === 0) return { source: 'none' };

  const valueOf = variableReader(input);
  const legacyPeer = plainPathId(input.cwd);
  for (const template of templates) {
    const peer = expand(template, valueOf);
    if (peer === undefined) continue;
    return peer === legacyPeer ? { peer, source: template } : { peer, legacyPeer, source: template };
  }
  return { legacyPeer, source: 'none' };
}

/** A source, with its shorthand words written out, as the list of templates to try. */
export function templatesOf(source: string | readonly string[]): readonly string[] {
  return [source].flat().flatMap((template) => {
    const word = template.trim().toLowerCase();
    return (Object.hasOwn(SHORTHANDS, word) ? SHORTHANDS[word] : undefined) ?? [template];
  });
}

function expand(template: string, valueOf: (variable: string) => string | undefined): string | undefined {
  let complete = true;
  const text = template.replace(/\{([^{}]*)\}/g, (_whole, variable: string) => {
    const value = valueOf(variable.trim());
    complete &&= value !== undefined && value !== '';
    return value ?? '';
  });
  return complete ? safePeerId(text) : undefined;
}

/** Reads only what a template names, and the repository at most once. */
function variableReader(input: PeerInput): (variable: string) => string | undefined {
  const reader = input.reader ?? diskReader;
  let identity: GitIdentity | undefined | null = null;
  const repository = (): GitIdentity | undefined => {
    if (identity === null) {
      const root = findRepository(input);
      identity = root === undefined ? undefined : readGitIdentity(root, reader);
    }
    return identity;
  };
  const values: Readonly<Record<PeerVariable, () => string | undefined>> = {
    git_remote: () => repository()?.remote,
    git_root: () => {
      const root = repository()?.repositoryRoot;
      return root === undefined ? undefined : distinctPathId(root);
    },
    cwd: () => plainPathId(input.cwd),
    dir: () => {
      const root = findWorkspaceRoot(input);
      return root === undefined ? undefined : basename(realPathOr(reader, root));
    },
    harness: () => input.harness,
  };
  return (variable) => (Object.hasOwn(values, variable) ? values[variable as PeerVariable]() : undefined);
}
