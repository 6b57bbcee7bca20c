/** What tests and programs need to play this client: the strict fake, its files, and the host for the conformance suite. */
export { ClaudeHost, ClaudeSession } from './claude-host.ts';
export type { ClaudeHostOptions, EventOutcome, HandlerRun } from './claude-host.ts';
export { CLAUDE_EVENTS, configFolder, matches, readClientHooks } from './client-hooks.ts';
export type { ClaudeEvent, ClaudeHandler, ClientHooks } from './client-hooks.ts';
export { hookEnvironment, hookInput } from './hook-input.ts';
export type { HookDetail, HookSituation } from './hook-input.ts';
export { CONTEXT_LIMIT, judgeHook } from './output.ts';
export type { HookJudgement, HookOutcome, HookVerdict } from './output.ts';
export { TranscriptFile, transcriptPath } from './transcript-file.ts';
export type { Row, TranscriptFileOptions } from './transcript-file.ts';
export { CLAUDE_TOOLS, createClaudeConformanceHost, writeClaudePlugin } from './conformance-host.ts';
