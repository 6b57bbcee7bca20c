/** `--help` of the program and of each command, made from the option table: what a command takes is never typed twice. */
import { displayWidth } from './display-width.ts';
import { COMMANDS, OPTIONS } from './options.ts';
import { wrap } from './wrap.ts';
import type { Messages } from './messages-en.ts';
import type { Command, OptionDeclaration, OptionName } from './options.ts';
import type { Phrase } from './refusal.ts';

/** Columns of the narrowest terminal that the help is made for. */
const WIDTH = 80;

/** How each command is typed. */
const USAGE: Readonly<Record<Command, readonly string[]>> = {
  install: [
    'openviking-install [install] [--harness LIST] [--local | --previous]',
    'openviking-install [install] [--harness LIST] --url URL --api-key-stdin < FILE',
  ],
  uninstall: ['openviking-install uninstall [--harness LIST] [--purge] [--dry-run]'],
  status: ['openviking-install status [--harness LIST] [--settings]'],
  doctor: ['openviking-install doctor [--harness LIST] [--fix [--dry-run]]'],
  spool: ['openviking-install spool list | retry [--here [ID]] | show ID | drop ID'],
};

/** What people type most, as it stands. */
const EXAMPLES: Readonly<Record<Command, readonly string[]>> = {
  install: [
    'openviking-install install --harness zcode --local',
    'openviking-install install --harness zcode --url https://memory.example.com \\',
    '  --api-key-stdin < key.txt',
    'openviking-install install --harness claude --local --dry-run',
    'openviking-install install --harness zcode --previous',
  ],
  uninstall: ['openviking-install uninstall --harness zcode', 'openviking-install uninstall --purge --yes'],
  status: ['openviking-install status', 'openviking-install status --settings --json'],
  doctor: ['openviking-install doctor', 'openviking-install doctor --harness claude --fix'],
  spool: ['openviking-install spool list', 'openviking-install spool retry'],
};

const ABOUT: Readonly<Record<Command, Phrase>> = {
  install: (t) => t.helpAboutInstall,
  uninstall: (t) => t.helpAboutUninstall,
  status: (t) => t.helpAboutStatus,
  doctor: (t) => t.helpAboutDoctor,
  spool: (t) => t.helpAboutSpool,
};

const EXIT_CODES: readonly (readonly [string, (t: Messages, command: Command) => string])[] = [
  ['0', (t) => t.helpExitDone],
  ['1', (t, command) => t.helpExitFailed(command)],
  ['2', (t) => t.helpExitUsage],
  ['3', (t) => t.helpExitWarnings],
  ['130', (t) => t.helpExitInterrupted],
];

/** Options that most command lines have. */
const COMMON: readonly OptionName[] = ['harness', 'local', 'url', 'dry-run', 'yes'];

/** One line for each thing that people come for. */
const FIRST_LINES: readonly string[] = [
  'openviking-install install --harness zcode --local',
  'openviking-install status',
  'openviking-install doctor --fix',
  'openviking-install uninstall --harness zcode',
];

/** The overview, on half a screen: commands, the options that are used most, and where the rest is told. */
export function renderHelp(t: Messages, clients: readonly string[]): string {
  return [
    ...wrap(t.helpTitle, WIDTH),
    '',
    t.helpUsage,
    `  ${t.helpUsageLine}`,
    '',
    t.helpCommands,
    ...columns(Object.entries(COMMANDS).map(([name, help]) => [name, help(t)] as const)),
    '',
    t.helpOptions,
    ...columns(rows(t, undefined, (_option, name) => COMMON.includes(name))),
    '',
    t.helpExamples,
    ...FIRST_LINES.map((line) => `  ${line}`),
    '',
    ...wrap(t.helpMore, WIDTH),
    ...wrap(t.helpClients(clients), WIDTH),
    '',
  ].join('\n');
}

/** One command: what it does, its own options, examples, and how it can end. */
export function renderCommandHelp(t: Messages, command: Command, clients: readonly string[]): string {
  const own = rows(t, command, ({ commands }) => commands?.includes(command) === true);
  return [
    ...wrap(t.helpTitle, WIDTH),
    '',
    t.helpUsage,
    ...USAGE[command].map((line) => `  ${line}`),
    '',
    ...wrap(ABOUT[command](t), WIDTH),
    '',
    t.helpOwnOptions,
    ...columns(own),
    '',
    t.helpCommonOptions,
    ...columns(rows(t, command, ({ commands }) => commands === undefined)),
    '',
    t.helpExamples,
    ...EXAMPLES[command].map((line) => `  ${line}`),
    '',
    t.helpExitCodes,
    ...columns(EXIT_CODES.map(([code, phrase]) => [code, phrase(t, command)] as const)),
    '',
    ...wrap(t.helpClients(clients), WIDTH),
    '',
  ].join('\n');
}

/** The options that are wanted, with what they do. */
function rows(
  t: Messages,
  command: Command | undefined,
  isWanted: (option: OptionDeclaration, name: OptionName) => boolean,
): readonly (readonly [string, string])[] {
  return Object.entries<OptionDeclaration>(OPTIONS)
    .filter(([name, option]) => isWanted(option, name as OptionName))
    .map(([name, { short, value, help }]) => [
      `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      help(t, command),
    ]);
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => displayWidth(left)));
  return rows.flatMap(([left, right]) =>
    wrap(right, WIDTH - width - 4).map((part, index) => {
      const head = index === 0 ? left : '';
      return `  ${head}${' '.repeat(width - displayWidth(head))}  ${part}`;
    }),
  );
}
