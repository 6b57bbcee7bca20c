/** The shapes that the settings loader yields. Meaning, default and bounds of each setting: `settings/schema.ts`. */
import type { Finding } from './finding.ts';

export interface Settings {
  enabled: boolean;
  timeoutMs: number;
  authMode: '' | 'trusted' | 'api_key';
  extraHeaders: Readonly<Record<string, string>>;
  caFile: string | undefined;

  peerId: string | undefined;
  peerSource: string | readonly string[];
  workspacePeer: boolean;

  autoRecall: boolean;
  recallLimit: number | undefined;
  scoreThreshold: number;
  minQueryLength: number;
  recallPeerScope: 'all' | 'actor';
  recallDedupTurns: number;
  recallMaxTokens: number | undefined;
  recallQueryExpansion: 'auto' | 'off' | undefined;
  recallContextTimeoutMs: number;
  recallRewrite: 'off' | 'server' | 'auto' | 'client';
  recallCompressMaxBullets: number | undefined;
  recallExcludeUris: readonly string[];
  recallQueryFilters: readonly string[];
  recallTokenBudget: number;
  recallMaxContentChars: number;
  recallPreferAbstract: boolean;

  autoCapture: boolean;
  captureAssistantTurns: boolean;
  captureToolResults: boolean;
  captureMaxLength: number;
  captureToolMaxChars: number;
  captureFilters: readonly string[];
  redactSecrets: boolean;
  commitTokenThreshold: number;
  commitKeepRecentCount: number;
  commitTurnThreshold: number;
  /** 0 switches the idle commit off. */
  commitIdleTimeoutSeconds: number;
  writePathAsync: boolean;

  noAutoInject: boolean;
  profileTokenBudget: number;
  skillCatalog: boolean;
  skillCatalogTokenBudget: number;
  /** 0 = no limit of ours. */
  sessionStartMaxBytes: number;
  resumeArchiveInject: boolean;
  resumeArchiveTokenBudget: number;
  skipSubagentSessions: boolean;
  bypassSession: boolean;
  bypassSessionPatterns: readonly string[];

  spoolDir: string;
  spoolMaxBytes: number;
  /** 0 = keep. */
  spoolMaxAgeDays: number;

  debug: boolean;
  debugLogPath: string | undefined;
  logLevel: 'silent' | 'error' | 'info';
}

export type SettingName = keyof Settings;

/** Who set a value: a layer and, for files, which one. */
export interface Provenance {
  readonly layer:
    | 'environment'
    | 'workspace-registry'
    | 'workspace-local'
    | 'workspace'
    | 'ovcli-harness'
    | 'ovcli'
    | 'ov-conf'
    | 'default';
  readonly file?: string;
  /** The spelling that was found there, for example `OPENVIKING_RECALL_LIMIT` or `plugin.syncTurns`. */
  readonly key?: string;
}

/** Where the server is and with what to greet it. */
export interface Connection {
  /** Without trailing slash. */
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly apiKey?: string;
  readonly account?: string;
  readonly user?: string;
  /** Resolved: account and user headers are sent in `trusted` only. */
  readonly authMode: 'trusted' | 'api_key';
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly caFile?: string;
  /** Where URL and key came from, for doctor; never contains a value. */
  readonly source: { readonly url: string; readonly apiKey: string };
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly provenance: Readonly<Partial<Record<SettingName, Provenance>>>;
  readonly connection: Connection;
  readonly findings: readonly Finding[];
}

/** What the settings and workspace code may look at: handed in, so that tests and `--home` decide. */
export interface SettingsContext {
  readonly harness: string;
  /** `settingDefaults` of the harness: they stand in for the built-in ones. */
  readonly defaults?: Readonly<Partial<Settings>> | undefined;
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
