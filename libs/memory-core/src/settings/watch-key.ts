/**
 * Tells a long-lived process that a credential file changed, without reading it. The MCP proxy lives for days: with the
 * key of its first minute it would answer 401 long after every hook works again.
 */
import type { SettingsContext } from '../contract/settings.ts';
import { diskReader } from './file-reader.ts';
import type { FileReader } from './file-reader.ts';
import { credentialPaths } from './sources.ts';

/**
 * A text that differs when a credential file was written, replaced, created or removed. Cheap enough for every request:
 * one status call per file, nothing is opened.
 */
export function credentialFingerprint(
  context: Pick<SettingsContext, 'home' | 'env'>,
  reader: FileReader = diskReader,
): string {
  const { ovcli, ovConf } = credentialPaths(context);
  return [ovcli, ovConf].map((path) => `${path}=${stamp(path, reader)}`).join('\n');
}

function stamp(path: string, reader: FileReader): string {
  try {
    const status = reader.status(path);
    return status === undefined ? 'absent' : `${status.inode}:${status.size}:${status.modifiedMs}`;
  } catch {
    return 'unreadable';
  }
}
