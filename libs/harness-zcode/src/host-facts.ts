/**
 * What the runtime has to know of ZCode: the part of the declaration that every hook loads. What only the installer needs
 * is in `harness.ts`, so that no prompt pays for it.
 */
import type { HostFacts } from '../vendor/memory-core/hot.ts';

/**
 * Upper limit of one answer in UTF-8 bytes. The client drops the context of a stdout over 32,768 bytes without a word and
 * cuts the contexts of one event, of all hooks together, at 24,000 characters.
 */
export const OUTPUT_MAX_BYTES = 20_000;

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
  contextMaxBytes: OUTPUT_MAX_BYTES,
  commitAt: 'turn-end',
  settingDefaults: { captureToolResults: true, commitKeepRecentCount: 0, sessionStartMaxBytes: OUTPUT_MAX_BYTES },
};
