/**
 * How ZCode reads its user configuration: a second, independent reading of the client's rules. The harness has its own;
 * if both came from one piece of code, a misunderstanding would agree with itself and the client would drop the file in
 * silence.
 *
 * Facts: ZCode runtime 0.16.9 (`adapters/src/config`), see also https://zcode.z.ai/en/docs/hooks.
 */
import { isObject } from '@openviking/memory-core/testing';

/** The seven events of the client. */
export const ZCODE_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
] as const;
export type ZcodeEvent = (typeof ZCODE_EVENTS)[number];

export interface ZcodeHandler {
  readonly type: 'command' | 'process';
  readonly command: string;
  /** Only for `process`. */
  readonly args: readonly string[];
  /** In ms, as the client resolves it. */
  readonly timeoutMs: number;
  readonly async: boolean;
}

export interface ZcodeGroup {
  readonly matcher?: string;
  readonly handlers: readonly ZcodeHandler[];
}

export interface ZcodeMcpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** What the client goes by after it has read the file. */
export interface ZcodeConfig {
  /** `hooks.enabled`; a missing value means that no hook runs. */
  readonly hooksEnabled: boolean;
  readonly maxOutputBytes: number;
  readonly events: ReadonlyMap<ZcodeEvent, readonly ZcodeGroup[]>;
  readonly mcpServers: ReadonlyMap<string, ZcodeMcpServer>;
}

export type ZcodeConfigReading =
  | { readonly kind: 'read'; readonly config: ZcodeConfig }
  /** The client goes on as if there were no file: no hooks, no MCP servers, no plugins, and no message. */
  | { readonly kind: 'dropped'; readonly reason: string };

export interface ZcodeConfigOptions {
  /** Runtimes before 0.16.9 do not know `type: "process"`. */
  readonly knowsProcessHandlers: boolean;
}

/** How the client takes a missing file. */
export const EMPTY_ZCODE_CONFIG: ZcodeConfig = {
  hooksEnabled: false,
  maxOutputBytes: 32_768,
  events: new Map(),
  mcpServers: new Map(),
};

const DEFAULT_TIMEOUT_MS = 60_000;

type JsonRecord = Readonly<Record<string, unknown>>;

class Dropped extends Error {}

/** Reads the text of `config.json` as the client does. */
export function readZcodeConfig(
  text: string,
  options: ZcodeConfigOptions = { knowsProcessHandlers: true },
): ZcodeConfigReading {
  try {
    return { kind: 'read', config: read(text, options) };
  } catch (error) {
    if (error instanceof Dropped) return { kind: 'dropped', reason: error.message };
    throw error;
  }
}

function read(text: string, options: ZcodeConfigOptions): ZcodeConfig {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    // A byte order mark, a comment, a trailing comma and an empty file all end here.
    throw new Dropped(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(root)) throw new Dropped('the root is not an object');
  checkKnownValue(root, ['ui', 'locale'], ['en', 'zh', 'en-US', 'zh-CN', 'system', 'auto']);
  checkKnownValue(root, ['logging', 'level'], ['debug', 'info', 'warn', 'error']);
  const mcpServers = readMcpServers(root['mcp']);
  if (!('hooks' in root)) return { ...EMPTY_ZCODE_CONFIG, mcpServers };

  const hooks = strict(root['hooks'], 'hooks', ['enabled', 'timeoutMs', 'maxOutputBytes', 'events']);
  const enabled = hooks['enabled'];
  if (enabled !== undefined && typeof enabled !== 'boolean') throw new Dropped('hooks.enabled: not a boolean');
  const timeoutMs = positive(hooks['timeoutMs'], 'hooks.timeoutMs') ?? DEFAULT_TIMEOUT_MS;
  const maxOutputBytes = positive(hooks['maxOutputBytes'], 'hooks.maxOutputBytes') ?? 32_768;
  const events = new Map<ZcodeEvent, readonly ZcodeGroup[]>();
  if ('events' in hooks) {
    const named = strict(hooks['events'], 'hooks.events', ZCODE_EVENTS);
    for (const event of ZCODE_EVENTS) {
      if (!(event in named)) continue;
      const path = `hooks.events.${event}`;
      const groups = named[event];
      if (!Array.isArray(groups)) throw new Dropped(`${path}: not a list`);
      events.set(
        event,
        groups.map((group, index) => readGroup(group, `${path}[${index}]`, timeoutMs, options)),
      );
    }
  }
  return { hooksEnabled: enabled === true, maxOutputBytes, events, mcpServers };
}

function readGroup(value: unknown, path: string, timeoutMs: number, options: ZcodeConfigOptions): ZcodeGroup {
  const group = strict(value, path, ['matcher', 'hooks']);
  const matcher = group['matcher'];
  if ('matcher' in group && (typeof matcher !== 'string' || matcher === '')) {
    throw new Dropped(`${path}.matcher: must be a non-empty string or absent`);
  }
  const hooks = group['hooks'];
  if (!Array.isArray(hooks) || hooks.length === 0) throw new Dropped(`${path}.hooks: a non-empty list is required`);
  const handlers = hooks.flatMap((handler, index) => {
    const one = readHandler(handler, `${path}.hooks[${index}]`, timeoutMs, options);
    return one === undefined ? [] : [one];
  });
  return { handlers, ...(typeof matcher === 'string' ? { matcher } : {}) };
}

/** Undefined for a handler that the client switches off in silence while it keeps the file. */
function readHandler(
  value: unknown,
  path: string,
  fallbackTimeoutMs: number,
  options: ZcodeConfigOptions,
): ZcodeHandler | undefined {
  if (!isObject(value)) throw new Dropped(`${path}: not an object`);
  const { type, command, args, statusMessage } = value as {
    type?: unknown;
    command?: unknown;
    args?: unknown;
    statusMessage?: unknown;
  };
  const known = options.knowsProcessHandlers ? ['command', 'process'] : ['command'];
  if (typeof type !== 'string' || !known.includes(type)) throw new Dropped(`${path}.type: not one of ${known.join()}`);
  if (typeof command !== 'string' || command === '')
    throw new Dropped(`${path}.command: a non-empty string is required`);
  if (statusMessage === '') throw new Dropped(`${path}.statusMessage: must not be empty`);
  const milliseconds = positive(value['timeoutMs'], `${path}.timeoutMs`);
  const seconds = positive(value['timeout'], `${path}.timeout`);
  if (args !== undefined && !isStringList(args)) return undefined;
  // `timeout` in seconds counts for commands only: a process handler that relies on it runs into the default.
  const timeoutMs = milliseconds ?? (type === 'command' && seconds !== undefined ? seconds * 1_000 : fallbackTimeoutMs);
  return {
    type: type === 'process' ? 'process' : 'command',
    command,
    args: isStringList(args) ? args : [],
    timeoutMs,
    async: type === 'command' && value['async'] === true,
  };
}

/** A bad entry drops only itself; a list instead of a map drops all of them. */
function readMcpServers(mcp: unknown): ReadonlyMap<string, ZcodeMcpServer> {
  const servers = new Map<string, ZcodeMcpServer>();
  if (!isObject(mcp) || !isObject(mcp['servers'])) return servers;
  for (const [name, value] of Object.entries(mcp['servers'])) {
    if (!isObject(value)) continue;
    const { type, command, args, env, cwd, enabled } = value as Record<string, unknown>;
    if (type !== undefined && type !== 'stdio') continue;
    if (typeof command !== 'string' || command === '' || enabled === false) continue;
    if (args !== undefined && !isStringList(args)) continue;
    if (env !== undefined && !isStringMap(env)) continue;
    servers.set(name, {
      command,
      args: isStringList(args) ? args : [],
      env: isStringMap(env) ? env : {},
      ...(typeof cwd === 'string' ? { cwd } : {}),
    });
  }
  return servers;
}

function strict(value: unknown, path: string, allowed: readonly string[]): JsonRecord {
  if (!isObject(value)) throw new Dropped(`${path}: not an object`);
  const unknown = Object.keys(value).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw new Dropped(`${path}: unknown key "${unknown}"`);
  return value;
}

function positive(value: unknown, path: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value > 0)) throw new Dropped(`${path}: a positive number is required`);
  return value;
}

/** An invalid value of a key that the client knows drops the file too, although it has nothing to do with hooks. */
function checkKnownValue(root: JsonRecord, path: readonly [string, string], allowed: readonly string[]): void {
  const section = root[path[0]];
  if (!isObject(section)) return;
  const value = section[path[1]];
  if (value !== undefined && !allowed.includes(String(value))) {
    throw new Dropped(`${path.join('.')}: ${JSON.stringify(value)} is no known value`);
  }
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isStringMap(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((item) => typeof item === 'string');
}

/** True where a group's matcher lets this tool (or start source) through. The prompt event has no matcher at all. */
export function matcherApplies(matcher: string | undefined, subject: string): boolean {
  if (matcher === undefined || matcher === '*') return true;
  if (/^[A-Za-z0-9_|]+$/.test(matcher)) return matcher.split('|').includes(subject);
  try {
    return new RegExp(matcher).test(subject);
  } catch {
    return false;
  }
}
