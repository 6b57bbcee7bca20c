/**
 * What starts the installer on this machine, as it has written it into its receipt: a hook does not know the user's PATH, and
 * whoever installed from a clone has nothing to fetch by name.
 */
import { inside } from '../fs/path.ts';
import type { HomePaths } from '../fs/home-paths.ts';
import { readJsonObject } from '../fs/read-json.ts';

/** For advice; the published name where no receipt of this client says another. */
export function installerCommand({ root }: Pick<HomePaths, 'root'>, harness: string): string {
  const command = readJsonObject(inside(root, 'install', 'receipts', `${harness}.json`))?.['command'];
  return typeof command === 'string' && /^.+$/.test(command) ? command : 'npx @openviking/install';
}
