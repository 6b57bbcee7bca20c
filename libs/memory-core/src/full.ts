/** What longer-lived processes use: delivery worker, MCP proxy, installer, doctor. Named exports only. */
export type * from './contract/finding.ts';
export type * from './contract/harness.ts';
export type * from './contract/hook-outcome.ts';
export type * from './contract/message.ts';
export type * from './contract/settings.ts';
export { estimateTokens } from './capture/cut.ts';
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
export { isObject, parseObject } from './fs/json-object.ts';
export { readJsonObject } from './fs/read-json.ts';
export { createApiClient, interpret } from './http/api.ts';
export type { ApiCall, ApiClient, ApiFailure, ApiResult } from './http/api.ts';
export { throughProxy } from './http/proxied-transport.ts';
export { requestOnce } from './http/request.ts';
export type { HttpOutcome } from './http/request.ts';
export { selectTransport } from './http/transport.ts';
export type { ProxyModule } from './http/transport.ts';
export { isBypassed } from './privacy/bypass.ts';
export { redactDeep, redactSecrets } from './privacy/redact.ts';
export { connect } from './runtime/connect.ts';
export { launcherCall, startLauncher } from './runtime/start-launcher.ts';
export type { LauncherCall } from './runtime/start-launcher.ts';
export { betterBaseUrl } from './settings/base-url.ts';
export { credentialPaths, ovcliFile } from './settings/sources.ts';
export { expandHome } from './settings/value.ts';
export { inspectSettings } from './settings/inspect.ts';
export { loadSettings } from './settings/load.ts';
export { declarationOf, SETTING_NAMES } from './settings/schema.ts';
export { nearest } from './settings/suggest.ts';
export { parseTolerantJson } from './settings/tolerant-json.ts';
export type { TolerantJson } from './settings/tolerant-json.ts';
export { serveMcp } from './runtime/serve-mcp.ts';
export { runWorker } from './runtime/run-worker.ts';
export { backOffOf } from './spool/back-off.ts';
export { Conversation } from './spool/conversation.ts';
export { allSessions, CONVERSATION_PARTS, markedSessions, SPOOL_NOTES } from './spool/conversation-folder.ts';
export { credentialMark } from './spool/credential-mark.ts';
export { deadLetterNames, deadLetterPath, deadLetters, readDeadLetter, requeueDead } from './spool/dead-letters.ts';
export type { DeadLetter } from './spool/dead-letters.ts';
export { allowAttempt, readServerDelivery, waitLeft } from './spool/delivery-state.ts';
export type { ServerDelivery } from './spool/delivery-state.ts';
export { environmentMark, isElsewhere } from './spool/environment-mark.ts';
export { dropConversation, dropDead, dropRecord } from './spool/drop.ts';
export type { DropOutcome } from './spool/drop.ts';
export type { SpoolRecord } from './spool/record.ts';
export { pendingPrompts, turnKey } from './spool/journal.ts';
export { readdress } from './spool/readdress.ts';
export { findRepository } from './workspace/root.ts';
