/**
 * How Cursor takes a `hooks.json`. Two programs read the same file and forgive differently: the editor passes over what it
 * does not know, cursor-agent drops the whole file for one unknown event name, and neither says a word.
 *
 * Facts: cursor.com/docs/hooks; cursor-agent 2026.09.10 as measured in github.com/receptron/mulmoterminal (issue 2064).
 * What is not known about the programs is read in the strictest way here.
 */

export const CURSOR_EVENTS = [
  'sessionStart',
  'sessionEnd',
  'beforeSubmitPrompt',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'subagentStart',
  'subagentStop',
  'beforeShellExecution',
  'afterShellExecution',
  'beforeMCPExecution',
  'afterMCPExecution',
  'beforeReadFile',
  'afterFileEdit',
  'afterAgentResponse',
  'afterAgentThought',
  'preCompact',
  'stop',
] as const;
export type CursorEvent = (typeof CURSOR_EVENTS)[number];

/** The editor's agent, or the program in a terminal. */
export type CursorProgram = 'editor' | 'agent';

export interface CursorHook {
  readonly command: string;
  readonly timeoutMs: number;
  readonly matcher: RegExp | undefined;
  readonly failClosed: boolean;
  /** Claude Code's settings, of which Cursor runs the hooks as well. */
  readonly origin: 'cursor' | 'claude';
}

export type CursorHooks = ReadonlyMap<CursorEvent, readonly CursorHook[]>;

export type HooksReading =
  { readonly kind: 'read'; readonly hooks: CursorHooks } | { readonly kind: 'dropped'; readonly reason: string };

const KEYS = new Set(['command', 'type', 'prompt', 'timeout', 'matcher', 'failClosed', 'loop_limit']);
const DEFAULT_TIMEOUT_MS = 60_000;

/** Reads the text of a `hooks.json`. */
export function readHooksFile(text: string, program: CursorProgram): HooksReading {
  const dropped = (reason: string): HooksReading => ({ kind: 'dropped', reason });
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return dropped(`no JSON: ${String(error)}`);
  }
  if (!isRecord(file)) return dropped('no object');
  if (file['version'] !== 1) return dropped('version is not the number 1');
  const events = file['hooks'] ?? {};
  if (!isRecord(events)) return dropped('hooks is no object');
  const hooks = new Map<CursorEvent, readonly CursorHook[]>();
  for (const [name, list] of Object.entries(events)) {
    const event = CURSOR_EVENTS.find((known) => known === name);
    if (event === undefined) {
      if (program === 'agent') return dropped(`unknown event ${name}`);
      continue;
    }
    const read = Array.isArray(list) ? list.map(readHook) : [undefined];
    if (program === 'agent' && read.includes(undefined)) return dropped(`a bad entry in ${name}`);
    hooks.set(
      event,
      read.filter((hook) => hook !== undefined),
    );
  }
  return { kind: 'read', hooks };
}

function readHook(entry: unknown): CursorHook | undefined {
  if (!isRecord(entry) || Object.keys(entry).some((key) => !KEYS.has(key))) return undefined;
  const { command, timeout, matcher, failClosed } = entry;
  if (entry['type'] !== undefined && entry['type'] !== 'command') return undefined;
  if (typeof command !== 'string' || command === '') return undefined;
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) return undefined;
  if (matcher !== undefined && typeof matcher !== 'string') return undefined;
  if (failClosed !== undefined && typeof failClosed !== 'boolean') return undefined;
  return {
    command,
    // Seconds: an entry of 5000 would wait for more than an hour.
    timeoutMs: timeout === undefined ? DEFAULT_TIMEOUT_MS : timeout * 1000,
    matcher: matcher === undefined || matcher === '' || matcher === '*' ? undefined : new RegExp(matcher),
    failClosed: failClosed === true,
    origin: 'cursor',
  };
}

/** Claude Code's names of events and tools, and what Cursor runs and calls them. */
const CLAUDE_EVENTS: Readonly<Record<string, CursorEvent>> = {
  SessionStart: 'sessionStart',
  SessionEnd: 'sessionEnd',
  UserPromptSubmit: 'beforeSubmitPrompt',
  PreToolUse: 'preToolUse',
  PostToolUse: 'postToolUse',
  PreCompact: 'preCompact',
  SubagentStop: 'subagentStop',
  Stop: 'stop',
};
const CLAUDE_TOOLS: Readonly<Record<string, string>> = { Bash: 'Shell', Edit: 'StrReplace', MultiEdit: 'StrReplace' };

/** The hooks of a `~/.claude/settings.json`, as Cursor runs them: by command line alone, without other arguments. */
export function readClaudeSettings(text: string): CursorHooks {
  const hooks = new Map<CursorEvent, CursorHook[]>();
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    return hooks;
  }
  const events = isRecord(settings) && isRecord(settings['hooks']) ? settings['hooks'] : {};
  for (const [name, groups] of Object.entries(events)) {
    const event = CLAUDE_EVENTS[name];
    if (event === undefined || !Array.isArray(groups)) continue;
    for (const group of groups.filter(isRecord)) {
      const entries = Array.isArray(group['hooks']) ? group['hooks'].filter(isRecord) : [];
      for (const { command, timeout } of entries) {
        if (typeof command !== 'string') continue;
        const hook: CursorHook = {
          command,
          timeoutMs: typeof timeout === 'number' ? timeout * 1000 : DEFAULT_TIMEOUT_MS,
          matcher: toolMatcher(group['matcher']),
          failClosed: false,
          origin: 'claude',
        };
        hooks.set(event, [...(hooks.get(event) ?? []), hook]);
      }
    }
  }
  return hooks;
}

function toolMatcher(matcher: unknown): RegExp | undefined {
  if (typeof matcher !== 'string' || matcher === '' || matcher === '*') return undefined;
  const names = matcher.split('|').flatMap((name) => [name, CLAUDE_TOOLS[name] ?? name]);
  return new RegExp(`^(?:${names.join('|')})$`);
}

/** Both together. One command line runs once, whoever asked for it. */
export function mergeHooks(own: CursorHooks, imported: CursorHooks): CursorHooks {
  const merged = new Map<CursorEvent, readonly CursorHook[]>(own);
  for (const [event, hooks] of imported) {
    const present = own.get(event) ?? [];
    const added = hooks.filter(({ command }) => !present.some((hook) => hook.command === command));
    merged.set(event, [...present, ...added]);
  }
  return merged;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
