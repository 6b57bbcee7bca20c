/**
 * The files of a plugin folder, read once. Rules work on this and not on the disk, so that one rule cannot see another
 * state of the folder than the next.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LAYOUTS } from './layout.mjs';

/**
 * @typedef {object} PluginFiles
 * @property {string} root Absolute path.
 * @property {ReadonlyMap<string, Buffer>} files By path below the root, with forward slashes.
 * @property {import('./layout.mjs').Layout} layout What its client expects where.
 * @property {readonly string[]} links Symbolic links: a marketplace refuses them, because publishing would follow them.
 */

/**
 * @param {string} root
 * @param {import('./layout.mjs').Layout} [layout]
 * @returns {PluginFiles}
 */
export function readPluginFiles(root, layout = LAYOUTS.zcode) {
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  /** @type {string[]} */
  const links = [];
  /** @param {string} below */
  const walk = (below) => {
    for (const entry of readdirSync(join(root, below)).sort()) {
      const path = below === '' ? entry : `${below}/${entry}`;
      const stat = lstatSync(join(root, path));
      if (stat.isSymbolicLink()) links.push(path);
      else if (stat.isDirectory()) walk(path);
      else files.set(path, readFileSync(join(root, path)));
    }
  };
  walk('');
  return { root, files, layout, links };
}

/**
 * @param {PluginFiles} plugin
 * @param {string} path
 * @returns {string | undefined}
 */
export function textOf(plugin, path) {
  return plugin.files.get(path)?.toString('utf8');
}

/**
 * One hash over names and contents; `ignoreVersion` leaves the manifest's version out.
 *
 * @param {PluginFiles} plugin
 * @param {{ ignoreVersion?: boolean }} [options]
 */
export function contentHash(plugin, options = {}) {
  const hash = createHash('sha256');
  for (const [path, bytes] of plugin.files) {
    let content = bytes;
    if (options.ignoreVersion === true && path === plugin.layout.manifest) {
      content = Buffer.from(bytes.toString('utf8').replace(/("version"\s*:\s*)"[^"]*"/, '$1""'));
    }
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
