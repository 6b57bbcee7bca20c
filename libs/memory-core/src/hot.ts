/** What a hook process may load: nothing here reaches `fetch`, undici, re2js or the full zod. Named exports only. */
export type * from './contract/event.ts';
export type * from './contract/finding.ts';
export type * from './contract/harness.ts';
export type * from './contract/message.ts';
export type * from './contract/settings.ts';
export type * from './contract/transcript.ts';
export type { Reply } from './contract/reply.ts';
export { NOTHING } from './contract/reply.ts';
export { withoutBlocks } from './capture/blocks.ts';
export { isObject, parseObject } from './fs/json-object.ts';
export { runHook } from './runtime/run-hook.ts';
export type { Bundles, Handler, HookEnvironment } from './runtime/run-hook.ts';
export { handlePrompt } from './runtime/handle-prompt.ts';
export { handleSessionStart } from './runtime/handle-session-start.ts';
export { handleToolGuard } from './runtime/handle-tool-guard.ts';
export { handleTurnEnd } from './runtime/handle-turn-end.ts';
export { shortHash } from './session/short-hash.ts';
