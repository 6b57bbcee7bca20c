/** `--help`, made from the option table. */
import { displayWidth } from './display-width.ts';
import { COMMANDS, OPTIONS } from './options.ts';
import type { Messages } from './messages-en.ts';
import type { OptionDeclaration } from './options.ts';

export function renderHelp(t: Messages, clients: readonly string[]): string {
  const options = Object.entries<OptionDeclaration>(OPTIONS).map(
    ([name, { short, value, help }]) =>
      [
        `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
        help(t),
      ] as const,
  );
  const commands = Object.entries(COMMANDS).map(([name, help]) => [name, help(t)] as const);
  return [
    t.helpTitle,
    '',
    t.helpUsage,
    '  openviking-install [install] --harness zcode,claude --local',
    '  openviking-install [install] --harness zcode --url URL --api-key-stdin < KEY-FILE',
    '  openviking-install uninstall --harness zcode [--purge]',
    '  openviking-install status [--settings] [--json]',
    '  openviking-install doctor [--harness LIST] [--fix] [--json] [--strict]',
    '  openviking-install spool list | retry | show ID | drop ID',
    '',
    t.helpCommands,
    ...columns(commands),
    '',
    t.helpOptions,
    ...columns(options),
    '',
    t.helpClients(clients),
    t.helpExit,
    '',
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => displayWidth(left)));
  return rows.map(([left, right]) => `  ${left}${' '.repeat(width - displayWidth(left))}  ${right}`);
}
