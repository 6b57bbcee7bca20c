/** How the vendor folders differ from the manifest, and the one operation that removes the difference. */
import { MEND } from './manifest.mjs';

/**
 * @typedef {object} Drift
 * @property {'missing' | 'changed' | 'extra'} kind
 * @property {string} path Workspace path.
 */

/**
 * @param {import('./files.mjs').Files} files
 * @param {readonly import('./manifest.mjs').Wanted[]} wanted
 * @returns {Drift[]} Sorted by path; empty when every copy is right.
 */
export function findDrift(files, wanted) {
  /** @type {Drift[]} */
  const drift = [];
  for (const harness of wanted) {
    for (const [path, bytes] of harness.files) {
      const found = files.read(path);
      if (found === undefined) drift.push({ kind: 'missing', path });
      else if (!found.equals(bytes)) drift.push({ kind: 'changed', path });
    }
    for (const path of files.list(harness.folder)) {
      if (!harness.files.has(path)) drift.push({ kind: 'extra', path });
    }
  }
  return drift.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Makes the vendor folders equal to the manifest. Files that are right already are not touched.
 *
 * @param {import('./files.mjs').Files} files
 * @param {readonly import('./manifest.mjs').Wanted[]} wanted
 * @returns {Drift[]} What was mended.
 */
export function mendDrift(files, wanted) {
  const drift = findDrift(files, wanted);
  const bytes = new Map(wanted.flatMap((harness) => [...harness.files]));
  for (const { path } of drift) {
    const content = bytes.get(path);
    if (content === undefined) files.remove(path);
    else files.write(path, content);
  }
  return drift;
}

/**
 * @param {readonly Drift[]} drift
 * @returns {string[]} One line per file.
 */
export function describeDrift(drift) {
  return drift.map(({ kind, path }) => `${kind.padEnd(7)} ${path}`);
}

/** @param {number} count */
export function outOfStep(count) {
  return `${count} vendored ${count === 1 ? 'file differs' : 'files differ'} from libs/memory-core. Run \`${MEND}\`.`;
}
