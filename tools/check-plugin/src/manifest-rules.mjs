/** Rules about the manifest: what a marketplace shows and what the client loads. */
import { finding } from './finding.mjs';
import { isObject, isText } from './loose.mjs';

/** @typedef {import('./finding.mjs').Finding} Finding */
/** @typedef {import('./plugin-files.mjs').PluginFiles} PluginFiles */

const NAME = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SEMANTIC_VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z.-]+)?$/;
/** Field of the manifest → where the client looks by itself. */
const COMPONENTS = {
  commands: /^commands\/.+\.md$/,
  skills: /^skills\/[^/]+\/SKILL\.md$/,
  agents: /^agents\/.+\.md$/,
  hooks: /^hooks\/hooks\.json$/,
  mcpServers: /^\.mcp\.json$/,
};
const CONFIG_TYPES = ['string', 'number', 'boolean', 'directory', 'file'];
const SECRET_NAME = /key|token|secret|password|credential/i;

/**
 * @param {unknown} version
 * @returns {version is string}
 */
export function isSemanticVersion(version) {
  return typeof version === 'string' && SEMANTIC_VERSION.test(version);
}

/**
 * @param {PluginFiles} plugin
 * @param {Record<string, unknown>} manifest
 * @returns {Finding[]}
 */
export function checkManifest(plugin, manifest) {
  const file = plugin.layout.manifest;
  return [...checkIdentity(file, manifest), ...checkComponents(plugin, manifest), ...checkUserConfig(file, manifest)];
}

/**
 * @param {string} file The manifest's path.
 * @param {Record<string, unknown>} manifest
 * @returns {Finding[]}
 */
function checkIdentity(file, manifest) {
  const { name, version, description, author, homepage, repository, license, keywords } = manifest;
  /** @type {Finding[]} */
  const found = [];
  /** @param {string} rule @param {boolean} holds @param {string} message */
  const demand = (rule, holds, message) => {
    if (!holds) found.push(finding(rule, file, message));
  };
  const isName = typeof name === 'string' && NAME.test(name) && KEBAB_CASE.test(name);
  demand('name', isName, '`name` must be kebab-case: lower-case letters, digits and single hyphens, at most 128.');
  demand('version', isSemanticVersion(version), '`version` must be a semantic version such as 1.2.3.');
  const isLine = isText(description) && !/[\r\n]/.test(description);
  demand('description', isLine, '`description` must be one line of text.');
  const hasAuthor = isText(author) || (isObject(author) && isText(author['name']));
  demand('author', hasAuthor, '`author` must be a name or an object with a `name`.');
  demand('homepage', isText(homepage) && URL.canParse(homepage), '`homepage` must be a URL.');
  const repositoryUrl = isObject(repository) ? repository['url'] : repository;
  demand('repository', isText(repositoryUrl) && URL.canParse(repositoryUrl), '`repository` must be a URL.');
  demand('license', isText(license), '`license` must name a licence.');
  const hasKeywords = Array.isArray(keywords) && keywords.length > 0 && keywords.every(isText);
  demand('keywords', hasKeywords, '`keywords` must be a list with at least one word.');
  return found;
}

/**
 * @param {PluginFiles} plugin
 * @param {Record<string, unknown>} manifest
 * @returns {Finding[]}
 */
function checkComponents(plugin, manifest) {
  const file = plugin.layout.manifest;
  /** @type {Finding[]} */
  const found = [];
  const paths = [...plugin.files.keys()];
  let components = 0;
  for (const [field, byItself] of Object.entries(COMPONENTS)) {
    if (paths.some((path) => byItself.test(path))) components += 1;
    const value = manifest[field];
    if (value === undefined) continue;
    components += 1;
    const named = isText(value) ? [value] : Array.isArray(value) ? value : [];
    if (!isObject(value) && (named.length === 0 || !named.every(isText))) {
      const message = `\`${field}\` must be a path, a list of paths, or the component itself.`;
      found.push(finding('component-field', file, message));
      continue;
    }
    for (const path of named) {
      const plain = String(path).replace(/^\.\//, '').replace(/\/$/, '');
      const inside = !plain.startsWith('/') && !plain.split(/[\\/]/).includes('..');
      if (!inside || !paths.some((known) => known === plain || known.startsWith(`${plain}/`))) {
        found.push(finding('component-path', file, `\`${field}\` names ${path}, which is not in the plugin.`));
      } else if (field === 'hooks' && plain === 'hooks/hooks.json') {
        const message =
          'hooks/hooks.json is found by itself; named again, its hooks run twice. Remove it from `hooks`.';
        found.push(finding('hooks-named-twice', file, message));
      }
    }
  }
  if (components === 0) {
    found.push(finding('no-component', file, 'A plugin needs a skill, a command, an agent, hooks or a server.'));
  }
  return found;
}

/**
 * @param {string} file The manifest's path.
 * @param {Record<string, unknown>} manifest
 * @returns {Finding[]}
 */
function checkUserConfig(file, manifest) {
  const config = manifest['userConfig'];
  if (config === undefined) return [];
  if (!isObject(config)) return [finding('user-config', file, '`userConfig` must be an object.')];
  return Object.entries(config).flatMap(([key, option]) => {
    const type = isObject(option) ? option['type'] : undefined;
    if (!isObject(option) || typeof type !== 'string' || !CONFIG_TYPES.includes(type)) {
      const message = `\`userConfig.${key}.type\` must be one of ${CONFIG_TYPES.join(', ')}.`;
      return [finding('user-config', file, message)];
    }
    if (SECRET_NAME.test(key) && type === 'string' && option['sensitive'] !== true) {
      const message = `\`userConfig.${key}\` looks like a secret and needs \`"sensitive": true\`.`;
      return [finding('secret-option', file, message)];
    }
    return [];
  });
}
