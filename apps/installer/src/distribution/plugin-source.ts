/**
 * Where a client's plugin comes from when it is not the one that this package carries. It is remembered, so that a later
 * run without flags stays with it. Data only.
 */

/** Where archives and repositories are published. */
export const DISTRIBUTIONS = ['github', 'tos'] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];

export type PluginSource =
  /** A git repository that the client clones and updates by itself. */
  | { readonly kind: 'remote'; readonly dist: Distribution; readonly url: string }
  /** An archive that the installer has downloaded and unpacked. */
  | {
      readonly kind: 'archive';
      readonly dist: Distribution;
      /** Where archives lie, with `{version}` in it. */
      readonly base: string;
      readonly url: string;
      readonly sha256: string;
    }
  /** A folder of this checkout, absolute. */
  | { readonly kind: 'dev'; readonly folder: string };

/** Name of the folder that an archive is unpacked into, beside the payload. Another archive never has the same one. */
export function treeName(sha256: string): string {
  return `${TREE_PREFIX}${sha256.slice(0, 12)}`;
}

export const TREE_PREFIX = 'plugin-';
