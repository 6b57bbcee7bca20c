/** All rules over one plugin folder. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { checkComponentFiles } from './component-rules.mjs';
import { finding } from './finding.mjs';
import { checkLeaks } from './leak-rules.mjs';
import { LAYOUTS } from './layout.mjs';
import { isObject } from './loose.mjs';
import { checkManifest } from './manifest-rules.mjs';
import { checkEntry, checkVersionBump } from './marketplace-rules.mjs';
import { readPluginFiles, textOf } from './plugin-files.mjs';
import { checkReadmes } from './readme-rules.mjs';
import { probeStdioServers } from './stdio-probe.mjs';

/** @typedef {import('./finding.mjs').Finding} Finding */

/**
 * Checks a built plugin against the client's marketplace rules.
 *
 * @param {string} folder The plugin, as it would be published.
 * @param {object} [options]
 * @param {keyof typeof LAYOUTS} [options.client] Whose plugin it is; ZCode's by default.
 * @param {string} [options.marketplace] Path of the marketplace.json that lists it.
 * @param {string} [options.previous] The plugin as it was published last: a change must have a higher version.
 * @param {readonly string[]} [options.machinePaths] Paths that must not appear in any file.
 * @param {boolean} [options.start] Whether stdio servers are started and spoken to; true by default.
 * @returns {Promise<Finding[]>} Empty when everything holds.
 */
export async function checkPlugin(folder, options = {}) {
  const layout = LAYOUTS[options.client ?? 'zcode'];
  const plugin = readPluginFiles(folder, layout);
  const manifest = jsonObject(textOf(plugin, layout.manifest));
  if (manifest === undefined) {
    return [finding('manifest', layout.manifest, 'The manifest is missing or not a JSON object.')];
  }
  const found = [
    ...checkManifest(plugin, manifest),
    ...checkComponentFiles(plugin, manifest),
    ...checkReadmes(plugin),
    ...checkLeaks(plugin, options.machinePaths ?? []),
  ];
  if (options.marketplace !== undefined) {
    const marketplace = jsonObject(readFileSync(options.marketplace, 'utf8'));
    found.push(...checkEntry(marketplace, manifest, basename(folder), layout));
  }
  if (options.previous !== undefined) found.push(...checkVersionBump(plugin, manifest, options.previous));
  if (options.start !== false) found.push(...(await probeStdioServers(plugin)));
  return found;
}

/** @param {string | undefined} text */
function jsonObject(text) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
