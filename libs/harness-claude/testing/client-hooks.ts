/**
 * Which hooks Claude Code runs: a second, independent reading of the client's rules. The harness has its own; if both came
 * from one piece of code, a misunderstanding would agree with itself and no hook would run in the real client.
 *
 * Facts: client 2.1.332, each rule tried with a hook that leaves a mark, see also https://code.claude.com/docs/en/hooks.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@openviking/memory-core/testing';

/** The events of the client that are played here; a name outside this list is skipped, as an unknown one is there. */
export const CLAUDE_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'SessionEnd',
] as const;
export type ClaudeEvent = (typeof CLAUDE_EVENTS)[number];

export interface ClaudeHandler {
  /** A line for a shell. */
  readonly command: string;
  /** As it is written; absent: the client's default for the event. */
  readonly timeoutSeconds?: number;
  readonly matcher?: string;
  /** Folder of the plugin that brings it. */
  readonly pluginRoot?: string;
}

export interface ClientHooks {
  readonly handlers: ReadonlyMap<ClaudeEvent, readonly ClaudeHandler[]>;
  /** What the client says at its start about entries that it leaves out. */
  readonly complaints: readonly string[];
}

/** Where the client's own files are. */
export function configFolder(home: string, env: Readonly<Record<string, string | undefined>> = {}): string {
  return env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude');
}

/** Reads the user's settings, and the plugins that they switch on. */
export function readClientHooks(folder: string): ClientHooks {
  const handlers = new Map<ClaudeEvent, ClaudeHandler[]>();
  const complaints: string[] = [];
  const settings = readJson(join(folder, 'settings.json'), complaints);
  if (settings === undefined || settings['disableAllHooks'] === true) return { handlers, complaints };
  collect(settings['hooks'], 'settings.json', {}, handlers, complaints);
  for (const root of enabledPlugins(settings, complaints)) {
    const file = readJson(join(root, 'hooks', 'hooks.json'), complaints);
    if (file !== undefined) collect(file['hooks'], root, { pluginRoot: root }, handlers, complaints);
  }
  return { handlers, complaints };
}

/** Plain JSON only; a byte order mark is tolerated. A file that does not parse counts for nothing as a whole. */
function readJson(path: string, complaints: string[]): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    complaints.push(`${path}: Invalid or malformed JSON`);
    return undefined;
  }
}

/** Folders of the plugins that are on: a directory marketplace's plugin runs from that directory. */
function enabledPlugins(settings: Readonly<Record<string, unknown>>, complaints: string[]): readonly string[] {
  const enabled = isObject(settings['enabledPlugins']) ? settings['enabledPlugins'] : {};
  const known = isObject(settings['extraKnownMarketplaces']) ? settings['extraKnownMarketplaces'] : {};
  return Object.entries(enabled).flatMap(([id, isOn]) => {
    if (isOn !== true) return [];
    const [name, marketplace = ''] = id.split('@');
    const entry = known[marketplace];
    const source = isObject(entry) && isObject(entry['source']) ? entry['source'] : {};
    const folder = source['source'] === 'directory' ? source['path'] : undefined;
    const list =
      typeof folder === 'string' ? readJson(join(folder, '.claude-plugin/marketplace.json'), complaints) : undefined;
    const plugins: readonly unknown[] = Array.isArray(list?.['plugins']) ? list['plugins'] : [];
    const plugin = plugins.find((candidate) => isObject(candidate) && candidate['name'] === name);
    const place = isObject(plugin) ? plugin['source'] : undefined;
    if (typeof folder !== 'string' || typeof place !== 'string') {
      complaints.push(`${id} failed to load`);
      return [];
    }
    const root = join(folder, place);
    if (readJson(join(root, '.claude-plugin/plugin.json'), complaints)?.['name'] === name) return [root];
    complaints.push(`${id} failed to load`);
    return [];
  });
}

function collect(
  hooks: unknown,
  source: string,
  origin: Pick<ClaudeHandler, 'pluginRoot'>,
  handlers: Map<ClaudeEvent, ClaudeHandler[]>,
  complaints: string[],
): void {
  if (hooks === undefined) return;
  if (!isObject(hooks)) return void complaints.push(`${source}: "hooks" must be an object`);
  for (const [event, groups] of Object.entries(hooks)) {
    const known = CLAUDE_EVENTS.find((name) => name === event);
    if (known === undefined) complaints.push(`${source}: Unknown hook event "${event}" was ignored`);
    else if (!Array.isArray(groups)) complaints.push(`${source}: Hook event "${event}" must be an array`);
    else {
      for (const group of groups as readonly unknown[]) {
        const found = readGroup(group, `${source} (${event})`, complaints).map((handler) => ({
          ...handler,
          ...origin,
        }));
        handlers.set(known, [...(handlers.get(known) ?? []), ...found]);
      }
    }
  }
}

function readGroup(group: unknown, where: string, complaints: string[]): readonly ClaudeHandler[] {
  if (!isObject(group) || !Array.isArray(group['hooks'])) {
    complaints.push(`${where}: Hook matcher "hooks" must be an array`);
    return [];
  }
  const matcher = group['matcher'];
  if (matcher !== undefined && typeof matcher !== 'string') {
    complaints.push(`${where}: Invalid hook matcher`);
    return [];
  }
  return (group['hooks'] as readonly unknown[]).flatMap((handler): ClaudeHandler[] => {
    const fields = isObject(handler) ? handler : {};
    const { type, command, timeout } = fields as { type?: unknown; command?: unknown; timeout?: unknown };
    const hasTimeout = timeout !== undefined;
    if (
      type !== 'command' ||
      typeof command !== 'string' ||
      (hasTimeout && !(typeof timeout === 'number' && timeout > 0))
    ) {
      complaints.push(`${where}: Invalid command hook`);
      return [];
    }
    return [
      {
        command,
        ...(typeof timeout === 'number' ? { timeoutSeconds: timeout } : {}),
        ...(matcher === undefined ? {} : { matcher }),
      },
    ];
  });
}

/** Whether a group is meant for a subject (a tool, the source of a session's start, …). No matcher, `""` and `*`: all. */
export function matches(matcher: string | undefined, subject: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(subject);
  return new RegExp(`^(?:${matcher})$`).test(subject);
}
