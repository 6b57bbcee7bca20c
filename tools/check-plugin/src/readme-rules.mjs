/**
 * Rules about README.md and README_CN.md: a user of either language must learn the same before trusting the plugin with
 * code execution. Whether two languages say the same is judged by what can be compared: sections, and everything in code.
 */
import { finding } from './finding.mjs';
import { textOf } from './plugin-files.mjs';

/** @typedef {import('./finding.mjs').Finding} Finding */

/** Section → its heading in both languages. */
const SECTIONS = {
  purpose: { 'README.md': /purpose/i, 'README_CN.md': /用途|目的/ },
  dependencies: { 'README.md': /dependenc/i, 'README_CN.md': /依赖/ },
  permissions: { 'README.md': /permission/i, 'README_CN.md': /权限/ },
  'network access': { 'README.md': /network/i, 'README_CN.md': /网络/ },
  'side effects': { 'README.md': /side effect/i, 'README_CN.md': /副作用/ },
};

/**
 * @param {import('./plugin-files.mjs').PluginFiles} plugin
 * @returns {Finding[]}
 */
export function checkReadmes(plugin) {
  const english = textOf(plugin, 'README.md');
  const chinese = textOf(plugin, 'README_CN.md');
  if (english === undefined || chinese === undefined) {
    const missing = english === undefined ? 'README.md' : 'README_CN.md';
    return [finding('readme', missing, `${missing} is missing: users read about permissions and side effects there.`)];
  }
  /** @type {Finding[]} */
  const found = [];
  for (const [section, headings] of Object.entries(SECTIONS)) {
    if (!headingsOf(english).some((line) => headings['README.md'].test(line))) {
      found.push(finding('readme', 'README.md', `There is no section on ${section}.`));
    }
    if (!headingsOf(chinese).some((line) => headings['README_CN.md'].test(line))) {
      found.push(finding('readme', 'README_CN.md', `There is no section on ${section}.`));
    }
  }
  const levels = (/** @type {string} */ text) => headingsOf(text).map((line) => line.indexOf(' '));
  if (levels(english).join() !== levels(chinese).join()) {
    found.push(finding('readme', 'README_CN.md', 'The sections differ from those of README.md.'));
  }
  for (const [file, text, other] of /** @type {const} */ ([
    ['README.md', english, chinese],
    ['README_CN.md', chinese, english],
  ])) {
    for (const code of codeOf(text)) {
      if (!codeOf(other).has(code)) {
        found.push(finding('readme', file, `\`${code}\` is named here and not in the other language.`));
      }
    }
  }
  return found;
}

/** @param {string} text */
function headingsOf(text) {
  return text.split('\n').filter((line) => /^#{1,6} /.test(line));
}

/** @param {string} text */
function codeOf(text) {
  return new Set([...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? ''));
}
