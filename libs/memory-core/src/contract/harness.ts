/**
 * The harness declaration: one value per client, read by the installer (what to write where) and by the runtime (how the
 * host behaves). Everything that differs between clients and can be said as data is said here; what cannot is the dialect.
 */
import type { HookEvent, HookEventKind } from './event.ts';
import type { Reply } from './reply.ts';
import type { Settings } from './settings.ts';
import type { TranscriptReader } from './transcript.ts';

/** A text that users read, in both languages. */
export interface Localized {
  readonly en: string;
  readonly zh: string;
}

export interface DocumentationLink {
  readonly title: string;
  readonly url: string;
}

/** A JSON value as configuration files hold it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** One hook of the client. */
export interface EventBinding {
  readonly kind: HookEventKind;
  /** The host's name of the event, for example `UserPromptSubmit`. */
  readonly nativeName: string;
  /** Our entry bundle without extension, and its launcher argument: `user-prompt-submit`. */
  readonly entry: string;
  /** Tool names this event is limited to, in the host's matcher syntax. Absent: everything, and no matcher is written. */
  readonly matcher?: string;
  readonly timeout: { readonly value: number; readonly unit: 'seconds' | 'milliseconds' };
  /**
   * What stdout has to hold when there is nothing to say, whatever the reason: a host that takes an empty answer of a gate
   * for a broken hook stops the user's work. Absent: nothing.
   */
  readonly silence?: string;
}

/** A sign that the client is on this machine. Paths start with `~/` or are absolute. */
export type DetectionProbe =
  | { readonly kind: 'path'; readonly path: string; readonly os?: readonly NodeJS.Platform[] }
  | { readonly kind: 'command'; readonly command: string };

/** Where the version of the client's runtime can be read. With several answers the lowest counts: they share one file. */
export type VersionProbe =
  /** `pattern` is a regular expression over stdout whose first group is the version. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly pattern: string;
      /** Set for the run: what keeps the command from talking to its vendor. */
      readonly variables?: Readonly<Record<string, string>>;
    }
  /** A JSON file with a `version`. */
  | { readonly kind: 'json'; readonly path: string; readonly os?: readonly NodeJS.Platform[] }
  /** An application's `Info.plist`, whose version is that of the application: `implies` maps it to the runtime's. */
  | {
      readonly kind: 'property-list';
      readonly path: string;
      readonly implies: readonly { readonly atLeast: string; readonly runtime: string }[];
    };

/** What the installer knows when it turns the declaration into entries. All paths absolute. */
export interface WiringContext {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** With `--home`, without the variables that point outside of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The launcher: a command whose name never changes between versions; its first argument names the entry. */
  readonly launcher: string;
  /** Version of the client's runtime, when it could be read. */
  readonly clientVersion?: string;
  /** Compatible commands that the user named (`--<client>-bin`); absent: the client's usual one. */
  readonly commands?: readonly string[];
  /** Which of the commands have plugins; absent: none was asked. */
  readonly pluginCommands?: readonly string[];
  /** What the user wants of the client's extras: true or false where said, absent where not. */
  readonly statusLine?: boolean;
  /** `hooks` or `mcp` when only that is wanted. */
  readonly only?: 'hooks' | 'mcp';
}

/**
 * A key of ours that a user may change for good: an upgrade keeps the user's value. `alias` is the same setting as another
 * form of the entry spells it: its value times `factor` is this key's value.
 */
export interface UserKey {
  readonly key: string;
  /** Our number is the time that the hook plans with: with a lower one the host ends it before it has answered. */
  readonly isTimeLimit?: boolean;
  readonly alias?: { readonly key: string; readonly factor: number };
}

/**
 * One smallest change to a configuration file. In TOML a path leads through tables, however they are written: under headers,
 * with dotted keys, or inside brackets. In YAML there are only blocks.
 */
export type ConfigOperation =
  /** A scalar that must have this value; what was there before comes back at uninstall. */
  | { readonly kind: 'scalar'; readonly path: readonly string[]; readonly value: string | number | boolean }
  /** One handler inside a (matcher) group of a list of groups; the group may be shared with the user's handlers. */
  | {
      readonly kind: 'handler';
      /** Path of the list of groups, for example `["hooks","events","Stop"]`. */
      readonly path: readonly string[];
      readonly matcher?: string;
      readonly handler: JsonObject;
      readonly userKeys?: readonly UserKey[];
    }
  /** One handler that is itself an element of the event's list, for clients without groups. */
  | {
      readonly kind: 'flat-handler';
      /** Path of the list, for example `["hooks","stop"]`. */
      readonly path: readonly string[];
      readonly handler: JsonObject;
      readonly userKeys?: readonly UserKey[];
    }
  /** One text in a list that others also use, for example a path that a client's sandbox lets hooks write to. */
  | { readonly kind: 'item'; readonly path: readonly string[]; readonly value: string }
  /** One entry of a map that others also use, for example `["mcp","servers","openviking"]`. */
  | {
      readonly kind: 'entry';
      readonly path: readonly string[];
      readonly value: JsonObject;
      readonly userKeys?: readonly UserKey[];
    }
  /** Whole lines at the end of a YAML file, between two comments that hold the block's name. */
  | {
      readonly kind: 'block';
      /** The name, alone. */
      readonly path: readonly [string];
      /** Entries of the file's outermost list or map, without indentation; ends without a line break. */
      readonly text: string;
    };

/** A value of a parsed configuration file with its place in the text. A `property` has its key and value as children. */
export interface ConfigNode {
  readonly type: 'object' | 'array' | 'property' | 'string' | 'number' | 'boolean' | 'null';
  /** Of a scalar. */
  readonly value?: unknown;
  /** In UTF-16 code units of the text, a byte order mark included. */
  readonly offset: number;
  readonly length: number;
  readonly children?: readonly ConfigNode[];
}

/** A configuration file as the client's own rules see it: the tree, and what a strict parser would refuse. */
export interface ConfigDocument {
  /** Absent for an empty file. */
  readonly root?: ConfigNode;
  readonly oddities: readonly {
    readonly kind: 'byte-order-mark' | 'comment' | 'trailing-comma' | 'empty';
    readonly offset: number;
  }[];
}

/** Something in a file that makes the client drop all or part of it. */
export interface RuleViolation {
  /** `client/what`, stable. */
  readonly code: string;
  readonly offset: number;
  /** The place as a dotted path, so that the same violation is recognised after the text around it has moved. */
  readonly where: string;
  readonly message: Localized;
  readonly fix: Localized;
}

/** What a rule of a client says, for the documentation: the finding itself names the place. */
export interface RuleHelp {
  readonly cause: Localized;
  readonly cure: Localized;
}

/**
 * A key with which somebody keeps an entry of ours from its work although it is there and starts our program. It may be
 * wanted, so no installation changes it.
 */
export interface EntrySwitch {
  readonly of: 'hook' | 'server';
  readonly key: string;
  /** Counts only with one of these; absent: with any. */
  readonly values?: readonly JsonValue[];
  /**
   * `off`: the client does not start it. `unheard`: it runs in the background, and what it answers is lost. `limited`: it
   * runs only where the value says.
   */
  readonly effect: 'off' | 'unheard' | 'limited';
}

/** A file in which a client looks for hooks in a project. The installer never changes it. */
export interface ProjectFile {
  /** Relative to the folder of the project, with `/`. */
  readonly path: string;
  /** Keys, one below the other, that switch every hook off when they are true, those of the user's own file too. */
  readonly offSwitch?: readonly string[];
}

/** A list that the client keeps for each project: servers that are off there. */
export interface ProjectServerList {
  /** Keys that lead to the map from a project's folder to what the client notes of it. */
  readonly at: readonly string[];
  /** Key of the list below that. */
  readonly key: string;
  /** Names under which our server may stand in it. */
  readonly names: readonly string[];
}

/** A settings file of whoever administers the machine, which can keep hooks of users from running. Never written. */
export interface ManagedFile {
  /** Absolute. */
  readonly path: string;
  readonly os: readonly NodeJS.Platform[];
  /** Folder whose `.json` files are laid over it, in the order of their names; absolute. */
  readonly dropIns?: string;
  /** Keys that keep every hook of ours from running when they are true. */
  readonly offSwitches: readonly ManagedSwitch[];
}

export interface ManagedSwitch {
  readonly key: string;
  /** Key of a map from plugin ids: hooks of a plugin that is true there run all the same. */
  readonly exceptPlugins?: string;
}

/** What has a place in the tree of a JSON or TOML file. */
export type TreeOperation = Exclude<ConfigOperation, { readonly kind: 'block' }>;

/** What a YAML file gets. */
export type BlockOperation = Extract<ConfigOperation, { readonly kind: 'block' }>;

/** A file of the client's that the installer edits: of another format's operations, none would ever reach the file. */
export type ConfigFile =
  ConfigFileOf<'json', TreeOperation> | ConfigFileOf<'toml', TreeOperation> | ConfigFileOf<'yaml', BlockOperation>;

interface ConfigFileOf<Format extends string, Operation extends ConfigOperation> {
  readonly format: Format;
  /** Absolute path for this machine. */
  readonly path: string;
  /** `if-present`: merged when it exists, never created. */
  readonly create: 'always' | 'if-present';
  readonly operations: readonly Operation[];
  /**
   * What other forms of this wiring put into the file and this one does without: at these places everything that `owns`
   * knows is taken out.
   */
  readonly withdrawn?: readonly Operation[];
  /**
   * The client's own rules: what in this file would make the client drop it or part of it. Pure. The tree of a TOML file
   * has its tables merged; for YAML there is none, only whether the file is empty.
   */
  check(document: ConfigDocument): readonly RuleViolation[];
  readonly switches?: readonly EntrySwitch[];
  readonly offInProjects?: ProjectServerList;
  /** Events of the file at which the client passes over matchers: there a narrow one of the user's limits nothing. */
  readonly unmatched?: readonly string[];
  /**
   * Whose a handler or entry is: `current` is the form written today, which an upgrade edits in place; `earlier` is what a
   * predecessor wrote, which is replaced; undefined is somebody else's and stays. `name` is an entry's key.
   */
  owns(value: JsonValue, name?: string): 'current' | 'earlier' | undefined;
}

/** A file that we own whole: a skill, a command, a rule in the client's folder, or a file of our own plugin. */
export type OwnedFile = {
  readonly kind: 'skill' | 'command' | 'rule' | 'plugin';
  /** Absolute target path. */
  readonly to: string;
} & (
  | {
      /** Relative to the payload. */
      readonly from: string;
    }
  | {
      /** The whole text: it depends on this machine. */
      readonly content: string;
    }
);

/**
 * Our plugin, registered by the client's own commands: what they write is the client's bookkeeping, which no editor of
 * ours should know.
 */
export interface PluginRegistration {
  /** The client knows it as `<plugin>@<marketplace>`. */
  readonly plugin: string;
  readonly marketplace: string;
  /** Folder of the marketplace, absolute and permanent: clients run the plugin from there. */
  readonly folder: string;
  /** Command names or paths, every one of which is registered. */
  readonly commands: readonly string[];
  /** Arguments with which a build that has plugins ends with exit code 0. */
  readonly probe: readonly string[];
  /** Steps that take out what predecessors registered under other names; one that finds nothing may fail. */
  readonly replaces?: readonly (readonly string[])[];
  /** Set for every run of a command: what keeps it from talking to its vendor. */
  readonly variables?: Readonly<Record<string, string>>;
  /** One list of arguments per step. */
  readonly add: readonly (readonly string[])[];
  readonly remove: readonly (readonly string[])[];
  /** Prints the installed plugins as JSON, in which our id and its version occur. */
  readonly list: readonly string[];
  /** Files of the user's that the commands rewrite, absolute: uninstall returns them to their bytes. */
  readonly rewrites: readonly string[];
  /** What the commands leave behind when they remove the plugin, absolute. */
  readonly leavesBehind: readonly string[];
}

/** The same harness as a plugin of the client's marketplaces: wired both ways, every turn would be captured twice. */
export interface PluginForm {
  /** The client knows it as `<name>@<marketplace>`. */
  readonly name: string;
  /** Where the client's configuration files say which plugins are switched on: a map from id to boolean. */
  readonly enabledAt: readonly string[];
  /** Holds installed plugins as `<marketplace>/<name>/`; starts with `~/`. */
  readonly folder: string;
  /** Where the client lists installed plugins, under their ids; starts with `~/`. */
  readonly registry: string;
  /** How a user takes it out, as a sentence. */
  readonly removal: Localized;
}

/** Something a host cannot do, said in data with its reason; the documented matrix is generated from it. */
export interface AbsentCapability {
  readonly capability:
    | 'visible-notice'
    | 'session-end'
    | 'pre-compact'
    | 'overview-after-compact'
    | 'continued-turn'
    | 'subagent-events'
    | 'guard-note'
    | 'fork'
    | 'resume'
    | 'tool-results'
    | 'missed-turn-end'
    | 'print-mode-recall';
  readonly reason: string;
  /** The reason in Chinese, for the documentation. */
  readonly zh?: string;
  readonly source?: string;
}

/** The part of the declaration that a hook needs while it runs. */
export interface HostFacts {
  readonly id: string;
  readonly name: string;
  /** Prefix of every session id on the server, for example `zc-`. */
  readonly sessionPrefix: string;
  /** What a character outside `A-Za-z0-9._-` of a native id becomes. */
  readonly sessionIdFiller: '-' | '_';
  /** `process`: the host starts our hook per event. `plugin`: our code lives in the host's process. */
  readonly host: 'process' | 'plugin';
  readonly events: readonly EventBinding[];
  /** Upper limit of one added context, in UTF-8 bytes, as the host tolerates it. */
  readonly contextMaxBytes?: number;
  /** `turn-end` where the host has no end-of-session event: commit at every captured turn. */
  readonly commitAt: 'turn-end' | 'session-end';
  /** Defaults of settings that this client needs different from the others. */
  readonly settingDefaults?: Readonly<Partial<Settings>>;
  /** The host shows a reply's `notice` to the user, so that it is worth making one. */
  readonly showsNotices?: true;
  /**
   * Other clients that also run this client's hooks, and how a hook sees it: the integration of that client keeps the
   * conversation, and this one does nothing. Otherwise every turn would be stored twice.
   */
  readonly yieldsTo?: readonly {
    /** Id of the harness that keeps the conversation. */
    readonly harness: string;
    /** A variable that only that client sets. */
    readonly variable?: string;
    /** A key that only that client's payloads have. */
    readonly payloadKey?: string;
  }[];
}

export interface HarnessDeclaration extends HostFacts {
  readonly documentation: readonly DocumentationLink[];
  readonly detection: readonly DetectionProbe[];
  readonly versionProbes?: readonly VersionProbe[];
  /** The configuration files and entries for this machine. Pure. */
  wiring(context: WiringContext): {
    readonly files: readonly ConfigFile[];
    readonly owned: readonly OwnedFile[];
    readonly registration?: PluginRegistration;
  };
  /** Absent: the client has no plugins. */
  readonly plugin?: PluginForm;
  readonly restart: Localized;
  /** The same where the client is wired without our plugin; absent: no difference. */
  readonly restartWithoutPlugin?: Localized;
  readonly trust?: Localized;
  /** The client runs no hook before the user has allowed it, and keeps that where no file of ours can tell: `trust` says how. */
  readonly asksBeforeHooks?: true;
  /**
   * Variable with the path of Node.js for the MCP server of our plugin where that comes from a marketplace: it is started
   * without a shell and without our launcher, by this or by `node` on PATH.
   */
  readonly packagedNode?: string;
  /** Every code that `check` of its files can find, with what it means. */
  readonly rules?: Readonly<Record<string, RuleHelp>>;
  /** Where it looks for hooks in a project. */
  readonly projectFiles?: readonly ProjectFile[];
  /** Where it looks for what the machine's administrator has settled. */
  readonly managedFiles?: readonly ManagedFile[];
  readonly absent: readonly AbsentCapability[];
}

/** The pure translation between one host and the handlers. */
export interface Dialect {
  /**
   * Host payload → normalised event; undefined when the payload is not for us (a subagent, a missing id).
   * `kind` and `entry` are what the hook was started for: the payload's own event name is not trusted.
   */
  toEvent(
    kind: HookEventKind,
    payload: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string | undefined>>,
    entry: string,
  ): HookEvent | undefined;
  /** Reply → exact stdout text; empty when there is nothing to say or the host has no channel for it. */
  toOutput(kind: HookEventKind, reply: Reply, entry: string): string;
  /**
   * Names of the tags around what the host itself mixes into texts, in lower case with `-` for `_`. A text that only
   * mentions such a tag keeps everything. `system-reminder` and `hook-context` are removed for every host.
   */
  readonly hostTags?: readonly string[];
  /** What the host mixes in without tags. Each pattern must run in linear time; every match is removed. */
  readonly hostNoise?: readonly RegExp[];
}

/** Everything a runtime entry needs of its client. */
export interface Harness {
  readonly declaration: HostFacts;
  readonly dialect: Dialect;
  readonly transcript?: TranscriptReader;
  /** Semantic version of the harness package, for the user agent. */
  readonly version: string;
}
