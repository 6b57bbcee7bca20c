/** Rules about what must not be in a folder that is published as it is: secrets, private endpoints, paths of a machine. */
import { finding } from './finding.mjs';

/** @typedef {import('./finding.mjs').Finding} Finding */

const LEAKS = [
  {
    rule: 'secret',
    what: 'a key or token',
    pattern:
      /\b(?:sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16}|xox[abprs]-[A-Za-z0-9-]{20,}|AIza[0-9A-Za-z_-]{35})/,
  },
  {
    rule: 'secret',
    what: 'a private key',
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----\s{1,4}[A-Za-z0-9+/=]{20,}/,
  },
  {
    rule: 'private-endpoint',
    what: 'an address of a private network',
    pattern:
      /\bhttps?:\/\/(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}|\bhttps?:\/\/[\w.-]+\.(?:internal|corp|lan|intranet)\b/,
  },
  {
    rule: 'machine-path',
    what: 'a path of the machine it was built on',
    // A place of Homebrew, the same on every machine, is none.
    pattern: /(?:\/home\/(?!linuxbrew\/)|\/Users\/|\b[A-Z]:\\{1,2}Users\\{1,2})[A-Za-z][\w.-]*[\\/]|\/root\/[\w.-]/,
  },
];

/**
 * @param {import('./plugin-files.mjs').PluginFiles} plugin
 * @param {readonly string[]} machinePaths Further paths that must not appear, such as the checkout's.
 * @returns {Finding[]}
 */
export function checkLeaks(plugin, machinePaths) {
  /** @type {Finding[]} */
  const found = plugin.links.map((path) => finding('link', path, 'A link would publish whatever it points at.'));
  for (const [path, bytes] of plugin.files) {
    const text = bytes.toString('utf8');
    for (const { rule, what, pattern } of LEAKS) {
      const match = pattern.exec(text);
      if (match !== null) found.push(finding(rule, path, `Holds ${what}: ${match[0].slice(0, 12)}…`));
    }
    for (const machinePath of machinePaths) {
      if (text.includes(machinePath)) found.push(finding('machine-path', path, `Holds ${machinePath}.`));
    }
  }
  return found;
}
