/**
 * A new file that appears with its whole content or not at all: filled under another name, then linked. Creating it in
 * place would leave an empty one behind when the process is killed before the first byte is in it.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors/error.ts';
import { linkSync } from './operations.ts';
import { inside } from './path.ts';
import { patiently } from './patience.ts';
import { uniqueName } from './unique-name.ts';
import { removeQuietly, writeNewFile } from './write-atomic.ts';

/** File systems without hard links (exFAT, some network shares) answer the link call with one of these. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK', 'UNKNOWN']);

/**
 * Creates `path` with `data`, mode 0600; its folder must exist. `exists`: somebody was faster. Where there are no links,
 * `withoutLinks` gets the filled file's name and says whether it could give it the real one.
 */
export function createWhole(
  path: string,
  data: string,
  withoutLinks: (temporary: string) => boolean,
): 'created' | 'exists' {
  const temporary = inside(dirname(path), `.ov-${uniqueName()}.tmp`);
  try {
    writeNewFile(temporary, data, 0o600, false);
    return giveName(temporary, path, withoutLinks);
  } finally {
    removeQuietly(temporary);
  }
}

function giveName(temporary: string, path: string, withoutLinks: (temporary: string) => boolean): 'created' | 'exists' {
  try {
    patiently(
      () => linkSync(temporary, path),
      // Whether a link was made is told by the number of the file's names, see open(2).
      () => (statSync(temporary, { throwIfNoEntry: false })?.nlink ?? 0) > 1,
      true,
    );
    return 'created';
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return 'exists';
    if (!NO_LINKS.has(code)) throw error;
    return withoutLinks(temporary) ? 'created' : 'exists';
  }
}
