/** What longer-lived processes use: delivery worker, MCP proxy, installer, doctor. Named exports only. */
export { OpenVikingError, systemCode } from './errors/error.ts';
export type { OpenVikingErrorOptions } from './errors/error.ts';
export {
  writeFileAtomic,
  writeNewFile,
  resolveLinks,
  renameWithRetry,
  removeQuietly,
  syncFolder,
} from './fs/write-atomic.ts';
export type { WriteAtomicOptions } from './fs/write-atomic.ts';
export { tryLock, lockWithin } from './fs/lock.ts';
export type { Lock } from './fs/lock.ts';
