/**
 * Hooks and workers that are still running while their program is taken away: whatever they wrote then would stay for
 * good in a home that is to be left as it was.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { OpenVikingError } from '../errors/error.ts';

/* Exists in the bundles, which are CommonJS. */
declare const __dirname: string | undefined;

/**
 * Throws when neither the folder of this program is there nor the one that holds its versions: an update replaces the
 * former, only an uninstallation takes both. Asked before every file and folder that is made.
 */
export function refuseWhenUninstalled(): void {
  if (typeof __dirname !== 'string' || existsSync(__dirname) || existsSync(dirname(__dirname))) return;
  throw new OpenVikingError({
    code: 'program/uninstalled',
    message: 'This program was uninstalled.',
    next: 'Restart the client.',
  });
}
