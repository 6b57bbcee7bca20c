/**
 * Assembles the same payload that the installer uses as a plugin in a marketplace that works from git, from an archive and
 * from this checkout. Its files come from the declaration, so that it and the installer's plugin cannot drift apart.
 */
import { build } from 'esbuild';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LICENCES_NAME } from '../../tools/bundle-harness/third-party-licences.mjs';

/** In the payload, and not in the plugin: a plugin cannot bring a status line. */
const NOT_PACKAGED = ['statusline.cjs'];

/**
 * Writes a marketplace with the plugin into `<root>/dist/plugin`. Whatever a hook names and the payload lacks is an error: a
 * plugin whose hook points nowhere fails at each prompt.
 *
 * @param {string} root Package root, with a built payload.
 * @returns {Promise<string>} What was written.
 */
export async function packagePlugin(root) {
  const payload = join(root, 'dist', 'payload');
  const target = join(root, 'dist', 'plugin');
  const { PLUGIN, packagedFiles } = await load(join(root, 'src/packaged-plugin.ts'));
  const plugin = join(target, 'plugins', PLUGIN);
  rmSync(target, { recursive: true, force: true });
  const generated = packagedFiles();
  for (const [path, value] of generated) {
    const file = join(target, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  }
  cpSync(join(root, 'assets', 'plugin'), plugin, { recursive: true });
  for (const folder of ['skills', 'commands']) {
    cpSync(join(root, 'assets', folder), join(plugin, folder), { recursive: true });
  }
  for (const file of readdirSync(payload)) {
    if ((file.endsWith('.cjs') && !NOT_PACKAGED.includes(file)) || file === LICENCES_NAME) {
      cpSync(join(payload, file), join(plugin, 'runtime', file));
    }
  }
  cpSync(join(root, '../../LICENSE'), join(plugin, 'LICENSE'));
  const named = JSON.stringify([...generated.values()]).matchAll(/launch\.sh\\" ([a-z-]+)/g);
  const missing = [...named]
    .map(([, entry]) => `${entry}.cjs`)
    .filter((file) => !existsSync(join(plugin, 'runtime', file)));
  if (missing.length > 0) throw new Error(`Hooks name ${missing.join(', ')}, which the payload does not have.`);
  return target;
}

/** The module of TypeScript sources, as this Node.js can run it. */
async function load(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
