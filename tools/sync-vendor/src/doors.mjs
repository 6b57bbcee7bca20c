/**
 * What may lie behind the doors of memory-core. A hook is a process per prompt: one import too many, three files deep,
 * makes every prompt of every user slower, and no test of behaviour would notice.
 */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { closureOf, isTest } from './closure.mjs';
import { CORE, wantedFiles } from './manifest.mjs';

/** Packages that a hook may load: bundled, zod/mini costs 1 ms and 12 KB, the full zod 21 ms. */
const HOT_PACKAGES = new Set(['zod/mini']);

/**
 * Globals that Node.js resolves by loading its built-in undici on first use. Touching one costs a hook about 80 ms
 * over the same request made with `node:http`.
 * https://nodejs.org/api/globals.html#fetch
 */
const UNDICI_GLOBALS = new Set([
  'fetch',
  'Request',
  'Response',
  'Headers',
  'FormData',
  'WebSocket',
  'EventSource',
  'CloseEvent',
  'MessageEvent',
]);

/**
 * @param {import('./files.mjs').Files} files
 * @returns {string[]} One line per offence: where, what, and what to do instead. Empty when all is well.
 */
export function checkDoors(files) {
  return [...hotOffences(files), ...strayImports(files), ...undeclaredPackages(files)];
}

/**
 * Everything that exists at run time behind the `hot` door; imports that are only types cost nothing and are free.
 *
 * @param {import('./files.mjs').Files} files
 * @returns {string[]}
 */
function hotOffences(files) {
  const source = `${CORE}/src`;
  const closure = closureOf(files, source, ['hot.ts'], { types: false });
  const offences = [...closure.packages]
    .filter(([name]) => !isBuiltin(name) && !HOT_PACKAGES.has(name))
    .flatMap(([name, importers]) =>
      importers.map(
        (path) =>
          `${source}/${path}: imports ${name}, and the hot door reaches it. ` +
          (name === 'zod' ? "Import 'zod/mini'." : 'Load it through a bundle of its own, only when it is needed.'),
      ),
    );
  for (const path of closure.files) {
    for (const { name, line } of undiciGlobals(path, files.read(`${source}/${path}`)?.toString('utf8') ?? '')) {
      offences.push(
        `${source}/${path}:${line}: uses the global ${name}, and the hot door reaches it. Use http/request.ts.`,
      );
    }
  }
  return offences;
}

/**
 * References to undici's globals as values. A member (`options.fetch`), a key, a type, or a name that the file itself
 * declares or imports is something else.
 *
 * @param {string} path
 * @param {string} text
 * @returns {{ name: string, line: number }[]}
 */
export function undiciGlobals(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  /** @type {Set<string>} */
  const declared = new Set();
  /** @type {(ts.Identifier | ts.StringLiteralLike)[]} */
  const used = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) declared.add(node.name.text);
      // A class that extends a value is the one run-time expression inside a type node.
      if (!ts.isExpressionWithTypeArguments(node)) return;
    }
    if (ts.isStringLiteralLike(node) && UNDICI_GLOBALS.has(node.text) && isGlobalAccess(node)) used.push(node);
    if (ts.isIdentifier(node) && UNDICI_GLOBALS.has(node.text)) {
      const { parent } = node;
      if ('name' in parent && parent.name === node) {
        if (ts.isPropertyAccessExpression(parent)) {
          if (isGlobalAccess(node)) used.push(node);
        } else if (ts.isShorthandPropertyAssignment(parent)) {
          used.push(node);
        } else if (!isMember(parent)) {
          declared.add(node.text);
          if (isGlobalAccess(node)) used.push(node);
        }
      } else if (!(ts.isBindingElement(parent) && parent.propertyName === node) || isGlobalAccess(node)) {
        used.push(node);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return used
    .filter((node) => isGlobalAccess(node) || !declared.has(node.text))
    .map((node) => ({ name: node.text, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 }));
}

/** @param {ts.Node} node */
function isMember(node) {
  return ts.isPropertyAssignment(node) || ts.isClassElement(node) || ts.isObjectLiteralElement(node);
}

/**
 * Taken from the global object by name, whatever the file itself calls so: `globalThis.fetch`, `globalThis['fetch']`,
 * `const { fetch } = globalThis`.
 *
 * @param {ts.Identifier | ts.StringLiteralLike} node
 */
function isGlobalAccess(node) {
  const { parent } = node;
  if (ts.isElementAccessExpression(parent))
    return parent.argumentExpression === node && isGlobalObject(parent.expression);
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node && isGlobalObject(parent.expression);
  if (!ts.isBindingElement(parent) || (parent.propertyName ?? parent.name) !== node) return false;
  const { parent: declaration } = parent.parent;
  return ts.isVariableDeclaration(declaration) && isGlobalObject(declaration.initializer);
}

/** @param {ts.Node | undefined} node */
function isGlobalObject(node) {
  return node !== undefined && ts.isIdentifier(node) && /^(globalThis|global)$/.test(node.text);
}

/**
 * memory-core depends on nothing of ours: its sources stay inside `src`, its tests and its testing door inside the
 * package.
 *
 * @param {import('./files.mjs').Files} files
 * @returns {string[]}
 */
function strayImports(files) {
  /** @type {string[]} */
  const offences = [];
  for (const part of ['src', 'testing']) {
    for (const path of files.list(`${CORE}/${part}`)) {
      if (!path.endsWith('.ts')) continue;
      const shipped = part === 'src' && !isTest(path);
      const fence = shipped ? `${CORE}/src/` : `${CORE}/`;
      for (const { fileName } of ts.preProcessFile(files.read(path)?.toString('utf8') ?? '', true, true)
        .importedFiles) {
        const inside = fileName.startsWith('.')
          ? posix.join(posix.dirname(path), fileName).startsWith(fence)
          : !fileName.startsWith('@openviking/') || (!shipped && fileName.startsWith('@openviking/memory-core/'));
        if (!inside)
          offences.push(`${path}: imports ${fileName}. memory-core imports nothing of ours outside ${fence}`);
      }
    }
  }
  return offences;
}

/**
 * A vendored file resolves its packages from the harness: the harness must ask for them in the range that the core was
 * tested with.
 *
 * @param {import('./files.mjs').Files} files
 * @returns {string[]}
 */
function undeclaredPackages(files) {
  const core = rangesIn(files, `${CORE}/package.json`);
  return wantedFiles(files).flatMap(({ harness, packages }) => {
    const own = rangesIn(files, `${harness}/package.json`);
    const names = new Set([...packages.keys()].filter((name) => !isBuiltin(name)).map(packageOf));
    return [...names].flatMap((name) => {
      if (core[name] === undefined) return [`${CORE}/package.json: does not list ${name}, which its sources import.`];
      if (own[name] === core[name]) return [];
      return [
        `${harness}/package.json: has ${name} ${own[name] ?? 'not at all'}; its vendored core needs ${core[name]}.`,
      ];
    });
  });
}

/**
 * @param {import('./files.mjs').Files} files
 * @param {string} path
 * @returns {Record<string, string>}
 */
function rangesIn(files, path) {
  const json = JSON.parse(files.read(path)?.toString('utf8') ?? '{}');
  return { ...json.devDependencies, ...json.dependencies };
}

/** @param {string} specifier */
function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
