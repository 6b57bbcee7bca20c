/**
 * What the runtime has to know of Claude Code: the part of the declaration that every hook loads. What only the installer
 * needs is in `harness.ts`, so that no prompt pays for it.
 */
import type { HostFacts } from '../vendor/memory-core/hot.ts';

/**
 * Longest context that reaches the model whole, in UTF-16 code units: with one more the client (2.1.332, measured with
 * ASCII, CJK and emoji) writes it to a file and shows the model a path and the first 2 kB.
 */
export const CONTEXT_MAX_LENGTH = 10_000;

/** Kept free of that, for builds that count what they put around it. */
const CONTEXT_MARGIN = 500;

/** Tools that take a path, by the names of this client; MCP tools have other names and are never looked at. */
const GUARDED_TOOLS = 'Read|Glob|Grep|Edit|MultiEdit|Write|NotebookEdit|Bash';

export const hostFacts: HostFacts = {
  id: 'claude',
  name: 'Claude Code',
  sessionPrefix: 'cc-',
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
      matcher: GUARDED_TOOLS,
      timeout: { value: 5, unit: 'seconds' },
    },
    { kind: 'turn-end', nativeName: 'Stop', entry: 'stop', timeout: { value: 30, unit: 'seconds' } },
    { kind: 'pre-compact', nativeName: 'PreCompact', entry: 'pre-compact', timeout: { value: 20, unit: 'seconds' } },
    // Without a time of its own the client gives all handlers of this event 1.5 s together.
    { kind: 'session-end', nativeName: 'SessionEnd', entry: 'session-end', timeout: { value: 10, unit: 'seconds' } },
    {
      kind: 'session-start',
      nativeName: 'SubagentStart',
      entry: 'subagent-start',
      timeout: { value: 20, unit: 'seconds' },
    },
    { kind: 'turn-end', nativeName: 'SubagentStop', entry: 'subagent-stop', timeout: { value: 30, unit: 'seconds' } },
  ],
  // A byte is at least a character, so this many of them can never be too long.
  contextMaxBytes: CONTEXT_MAX_LENGTH - CONTEXT_MARGIN,
  commitAt: 'session-end',
  showsNotices: true,
  settingDefaults: { captureToolResults: true, sessionStartMaxBytes: CONTEXT_MAX_LENGTH - CONTEXT_MARGIN },
  // Cursor also runs the hooks of Claude Code; it adds its own version to what they get. So does TRAE, with those of the
  // settings files (docs.trae.cn/ide_hook-configuration-reference); which of its two editions runs a hook, no hook can tell.
  yieldsTo: [
    { harness: 'cursor', variable: 'CURSOR_VERSION', payloadKey: 'cursor_version' },
    { harness: 'trae', variable: 'TRAE_PROJECT_DIR' },
    { harness: 'trae-cn', variable: 'TRAE_PROJECT_DIR' },
  ],
};
