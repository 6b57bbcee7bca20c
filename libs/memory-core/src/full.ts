/** What longer-lived processes use: delivery worker, MCP proxy, installer, doctor. Named exports only. */
export type * from './contract/finding.ts';
export type * from './contract/harness.ts';
export type * from './contract/message.ts';
export type * from './contract/settings.ts';
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
export { ensurePrivateFolder } from './fs/folder.ts';
export { heartbeatPath, homePaths, serverStatePath } from './fs/home-paths.ts';
export type { HomePaths } from './fs/home-paths.ts';
export { livingOwner, lockWithin, startToken, tryLock } from './fs/lock.ts';
export type { Lock } from './fs/lock.ts';
export { readJsonObject } from './fs/read-json.ts';
export { createApiClient, interpret } from './http/api.ts';
export type { ApiCall, ApiClient, ApiFailure, ApiResult } from './http/api.ts';
export { requestOnce } from './http/request.ts';
export { selectTransport } from './http/transport.ts';
export { inspectSettings } from './settings/inspect.ts';
export { loadSettings } from './settings/load.ts';
export { nearest } from './settings/suggest.ts';
export { serveMcp } from './runtime/serve-mcp.ts';
export { runWorker } from './runtime/run-worker.ts';
export { allSessions, Conversation, markedSessions } from './spool/conversation.ts';
export { deadLetters } from './spool/deliver.ts';
export { readServerDelivery } from './spool/delivery-state.ts';
export { pendingPrompts } from './spool/journal.ts';
