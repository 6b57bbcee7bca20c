/** `--help`, made from the option table. */
import { displayWidth } from './display-width.ts';
import { COMMANDS, OPTIONS } from './options.ts';
import { wrap } from './wrap.ts';
import type { Messages } from './messages-en.ts';
import type { OptionDeclaration } from './options.ts';

/** Columns of the narrowest terminal that the help is made for. */
const WIDTH = 80;

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
    ...wrap(t.helpTitle, WIDTH),
    '',
    t.helpUsage,
    '  openviking-install [install] --harness zcode,claude --local',
    '  openviking-install [install] --harness zcode --url URL --api-key-stdin < FILE',
    '  openviking-install uninstall --harness zcode [--purge]',
    '  openviking-install status [--settings] [--json]',
    '  openviking-install doctor [--harness LIST] [--fix] [--json] [--strict]',
    '  openviking-install spool list | retry [--here [ID]] | show ID | drop ID',
    '',
    t.helpCommands,
    ...columns(commands),
    '',
    t.helpOptions,
    ...columns(options),
    '',
    ...wrap(t.helpClients(clients), WIDTH),
    ...wrap(t.helpExit, WIDTH),
    '',
  ].join('\n');
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
