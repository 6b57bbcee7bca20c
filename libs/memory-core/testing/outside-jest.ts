/**
 * The part of this door that programs may use which are no tests: everything but the conformance suite, whose import of
 * jest's globals fails anywhere else.
 */
export { createTemporaryHome, homeEnvironment, ODD_NAMES } from './temporary-home.ts';
export type { TemporaryHome } from './temporary-home.ts';
export { snapshotTree, diffTrees, describeDifference } from './tree-snapshot.ts';
export type { TreeDifference, TreeEntry, TreeSnapshot } from './tree-snapshot.ts';
export { searchTree } from './tree-search.ts';
export { censusAvailable, killProcessesOfHome, processesOfHome, untilHomeIsQuiet } from './process-census.ts';
export type { LivingProcess } from './process-census.ts';
export { waitUntil } from './wait-until.ts';
export { AT_ONCE_MS, doubledAfterMs, inTime } from './in-time.ts';
export { processorTime } from './processor-time.ts';
export { STDIN_MODES, WHOLE_THEN_CLOSED } from './stdin-mode.ts';
export type { StdinMode } from './stdin-mode.ts';
export { runHook, PIPE_GRACE_MS } from './hook-driver.ts';
export type { HookCommand, HookRun, HookRunOptions } from './hook-driver.ts';
export { leaveWaiting } from './leave-waiting.ts';
export type { LeftWaiting } from './leave-waiting.ts';
export { listenToStay } from './lasting-port.ts';
export { startStubServer } from './stub-server.ts';
export type { RecordedRequest, StubServer, StubServerOptions } from './stub-server.ts';
export type { Fault, FaultRule } from './stub/fault.ts';
export { messageText } from './stub/store.ts';
export type { StoredMessage, StubMemory } from './stub/store.ts';
export { isObject } from '../src/fs/json-object.ts';
export type { HookEventKind } from '../src/contract/event.ts';
export type { EventBinding, HarnessDeclaration, HostFacts } from '../src/contract/harness.ts';
