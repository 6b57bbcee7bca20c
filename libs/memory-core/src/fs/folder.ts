/** Private folders: 0700, also when somebody had made them wider before. */
import { statSync } from 'node:fs';
import { chmodSync, mkdirSync } from './operations.ts';

/** Makes `folder` and its missing parents with 0700 and closes an existing, wider one. */
export function ensurePrivateFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made === undefined && process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0)
    chmodSync(folder, 0o700);
}
