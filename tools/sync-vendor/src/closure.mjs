/**
 * Which files a door needs. Type-only imports count: a vendored copy is type-checked in its harness, and a missing type
 * file fails there with an error that names neither the door nor the import that was overlooked.
 */
import { posix } from 'node:path';
import ts from 'typescript';

/**
 * @typedef {object} Closure
 * @property {string[]} files Workspace paths below `source`, relative to it, sorted.
 * @property {Map<string, string[]>} packages Package (or `node:` module) → the files that import it.
 */

/**
 * Follows every relative import, export, `import()` and `import('…')` type from the doors to the end.
 *
 * @param {import('./files.mjs').Files} files
 * @param {string} source Folder that the doors are relative to, e.g. `libs/memory-core/src`.
 * @param {readonly string[]} doors Files relative to `source`.
 * @param {{ readonly types?: boolean }} [options] `types: false` follows only what exists at run time.
 * @returns {Closure}
 */
export function closureOf(files, source, doors, options = {}) {
  /** @type {Set<string>} */
  const seen = new Set();
  /** @type {Map<string, string[]>} */
  const packages = new Map();
  /** @type {{ path: string, from: string }[]} */
  const queue = doors.map((door) => ({ path: door, from: 'the list of doors' }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { path, from } = next;
    if (seen.has(path)) continue;
    if (path.startsWith('../')) throw new Error(`${from} imports ${posix.join(source, path)}, outside ${source}.`);
    if (isTest(path)) throw new Error(`${from} imports ${source}/${path}: a test is never vendored.`);
    const bytes = files.read(`${source}/${path}`);
    if (bytes === undefined) throw new Error(`${source}/${path} does not exist, but ${from} needs it.`);
    seen.add(path);
    if (!path.endsWith('.ts')) continue;
    const text = bytes.toString('utf8');
    for (const specifier of options.types === false ? runtimeImports(path, text) : allImports(text)) {
      if (specifier.startsWith('.')) {
        queue.push({ path: posix.join(posix.dirname(path), specifier), from: `${source}/${path}` });
      } else {
        packages.set(specifier, [...(packages.get(specifier) ?? []), path]);
      }
    }
  }
  return { files: [...seen].sort(), packages: new Map([...packages].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** @param {string} path */
export function isTest(path) {
  return /\.test\.[cm]?[jt]sx?$/.test(path);
}

/**
 * @param {string} text
 * @returns {string[]}
 */
function allImports(text) {
  const found = ts.preProcessFile(text, true, true);
  return found.importedFiles.map((file) => file.fileName);
}

/**
 * What is left after types are erased the way esbuild and swc erase them under `verbatimModuleSyntax`: only
 * declarations marked `type` as a whole vanish.
 *
 * @param {string} path
 * @param {string} text
 * @returns {string[]}
 */
function runtimeImports(path, text) {
  const { outputText } = ts.transpileModule(text, {
    fileName: path,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
      isolatedModules: true,
    },
  });
  return allImports(outputText);
}
