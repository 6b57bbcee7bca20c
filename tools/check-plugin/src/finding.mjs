/**
 * @typedef {object} Finding
 * @property {string} rule Short name of the rule, for tests and for people who search.
 * @property {string} file Path below the plugin, or `marketplace.json`.
 * @property {string} message What is wrong and what to do.
 */

/**
 * @param {string} rule
 * @param {string} file
 * @param {string} message
 * @returns {Finding}
 */
export function finding(rule, file, message) {
  return { rule, file, message };
}
