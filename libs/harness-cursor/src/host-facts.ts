/**
 * What the runtime has to know of Cursor: the part of the declaration that every hook loads. What only the installer needs
 * is in `harness.ts`, so that no prompt pays for it.
 *
 * Two programs read the same file: the editor, which passes over event names that it does not know, and cursor-agent, which
 * then drops the whole file (2026.09.10, measured: github.com/receptron/mulmoterminal, issue 2064). So every name here is
 * one that both have known for many builds, and none is added for the sake of one build.
 */
import type { HostFacts } from '../vendor/memory-core/hot.ts';

/**
 * Upper limit of one added context in UTF-16 units. The client puts up to 10,000 of them into the request; what is longer
 * goes into a file that the model has to open (client 3.20.17: github.com/DietrichGebert/ponytail, docs/cursor-hooks.md).
 */
export const CONTEXT_MAX_LENGTH = 9_800;

/**
 * A gate is always answered: several builds take an empty answer for a broken one and block the tool (github.com/stablyai/
 * orca, issues 15462 and 15619; github.com/aovestdipaperino/tokensave, issue 187). The user's own approval rules stay in
 * force.
 */
const ALLOWED = JSON.stringify({ permission: 'allow' });

export const hostFacts: HostFacts = {
  id: 'cursor',
  name: 'Cursor',
  sessionPrefix: 'cu-',
  sessionIdFiller: '-',
  host: 'process',
  events: [
    {
      kind: 'session-start',
      nativeName: 'sessionStart',
      entry: 'session-start',
      timeout: { value: 30, unit: 'seconds' },
    },
    {
      kind: 'prompt',
      nativeName: 'beforeSubmitPrompt',
      entry: 'before-submit-prompt',
      timeout: { value: 20, unit: 'seconds' },
    },
    // The one gate that runs for every tool in every mode and carries notes to the model. `beforeShellExecution` and
    // `beforeReadFile` would run beside it for the same call and have no channel for a note.
    {
      kind: 'tool-guard',
      nativeName: 'preToolUse',
      entry: 'uri-guard',
      matcher: '^(Read|Grep|Glob|LS|Write|StrReplace|Delete|Shell)$',
      timeout: { value: 5, unit: 'seconds' },
      silence: ALLOWED,
    },
    {
      kind: 'answer',
      nativeName: 'afterAgentResponse',
      entry: 'after-agent-response',
      timeout: { value: 10, unit: 'seconds' },
    },
    { kind: 'turn-end', nativeName: 'stop', entry: 'stop', timeout: { value: 30, unit: 'seconds' } },
    // `subagentStart` is a gate without a channel to the model: there is nothing to win and a subagent to lose.
    { kind: 'turn-end', nativeName: 'subagentStop', entry: 'subagent-stop', timeout: { value: 30, unit: 'seconds' } },
    { kind: 'pre-compact', nativeName: 'preCompact', entry: 'pre-compact', timeout: { value: 30, unit: 'seconds' } },
    // Never comes when a window is closed: a bonus, on which nothing relies.
    { kind: 'session-end', nativeName: 'sessionEnd', entry: 'session-end', timeout: { value: 30, unit: 'seconds' } },
  ],
  // No text has more UTF-16 units than UTF-8 bytes.
  contextMaxBytes: CONTEXT_MAX_LENGTH,
  commitAt: 'session-end',
};
