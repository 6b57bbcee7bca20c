/**
 * What the runtime has to know of ZCode: the part of the declaration that every hook loads. What only the installer needs
 * is in `harness.ts`, so that no prompt pays for it.
 */
import type { HostFacts } from '../vendor/memory-core/hot.ts';

export const hostFacts: HostFacts = {
  id: 'zcode',
  name: 'ZCode',
  sessionPrefix: 'zc-',
  sessionIdFiller: '-',
  host: 'process',
  events: [
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
      matcher: 'Read|Glob|Grep|Edit|Write|Bash',
      timeout: { value: 5, unit: 'seconds' },
    },
    { kind: 'turn-end', nativeName: 'Stop', entry: 'stop', timeout: { value: 30, unit: 'seconds' } },
  ],
  // The client drops stdout above 32,768 bytes in silence and cuts all context of an event at 24,000 characters.
  contextMaxBytes: 20_000,
  commitAt: 'turn-end',
};
