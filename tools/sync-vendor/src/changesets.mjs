/**
 * Which changed packages nobody has written a changeset for. `changeset status --since` is satisfied by any changeset;
 * here every changed package needs one of its own. A vendored file is a file of its harness: that is how a fix in the
 * core reaches exactly the harnesses whose copy changed.
 */
import { read as readConfig } from '@changesets/config';
import { getChangedPackagesSinceRef, getDivergedCommit } from '@changesets/git';
import readChangesets from '@changesets/read';

/**
 * @param {string} root Workspace folder, also the root of the git repository.
 * @param {string} ref What HEAD is compared with, from where the two diverged.
 * @returns {Promise<string[] | undefined>} Names, sorted; undefined when there is no such ref or no common commit.
 */
export async function uncoveredPackages(root, ref) {
  try {
    await getDivergedCommit(root, ref);
  } catch {
    return undefined;
  }
  const { ignore, changedFilePatterns } = await readConfig(root);
  const changed = await getChangedPackagesSinceRef({ cwd: root, ref, changedFilePatterns });
  const changesets = await readChangesets(root, ref);
  const covered = new Set(changesets.flatMap(({ releases }) => releases.map(({ name }) => name)));
  return changed
    .map(({ packageJson }) => packageJson.name)
    .filter((name) => !ignore.includes(name) && !covered.has(name))
    .sort();
}
