/**
 * The one declaration of every setting. Loader, known-key check, reference tables and JSON Schemas are projections of it,
 * so that a setting cannot exist in one of them and be unknown to another. Help texts live in `help.ts`, out of the hook.
 */
import type { SettingName, Settings } from '../contract/settings.ts';

interface Declared<Value> {
  readonly default: Value;
  /** Where it is not `OPENVIKING_` and the name in capitals. */
  readonly environment?: string;
  /** Older names of the variable; the current one wins. */
  readonly olderEnvironment?: readonly string[];
  /** Older spellings in files; the current one wins. */
  readonly older?: readonly string[];
  /** Where a workspace file keeps it: `section.key`. Absent: a workspace file cannot set it. */
  readonly workspace?: string;
  /** Fields at the top level of ovcli.conf that mean the same, best first. */
  readonly ovcli?: readonly string[];
  /** The value must not be printed. */
  readonly secret?: true;
}

export interface BooleanSetting extends Declared<boolean> {
  readonly type: 'boolean';
}

export interface NumberSetting<Value extends number | undefined = number | undefined> extends Declared<Value> {
  readonly type: 'integer' | 'number';
  readonly min: number;
  /** Absent: no upper bound. */
  readonly max?: number;
  /** `off` and `false` mean 0. */
  readonly offIsZero?: true;
}

export interface EnumSetting<Value extends string | undefined = string | undefined> extends Declared<Value> {
  readonly type: 'enum';
  readonly members: readonly Exclude<Value, undefined>[];
}

export interface TextSetting<Value extends string | undefined = string | undefined> extends Declared<Value> {
  /** A `path` may start with `~`, must be absolute otherwise; `<harness>` in its default becomes the client id. */
  readonly type: 'text' | 'path';
}

/** Union over layers; `filters` differ from `list` only in how the environment form is split. */
export interface ListSetting extends Declared<readonly string[]> {
  readonly type: 'list' | 'filters';
}

/** Merged name by name over layers. */
export interface MapSetting extends Declared<Readonly<Record<string, string>>> {
  readonly type: 'map';
}

/** One text or a list of alternatives; the strongest layer's wins whole. */
export interface AlternativesSetting extends Declared<string | readonly string[]> {
  readonly type: 'alternatives';
}

export type Declaration =
  BooleanSetting | NumberSetting | EnumSetting | TextSetting | ListSetting | MapSetting | AlternativesSetting;

/** The kind of declaration that yields exactly this type of value. */
type DeclarationOf<Value> = [Value] extends [boolean]
  ? BooleanSetting
  : [Value] extends [number | undefined]
    ? NumberSetting<Value>
    : [Value] extends [readonly string[]]
      ? ListSetting
      : [Value] extends [string | undefined]
        ? string extends Value
          ? TextSetting<Value>
          : EnumSetting<Value>
        : [Value] extends [string | readonly string[]]
          ? AlternativesSetting
          : MapSetting;

// Two thirds of the table by way of these: written out, every hook would carry the same words forty times.
const boolean = (fallback: boolean, more?: Partial<BooleanSetting>): BooleanSetting => ({
  type: 'boolean',
  default: fallback,
  ...more,
});
const integer = <Value extends number | undefined>(
  fallback: Value,
  more?: Partial<NumberSetting<Value>>,
): NumberSetting<Value> => ({ type: 'integer', default: fallback, min: 0, ...more });
const list = (type: ListSetting['type'], more?: Partial<ListSetting>): ListSetting => ({ type, default: [], ...more });

export const SETTINGS: { readonly [Name in SettingName]: DeclarationOf<Settings[Name]> } = {
  enabled: boolean(true, { environment: 'OPENVIKING_MEMORY_ENABLED' }),
  timeoutMs: integer(15_000, { min: 1_000, max: 300_000, older: ['requestTimeoutMs'] }),
  authMode: { type: 'enum', members: ['', 'trusted', 'api_key'], default: '', ovcli: ['auth_mode'] },
  extraHeaders: { type: 'map', default: {}, ovcli: ['extra_headers', 'extra_header'], secret: true },
  caFile: { type: 'path', default: undefined },

  peerId: {
    type: 'text',
    default: undefined,
    workspace: 'peer.id',
    ovcli: ['actor_peer_id', 'peer_id', 'agent_id'],
  },
  peerSource: { type: 'alternatives', default: 'git', workspace: 'peer.source' },
  workspacePeer: boolean(true),

  autoRecall: boolean(true, { workspace: 'recall.enabled' }),
  recallLimit: integer(undefined, { min: 1, max: 100, workspace: 'recall.max_items' }),
  scoreThreshold: {
    type: 'number',
    default: 0.35,
    min: 0,
    max: 1,
    older: ['recallScoreThreshold'],
    workspace: 'recall.score_threshold',
  },
  minQueryLength: integer(3, { older: ['recallMinQueryLength'] }),
  recallPeerScope: { type: 'enum', members: ['all', 'actor'], default: 'all', workspace: 'recall.peer_scope' },
  recallDedupTurns: integer(5, { max: 20, workspace: 'recall.dedup_turns' }),
  recallMaxTokens: integer(undefined, { min: 1 }),
  recallQueryExpansion: { type: 'enum', members: ['auto', 'off'], default: undefined },
  recallContextTimeoutMs: integer(0),
  recallRewrite: {
    type: 'enum',
    members: ['off', 'server', 'auto', 'client'],
    default: 'off',
    environment: 'OPENVIKING_RECALL_COMPRESS',
    olderEnvironment: ['OPENVIKING_RECALL_REWRITE'],
    older: ['recallCompress'],
  },
  recallCompressMaxBullets: integer(undefined, { min: 1 }),
  recallExcludeUris: list('list'),
  recallQueryFilters: list('filters'),
  recallTokenBudget: integer(2_000, { older: ['recallBudget'] }),
  recallMaxContentChars: integer(500),
  recallPreferAbstract: boolean(true),

  autoCapture: boolean(true, { older: ['syncTurns'], workspace: 'capture.enabled' }),
  captureAssistantTurns: boolean(true),
  // A client whose own record pairs a tool call with its result has this on by default.
  captureToolResults: boolean(false),
  captureMaxLength: integer(24_000),
  captureToolMaxChars: integer(1_000_000),
  captureFilters: list('filters'),
  redactSecrets: boolean(true),
  commitTokenThreshold: integer(20_000, { min: 1_000, max: 1_000_000, workspace: 'capture.commit_token_threshold' }),
  // The server takes 0 to 10,000. A client that commits at every turn end keeps nothing back by default: a short
  // conversation would never become memory.
  commitKeepRecentCount: integer(10, { max: 10_000 }),
  commitTurnThreshold: integer(8),
  commitIdleTimeoutSeconds: integer(3_600, { offIsZero: true }),
  writePathAsync: boolean(true),

  noAutoInject: boolean(false),
  profileTokenBudget: integer(10_000, { min: 500, max: 50_000, older: ['profileBudget'] }),
  skillCatalog: boolean(true),
  skillCatalogTokenBudget: integer(1_200),
  // Clients that drop a larger context, or move it into a file that the model rarely opens, have a limit by default.
  sessionStartMaxBytes: integer(0),
  resumeArchiveInject: boolean(true),
  resumeArchiveTokenBudget: integer(32_000),
  skipSubagentSessions: boolean(false),
  bypassSession: boolean(false),
  bypassSessionPatterns: list('list', { older: ['bypassPatterns'], workspace: 'bypass.session_patterns' }),

  spoolDir: { type: 'path', default: '~/.openviking/spool' },
  spoolMaxBytes: integer(268_435_456),
  spoolMaxAgeDays: integer(0),

  debug: boolean(false),
  debugLogPath: {
    type: 'path',
    default: '~/.openviking/logs/<harness>.log',
    environment: 'OPENVIKING_DEBUG_LOG',
  },
  logLevel: { type: 'enum', members: ['silent', 'error', 'info'], default: 'error' },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The declaration without its precise value type, for code that treats all settings alike. */
export function declarationOf(name: SettingName): Declaration {
  return SETTINGS[name];
}

/** The environment variable of a setting: `recallLimit` → `OPENVIKING_RECALL_LIMIT`. */
export function environmentVariable(name: SettingName): string {
  return SETTINGS[name].environment ?? `OPENVIKING_${name.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()}`;
}

/** The one version of the workspace file format. */
export const WORKSPACE_VERSION = 1;

/** The free part of a workspace file: kept, never interpreted. */
export const WORKSPACE_LABELS = 'labels';

/** First element of a list that drops what weaker layers gave. */
export const RESET = '!reset';

/** Credentials that the `plugin` section may hold, with their other spellings. */
export const PLUGIN_CREDENTIALS = {
  apiKey: [],
  account: ['accountId'],
  user: ['userId'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type PluginCredential = keyof typeof PLUGIN_CREDENTIALS;
