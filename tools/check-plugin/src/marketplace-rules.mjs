/**
 * Rules about the marketplace entry. The client shows the entry and installs the manifest: apart, users are offered an
 * update that never ends, or get none.
 */
import { finding } from './finding.mjs';
import { isSemanticVersion } from './manifest-rules.mjs';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from './loose.mjs';
import { contentHash, readPluginFiles } from './plugin-files.mjs';

/** @typedef {import('./finding.mjs').Finding} Finding */

const FILE = 'marketplace.json';
const AGREEING = ['name', 'version', 'description', 'description_i18n', 'category'];

/**
 * @param {unknown} marketplace
 * @param {Record<string, unknown>} manifest
 * @param {string} folder Name of the plugin's folder.
 * @param {import('./layout.mjs').Layout} layout
 * @returns {Finding[]}
 */
export function checkEntry(marketplace, manifest, folder, layout) {
  const plugins = isObject(marketplace) && Array.isArray(marketplace['plugins']) ? marketplace['plugins'] : [];
  const entries = plugins.filter((entry) => isObject(entry) && entry['name'] === manifest['name']);
  const entry = entries[0];
  if (entries.length !== 1 || !isObject(entry)) {
    return [
      finding('entry', FILE, `There must be one entry named ${String(manifest['name'])}, not ${entries.length}.`),
    ];
  }
  const found = AGREEING.filter((member) => !isDeepStrictEqual(entry[member], manifest[member])).map((member) =>
    finding('entry', FILE, `\`${member}\` differs from the manifest's.`),
  );
  if (layout.hasCategories && typeof entry['category'] !== 'string')
    found.push(finding('entry', FILE, '`category` is missing.'));
  const source = entry['source'];
  if (typeof source !== 'string' || source.split('/').at(-1) !== folder || !source.startsWith('./')) {
    found.push(finding('entry', FILE, `\`source\` must lead to ./…/${folder}.`));
  }
  return found;
}

/**
 * @param {import('./plugin-files.mjs').PluginFiles} plugin
 * @param {Record<string, unknown>} manifest
 * @param {string} previous Folder of the plugin as it was published last.
 * @returns {Finding[]}
 */
export function checkVersionBump(plugin, manifest, previous) {
  const before = readPluginFiles(previous, plugin.layout);
  if (contentHash(plugin, { ignoreVersion: true }) === contentHash(before, { ignoreVersion: true })) return [];
  /** @type {unknown} */
  let published;
  try {
    published = JSON.parse(before.files.get(plugin.layout.manifest)?.toString('utf8') ?? '');
  } catch {
    return [];
  }
  const old = isObject(published) ? published['version'] : undefined;
  const now = manifest['version'];
  if (!isSemanticVersion(old) || !isSemanticVersion(now) || compareVersions(now, old) > 0) return [];
  const message = `The plugin changed and its version went from ${old} to ${now}: clients would keep the old files. Raise it.`;
  return [finding('version-bump', plugin.layout.manifest, message)];
}

/**
 * Precedence of two semantic versions; pre-releases of one version count as equal.
 *
 * @param {string} left
 * @param {string} right
 */
function compareVersions(left, right) {
  const parse = (/** @type {string} */ version) => (version.split(/[-+]/)[0] ?? '').split('.').map(Number);
  const [a, b] = [parse(left), parse(right)];
  for (const index of [0, 1, 2]) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left === right) return 0;
  return Number(right.includes('-')) - Number(left.includes('-')) || 1;
}
