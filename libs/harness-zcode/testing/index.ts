/** What tests and programs need to play this client: the strict fake, its files, and the host for the conformance suite. */
export { ZcodeHost, ZcodeSession } from './zcode-host.ts';
export type {
  EventOutcome,
  HandlerRun,
  PromptOutcome,
  StopOutcome,
  ToolOutcome,
  ZcodeHostOptions,
} from './zcode-host.ts';
export { readZcodeConfig, ZCODE_EVENTS } from './config.ts';
export type { ZcodeConfig, ZcodeConfigReading, ZcodeEvent, ZcodeHandler, ZcodeMcpServer } from './config.ts';
export { hookEnvironment, hookInput, transcriptText } from './hook-input.ts';
export type { HookDetail, HookSituation } from './hook-input.ts';
export { RolloutWriter } from './rollout.ts';
export type { ModelMessage, QuerySource, RequestAttempt, RolloutOptions, ToolCall } from './rollout.ts';
export {
  createZcodeConformanceHost,
  writeZcodeConfig,
  zcodeInvocation,
  ZCODE_TOOLS,
  ZCODE_WIRING,
} from './conformance-host.ts';
export type { ZcodeKind } from './conformance-host.ts';
