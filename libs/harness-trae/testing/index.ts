/** What tests and programs need to play this client: the strict fake and the host for the conformance suite. */
export { matcherApplies, readTraeHooks } from './hook-file.ts';
export type { TraeEvent, TraeGroup, TraeHandler, TraeHooks } from './hook-file.ts';
export { judgeHook } from './output.ts';
export type { HookVerdict } from './output.ts';
export { TraeHost, TraeSession } from './trae-host.ts';
export type { EventOutcome, HandlerRun, TraeHostOptions } from './trae-host.ts';
export { createTraeConformanceHost, TRAE_TOOLS, writeTraeHooks } from './conformance-host.ts';
export type { TraeId } from './conformance-host.ts';
