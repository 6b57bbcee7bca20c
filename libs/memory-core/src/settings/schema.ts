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

export const SETTINGS: { readonly [Name in SettingName]: DeclarationOf<Settings[Name]> } = {
  enabled: { type: 'boolean', default: true, environment: 'OPENVIKING_MEMORY_ENABLED' },
  timeoutMs: { type: 'integer', default: 15_000, min: 1_000, max: 300_000, older: ['requestTimeoutMs'] },
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
  workspacePeer: { type: 'boolean', default: true },

  autoRecall: { type: 'boolean', default: true, workspace: 'recall.enabled' },
  recallLimit: { type: 'integer', default: undefined, min: 1, max: 100, workspace: 'recall.max_items' },
  scoreThreshold: {
    type: 'number',
    default: 0.35,
    min: 0,
    max: 1,
    older: ['recallScoreThreshold'],
    workspace: 'recall.score_threshold',
  },
  minQueryLength: { type: 'integer', default: 3, min: 0, older: ['recallMinQueryLength'] },
  recallPeerScope: { type: 'enum', members: ['all', 'actor'], default: 'all', workspace: 'recall.peer_scope' },
  recallDedupTurns: { type: 'integer', default: 5, min: 0, max: 20, workspace: 'recall.dedup_turns' },
  recallMaxTokens: { type: 'integer', default: undefined, min: 1 },
  recallQueryExpansion: { type: 'enum', members: ['auto', 'off'], default: undefined },
  recallContextTimeoutMs: { type: 'integer', default: 0, min: 0 },
  recallRewrite: {
    type: 'enum',
    members: ['off', 'server', 'auto', 'client'],
    default: 'off',
    environment: 'OPENVIKING_RECALL_COMPRESS',
    olderEnvironment: ['OPENVIKING_RECALL_REWRITE'],
    older: ['recallCompress'],
  },
  recallCompressMaxBullets: { type: 'integer', default: undefined, min: 1 },
  recallExcludeUris: { type: 'list', default: [] },
  recallQueryFilters: { type: 'filters', default: [] },
  recallTokenBudget: { type: 'integer', default: 2_000, min: 0, older: ['recallBudget'] },
  recallMaxContentChars: { type: 'integer', default: 500, min: 0 },
  recallPreferAbstract: { type: 'boolean', default: true },

  autoCapture: { type: 'boolean', default: true, older: ['syncTurns'], workspace: 'capture.enabled' },
  captureAssistantTurns: { type: 'boolean', default: true },
  // A client whose own record pairs a tool call with its result has this on by default.
  captureToolResults: { type: 'boolean', default: false },
  captureMaxLength: { type: 'integer', default: 24_000, min: 0 },
  captureToolMaxChars: { type: 'integer', default: 1_000_000, min: 0 },
  captureFilters: { type: 'filters', default: [] },
  redactSecrets: { type: 'boolean', default: true },
  commitTokenThreshold: {
    type: 'integer',
    default: 20_000,
    min: 1_000,
    max: 1_000_000,
    workspace: 'capture.commit_token_threshold',
  },
  // The server takes 0 to 10,000. A client that commits at every turn end keeps nothing back by default: a short
  // conversation would never become memory.
  commitKeepRecentCount: { type: 'integer', default: 10, min: 0, max: 10_000 },
  commitTurnThreshold: { type: 'integer', default: 8, min: 0 },
  commitIdleTimeoutSeconds: { type: 'integer', default: 3_600, min: 0, offIsZero: true },
  writePathAsync: { type: 'boolean', default: true },

  noAutoInject: { type: 'boolean', default: false },
  profileTokenBudget: { type: 'integer', default: 10_000, min: 500, max: 50_000, older: ['profileBudget'] },
  skillCatalog: { type: 'boolean', default: true },
  skillCatalogTokenBudget: { type: 'integer', default: 1_200, min: 0 },
  // Clients that drop a larger context, or move it into a file that the model rarely opens, have a limit by default.
  sessionStartMaxBytes: { type: 'integer', default: 0, min: 0 },
  resumeArchiveInject: { type: 'boolean', default: true },
  resumeArchiveTokenBudget: { type: 'integer', default: 32_000, min: 0 },
  skipSubagentSessions: { type: 'boolean', default: false },
  bypassSession: { type: 'boolean', default: false },
  bypassSessionPatterns: {
    type: 'list',
    default: [],
    older: ['bypassPatterns'],
    workspace: 'bypass.session_patterns',
  },

  spoolDir: { type: 'path', default: '~/.openviking/spool' },
  spoolMaxBytes: { type: 'integer', default: 268_435_456, min: 0 },
  spoolMaxAgeDays: { type: 'integer', default: 0, min: 0 },

  debug: { type: 'boolean', default: false },
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
