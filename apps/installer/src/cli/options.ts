/** Every flag, once: the parser, `--help` in both languages and the tests read this table. */
import type { Messages } from './messages-en.ts';
import type { Phrase } from './refusal.ts';

export type Command = 'install' | 'uninstall' | 'status' | 'doctor' | 'spool';

/** What `spool` can do; `true`: it needs the id of something in the spool. */
export const SPOOL_ACTIONS = { list: false, retry: false, show: true, drop: true } as const;
export type SpoolAction = keyof typeof SPOOL_ACTIONS;

export interface OptionDeclaration {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** Name of the value in the help. */
  readonly value?: string;
  /** Commands that take it; absent: all. */
  readonly commands?: readonly Command[];
  /** `command`: whose help it stands in; undefined in the overview. */
  readonly help: (texts: Messages, command: Command | undefined) => string;
}

export const OPTIONS = {
  harness: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    commands: ['install', 'uninstall', 'status', 'doctor'],
    help: (t, command) => t.helpHarness(command),
  },
  all: { type: 'boolean', commands: ['install', 'uninstall'], help: (t, command) => t.helpAll(command) },
  url: { type: 'string', value: 'URL', commands: ['install'], help: (t) => t.helpUrl },
  'api-key': { type: 'string', value: 'KEY', commands: ['install'], help: (t) => t.helpApiKey },
  'api-key-env': { type: 'string', value: 'NAME', commands: ['install'], help: (t) => t.helpApiKeyEnv },
  'api-key-stdin': { type: 'boolean', commands: ['install'], help: (t) => t.helpApiKeyStdin },
  previous: { type: 'boolean', commands: ['install'], help: (t) => t.helpPrevious },
  account: { type: 'string', value: 'ID', commands: ['install'], help: (t) => t.helpAccount },
  user: { type: 'string', value: 'ID', commands: ['install'], help: (t) => t.helpUser },
  local: { type: 'boolean', commands: ['install'], help: (t) => t.helpLocal },
  dist: { type: 'string', value: 'npm|github|tos', commands: ['install'], help: (t) => t.helpDist },
  source: { type: 'string', value: 'remote|archive|dev', commands: ['install'], help: (t) => t.helpSource },
  'claude-bin': {
    type: 'string',
    multiple: true,
    value: 'LIST',
    commands: ['install'],
    help: (t) => t.helpClaudeBin,
  },
  statusline: { type: 'boolean', commands: ['install'], help: (t) => t.helpStatusLine },
  'no-statusline': { type: 'boolean', commands: ['install'], help: (t) => t.helpNoStatusLine },
  'hooks-only': { type: 'boolean', commands: ['install'], help: (t) => t.helpHooksOnly },
  'mcp-only': { type: 'boolean', commands: ['install'], help: (t) => t.helpMcpOnly },
  'dry-run': {
    type: 'boolean',
    commands: ['install', 'uninstall', 'doctor'],
    help: (t, command) => t.helpDryRun(command),
  },
  'keep-going': { type: 'boolean', commands: ['install', 'uninstall'], help: (t) => t.helpKeepGoing },
  purge: { type: 'boolean', commands: ['uninstall'], help: (t) => t.helpPurge },
  fix: { type: 'boolean', commands: ['doctor'], help: (t) => t.helpFix },
  here: { type: 'boolean', commands: ['spool'], help: (t) => t.helpHere },
  settings: { type: 'boolean', commands: ['status'], help: (t) => t.helpSettings },
  yes: { type: 'boolean', short: 'y', help: (t) => t.helpYes },
  json: { type: 'boolean', help: (t) => t.helpJson },
  strict: { type: 'boolean', help: (t) => t.helpStrict },
  lang: { type: 'string', value: 'en|zh', help: (t) => t.helpLang },
  home: { type: 'string', value: 'DIR', help: (t) => t.helpHome },
  uninstall: { type: 'boolean', commands: ['uninstall'], help: (t) => t.helpUninstall },
  version: { type: 'boolean', help: (t) => t.helpVersion },
  help: { type: 'boolean', short: 'h', help: (t) => t.helpHelp },
} as const satisfies Readonly<Record<string, OptionDeclaration>>;

export type OptionName = keyof typeof OPTIONS;

export const COMMANDS: Readonly<Record<Command, Phrase>> = {
  install: (t) => t.helpCommandInstall,
  uninstall: (t) => t.helpCommandUninstall,
  status: (t) => t.helpCommandStatus,
  doctor: (t) => t.helpCommandDoctor,
  spool: (t) => t.helpCommandSpool,
};

/** Commands of the full program that this release does not have yet. */
export const LATER_COMMANDS = ['workspace', 'serve', 'import', 'migrate'] as const;

export function optionOf(name: string): OptionDeclaration | undefined {
  return Object.hasOwn(OPTIONS, name) ? OPTIONS[name as OptionName] : undefined;
}
