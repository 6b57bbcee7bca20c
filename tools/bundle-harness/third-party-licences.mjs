/** Licence texts of what a bundle carries: most licences ask for them wherever copies go, and a bundler drops them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the file that lies beside the bundles. */
export const LICENCES_NAME = 'THIRD-PARTY-LICENSES.txt';

/**
 * The licence texts of all packages that `inputs` come from, sorted, as one text; empty when there are none.
 *
 * @param {string} folder What the paths are relative to.
 * @param {Iterable<string>} inputs Names of the inputs in esbuild's metafile.
 * @returns {string}
 */
export function thirdPartyLicences(folder, inputs) {
  const packages = new Set(
    [...inputs].flatMap(
      (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input.replaceAll('\\', '/'))?.[0] ?? [],
    ),
  );
  return [...packages]
    .map((path) => {
      const root = join(folder, path);
      const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const file = readdirSync(root).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
      const text = file === undefined ? `Licence: ${license}` : readFileSync(join(root, file), 'utf8').trim();
      return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`;
    })
    .sort()
    .join('\n');
}
