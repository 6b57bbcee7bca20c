/**
 * What the runtime has to know of the client: the part of the declaration that every hook loads. What only the installer
 * needs is in `harness.ts`, so that no prompt pays for it.
 */
import type { EventBinding, HostFacts } from '../vendor/memory-core/hot.ts';
import type { Edition } from './edition.ts';

/**
 * Four of the six events. `PostToolUse` and `Notification` would start a process per tool call for nothing: what a tool
 * answered cannot be paired with its turn without a record of the conversation.
 */
export const EVENTS: readonly EventBinding[] = [
  {
    kind: 'session-start',
    nativeName: 'SessionStart',
    entry: 'session-start',
    timeout: { value: 30, unit: 'seconds' },
  },
  {
    kind: 'prompt',
    nativeName: 'UserPromptSubmit',
    entry: 'user-prompt-submit',
    timeout: { value: 20, unit: 'seconds' },
  },
  {
    kind: 'tool-guard',
    nativeName: 'PreToolUse',
    entry: 'uri-guard',
    // The shell tool is `RunCommand` here, not `Bash`.
    matcher: 'Read|Write|Edit|Glob|Grep|LS|RunCommand',
    timeout: { value: 5, unit: 'seconds' },
  },
  { kind: 'turn-end', nativeName: 'Stop', entry: 'stop', timeout: { value: 30, unit: 'seconds' } },
];

export function hostFactsOf({ id, name, sessionPrefix }: Edition): HostFacts {
  return {
    id,
    name,
    sessionPrefix,
    sessionIdFiller: '-',
    host: 'process',
    events: EVENTS,
    // There is no end-of-session event: a conversation that is short must become memory too.
    commitAt: 'turn-end',
    settingDefaults: { commitKeepRecentCount: 0 },
  };
}
