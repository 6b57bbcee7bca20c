/**
 * The two ways this tool sees the workspace: the disk (command line, tests) and the Nx tree (`nx sync`). Both are read
 * through one small interface, so that the list of wanted files is computed by the same code in every mode.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Paths are relative to the workspace root and use `/`.
 *
 * @typedef {object} Files
 * @property {(path: string) => Buffer | undefined} read The bytes of a file; undefined when there is none.
 * @property {(folder: string) => string[]} list Every file below a folder, as workspace paths, sorted.
 * @property {(folder: string) => string[]} folders Names of the folders directly inside a folder, sorted.
 * @property {(path: string, bytes: Buffer) => void} write
 * @property {(path: string) => void} remove
 */

/**
 * @param {string} root Absolute path of the workspace.
 * @returns {Files}
 */
export function filesOnDisk(root) {
  return {
    read(path) {
      const file = join(root, path);
      return existsSync(file) && statSync(file).isFile() ? readFileSync(file) : undefined;
    },
    list(folder) {
      if (!existsSync(join(root, folder))) return [];
      return readdirSync(join(root, folder), { withFileTypes: true })
        .flatMap((entry) => (entry.isDirectory() ? this.list(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
        .sort();
    },
    folders(folder) {
      if (!existsSync(join(root, folder))) return [];
      return readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
        .sort();
    },
    write(path, bytes) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      // A dangling or foreign link in the way is replaced, never written through.
      rmSync(join(root, path), { force: true });
      writeFileSync(join(root, path), bytes);
    },
    remove(path) {
      rmSync(join(root, path), { force: true });
      for (let folder = dirname(path); folder.includes('/vendor'); folder = dirname(folder)) {
        if (readdirSync(join(root, folder)).length > 0) break;
        rmdirSync(join(root, folder));
      }
    },
  };
}

/**
 * @param {import('@nx/devkit').Tree} tree
 * @returns {Files}
 */
export function filesInTree(tree) {
  return {
    read: (path) => (tree.exists(path) && tree.isFile(path) ? (tree.read(path) ?? undefined) : undefined),
    list(folder) {
      return tree
        .children(folder)
        .flatMap((name) => (tree.isFile(`${folder}/${name}`) ? [`${folder}/${name}`] : this.list(`${folder}/${name}`)))
        .sort();
    },
    folders: (folder) =>
      tree
        .children(folder)
        .filter((name) => !tree.isFile(`${folder}/${name}`))
        .sort(),
    write: (path, bytes) => tree.write(path, bytes),
    remove: (path) => tree.delete(path),
  };
}
