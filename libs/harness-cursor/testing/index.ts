/** What tests and programs need to play this client: the strict fake, its files, and the host for the conformance suite. */
export { CursorHost, CursorSession } from './cursor-host.ts';
export type { CursorHookRun, CursorHostOptions, EventOutcome, PromptOutcome, ToolOutcome } from './cursor-host.ts';
export { CURSOR_EVENTS, readClaudeSettings, readHooksFile } from './hooks-file.ts';
export type { CursorEvent, CursorHook, CursorHooks, CursorProgram, HooksReading } from './hooks-file.ts';
export { judgeHook } from './hook-output.ts';
export type { HookVerdict } from './hook-output.ts';
export { CURSOR_VERSION, hookEnvironment, hookInput } from './hook-input.ts';
export type { HookDetail, HookSituation } from './hook-input.ts';
export { TranscriptFile, transcriptsFolder } from './transcript-file.ts';
export type { RecordedCall, TranscriptLayout } from './transcript-file.ts';
export { createCursorConformanceHost, CURSOR_TOOLS, CURSOR_WIRING, writeCursorHooks } from './conformance-host.ts';
