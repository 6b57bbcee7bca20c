/**
 * How TRAE reads its hook file: a second, independent reading of the client's rules. The harness has its own; if both came
 * from one piece of code, a misunderstanding would agree with itself and no hook would ever run.
 *
 * Facts: https://docs.trae.cn/ide_hook-configuration-reference (version 1 and command handlers, also where a file states
 * neither; six events; seconds; the hooks in the settings files of Claude Code run as well).
 */
import { isObject } from '@openviking/memory-core/testing';

export type TraeEvent = 'SessionStart' | 'UserPromptSubmit' | 'PreToolUse' | 'PostToolUse' | 'Stop' | 'Notification';

const EVENTS: readonly TraeEvent[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'Notification',
];
/** Elsewhere a matcher is not looked at. */
const MATCHED: ReadonlySet<TraeEvent> = new Set(['PreToolUse', 'PostToolUse', 'Notification']);
const DEFAULT_TIMEOUT_S = 30;

export interface TraeHandler {
  /** A line for the shell. */
  readonly command: string;
  readonly timeoutMs: number;
}

export interface TraeGroup {
  /** Absent: everything. */
  readonly matcher?: string;
  readonly handlers: readonly TraeHandler[];
}

export interface TraeHooks {
  readonly events: ReadonlyMap<TraeEvent, readonly TraeGroup[]>;
  /** What stands in the file and is never run, as dotted places. */
  readonly ignored: readonly string[];
}

export const NO_HOOKS: TraeHooks = { events: new Map(), ignored: [] };

/** What the client makes of the text of `hooks.json`. */
export function readTraeHooks(text: string): TraeHooks {
  const ignored: string[] = [];
  const whole = (where: string): TraeHooks => ({ events: new Map(), ignored: [where] });
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return whole('file');
  }
  if (!isObject(root) || (root['version'] ?? 1) !== 1) return whole('version');
  return readEvents(root['hooks'], ignored);
}

/** What it takes from the text of one of Claude Code's settings files: the hooks under names that it has itself. */
export function readClaudeHooks(text: string): TraeHooks {
  try {
    const root: unknown = JSON.parse(text);
    return isObject(root) ? readEvents(root['hooks'], []) : NO_HOOKS;
  } catch {
    return NO_HOOKS;
  }
}

function readEvents(hooks: unknown, ignored: string[]): TraeHooks {
  if (hooks === undefined) return NO_HOOKS;
  if (!isObject(hooks)) return { events: new Map(), ignored: ['hooks'] };
  const events = new Map<TraeEvent, readonly TraeGroup[]>();
  for (const [name, groups] of Object.entries(hooks)) {
    const event = EVENTS.find((known) => known === name);
    if (event === undefined || !Array.isArray(groups)) {
      ignored.push(`hooks.${name}`);
      continue;
    }
    events.set(
      event,
      groups.flatMap((group, index) => readGroup(event, group, `hooks.${name}[${index}]`, ignored)),
    );
  }
  return { events, ignored };
}

function readGroup(event: TraeEvent, group: unknown, where: string, ignored: string[]): readonly TraeGroup[] {
  if (!isObject(group) || !Array.isArray(group['hooks'])) {
    ignored.push(where);
    return [];
  }
  const handlers = group['hooks'].flatMap((handler: unknown, index): readonly TraeHandler[] => {
    const command = isObject(handler) && (handler['type'] ?? 'command') === 'command' ? handler['command'] : undefined;
    const timeout = isObject(handler) ? (handler['timeout'] ?? DEFAULT_TIMEOUT_S) : undefined;
    if (typeof command === 'string' && command.trim() !== '' && typeof timeout === 'number' && timeout > 0) {
      return [{ command, timeoutMs: timeout * 1_000 }];
    }
    ignored.push(`${where}.hooks[${index}]`);
    return [];
  });
  const matcher = MATCHED.has(event) ? group['matcher'] : undefined;
  return [{ handlers, ...(typeof matcher === 'string' && matcher !== '' ? { matcher } : {}) }];
}

/** True where a group's matcher lets this tool through. */
export function matcherApplies(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === '*') return true;
  try {
    return new RegExp(`^(?:${matcher})$`).test(tool);
  } catch {
    return false;
  }
}
