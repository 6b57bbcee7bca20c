/**
 * The command line, judged strictly. What was typed is repeated only where it cannot be a key: people paste keys into the
 * wrong place, and an error message ends up in logs and chats.
 */
import { parseArgs } from 'node:util';
import { nearest, systemCode } from '@openviking/memory-core/full';
import { COMMANDS, LATER_COMMANDS, optionOf, OPTIONS, SPOOL_ACTIONS } from './options.ts';
import { Refusal } from './refusal.ts';
import type { Command, OptionName, SpoolAction } from './options.ts';

export interface Invocation {
  readonly command: Command;
  /** Only with the command `spool`. */
  readonly spool: { readonly action: SpoolAction; readonly id: string | undefined } | undefined;
  readonly help: boolean;
  /** The command was typed, and is not the default. */
  readonly isNamed: boolean;
  readonly version: boolean;
  /** As typed, unsplit; undefined when the flag is missing. */
  readonly harness: readonly string[] | undefined;
  readonly all: boolean;
  readonly yes: boolean;
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly apiKeyEnv: string | undefined;
  readonly apiKeyStdin: boolean;
  /** Back to the address and key that the last change took the place of. */
  readonly previous: boolean;
  readonly account: string | undefined;
  readonly user: string | undefined;
  readonly local: boolean;
  /** As typed. */
  readonly dist: string | undefined;
  readonly source: string | undefined;
  /** As typed, unsplit. */
  /** Commands by the name of the option that gives them, `<client>-bin`; one for each such option. */
  readonly bins: Readonly<Record<string, readonly string[] | undefined>>;
  /** Undefined where neither it nor its opposite was given. */
  readonly statusLine: boolean | undefined;
  readonly only: 'hooks' | 'mcp' | undefined;
  readonly dryRun: boolean;
  readonly keepGoing: boolean;
  readonly purge: boolean;
  /** Only with the command `doctor`. */
  readonly fix: boolean;
  /** Only with the command `status`: every setting, not only those that differ from the default. */
  readonly settings: boolean;
  /** Only with `spool retry`: also what was said in another environment; then it may have an id. */
  readonly here: boolean;
  readonly json: boolean;
  readonly strict: boolean;
  readonly home: string | undefined;
  readonly lang: 'en' | 'zh' | undefined;
}

/** Parses the arguments behind the program's name. `clients`: ids that people type without --harness. Throws a usage refusal. */
export function parseCommandLine(args: readonly string[], clients: readonly string[] = []): Invocation {
  const { values, positionals } = parse(args);
  const command = commandOf(positionals, values['uninstall'] === true, clients);
  const spool =
    command === 'spool' && values['help'] !== true ? spoolOf(positionals.slice(1), values['here'] === true) : undefined;
  for (const name of Object.keys(values) as OptionName[]) {
    const allowed = optionOf(name)?.commands;
    if (allowed !== undefined && !allowed.includes(command)) {
      throw usage('cli/option-of-other-command', (t) => t.optionElsewhere(`--${name}`, command, allowed));
    }
  }
  const text = (
    name: 'url' | 'account' | 'user' | 'home' | 'api-key' | 'api-key-env' | 'dist' | 'source',
  ): string | undefined => values[name];
  const lang = values['lang'];
  if (lang !== undefined && lang !== 'en' && lang !== 'zh') throw usage('cli/language', (t) => t.languageUnknown);
  return {
    command,
    spool,
    help: values['help'] === true,
    isNamed: positionals.length > 0 || values['uninstall'] === true,
    version: values['version'] === true,
    harness: values['harness'],
    all: values['all'] === true,
    yes: values['yes'] === true,
    url: text('url'),
    apiKey: text('api-key'),
    apiKeyEnv: text('api-key-env'),
    apiKeyStdin: values['api-key-stdin'] === true,
    previous: values['previous'] === true,
    account: text('account'),
    user: text('user'),
    local: values['local'] === true,
    dist: text('dist'),
    source: text('source'),
    bins: Object.fromEntries(BIN_OPTIONS.map((name) => [name, values[name]])),
    statusLine: oneOf(values, 'statusline', 'no-statusline') === undefined ? undefined : values['statusline'] === true,
    only: ({ 'hooks-only': 'hooks', 'mcp-only': 'mcp', none: undefined } as const)[
      oneOf(values, 'hooks-only', 'mcp-only') ?? 'none'
    ],
    dryRun: values['dry-run'] === true,
    keepGoing: values['keep-going'] === true,
    purge: values['purge'] === true,
    fix: values['fix'] === true,
    settings: values['settings'] === true,
    here: values['here'] === true,
    json: values['json'] === true,
    strict: values['strict'] === true,
    home: text('home'),
    lang,
  };
}

/** The options that name builds of a client. */
const BIN_OPTIONS = (Object.keys(OPTIONS) as OptionName[]).filter(
  (name): name is Extract<OptionName, `${string}-bin`> => name.endsWith('-bin'),
);

/** Which of two flags that exclude each other was given. */
function oneOf<Name extends OptionName>(
  values: Readonly<Partial<Record<Name, unknown>>>,
  one: Name,
  other: Name,
): Name | undefined {
  if (values[one] === true && values[other] === true) {
    throw usage('cli/both', (t) => t.optionsExclude(`--${one}`, `--${other}`));
  }
  return values[one] === true ? one : values[other] === true ? other : undefined;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's own message may repeat a value.
    const typed = /--?([\w-]+)/.exec(error instanceof Error ? error.message : '')?.[1] ?? '';
    switch (systemCode(error)) {
      case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
        const suggestion = nearest(typed, Object.keys(OPTIONS));
        // A long word is no option's name, and may be a key in the wrong place.
        const shown = typed.length > 24 ? `${typed.slice(0, 6)}…` : typed;
        throw usage('cli/unknown-option', (t) =>
          t.optionUnknown(
            typed.length === 1 ? `-${shown}` : `--${shown}`,
            suggestion === undefined ? undefined : `--${suggestion}`,
          ),
        );
      }
      case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE': {
        const name = /--([\w-]+)/.exec(error instanceof Error ? error.message : '')?.[1] ?? '';
        const known = optionOf(name);
        throw usage('cli/option-value', (t) =>
          t.optionValue(known === undefined ? undefined : `--${name}`, known?.value),
        );
      }
      default:
        throw error;
    }
  }
}

function commandOf(positionals: readonly string[], isUninstall: boolean, clients: readonly string[]): Command {
  const [first, ...rest] = positionals;
  const client = positionals.find((word) => word.split(/[,\s]+/).every((id) => clients.includes(id.toLowerCase())));
  if (client !== undefined && first !== 'spool') throw usage('cli/client-as-argument', (t) => t.argumentClient(client));
  if (rest.length > (first === 'spool' ? 2 : 0)) throw usage('cli/extra-argument', (t) => t.argumentExtra);
  if (first === undefined) return isUninstall ? 'uninstall' : 'install';
  if ((LATER_COMMANDS as readonly string[]).includes(first)) {
    throw usage('cli/command-not-built', (t) => t.commandNotBuilt(first));
  }
  if (!Object.hasOwn(COMMANDS, first)) {
    const suggestion = nearest(first, Object.keys(COMMANDS));
    throw usage('cli/unknown-command', (t) => t.commandUnknown(suggestion));
  }
  const command = first as Command;
  if (isUninstall && command !== 'uninstall') throw usage('cli/two-commands', (t) => t.commandTwice(command));
  return command;
}

function spoolOf([action = 'list', id]: readonly string[], here: boolean): NonNullable<Invocation['spool']> {
  if (!Object.hasOwn(SPOOL_ACTIONS, action)) {
    const suggestion = nearest(action, Object.keys(SPOOL_ACTIONS));
    throw usage('cli/unknown-action', (t) => t.spoolActionUnknown(suggestion));
  }
  const known = action as SpoolAction;
  if (id === undefined && SPOOL_ACTIONS[known]) throw usage('cli/no-id', (t) => t.spoolIdMissing(known));
  if (here && known !== 'retry') throw usage('cli/here-without-retry', (t) => t.spoolHereMisplaced);
  if (id !== undefined && !SPOOL_ACTIONS[known] && !here) throw usage('cli/extra-argument', (t) => t.argumentExtra);
  return { action: known, id };
}

function usage(code: string, say: ConstructorParameters<typeof Refusal>[0]['say']): Refusal {
  return new Refusal({ code, exitCode: 2, say, next: (t) => t.seeHelp });
}
