/**
 * Clients of which a machine may have several builds under names of their own: which names a user has given. Only that
 * person knows them, and each may have to be told about us by itself.
 */
import { Refusal } from '../cli/refusal.ts';
import type { Machine } from '../machine/machine.ts';

/**
 * The names for a client, from `--<client>-bin` or `OPENVIKING_<CLIENT>_BINS`; undefined where nobody has given any. `typed`
 * has a member for each such option that there is. Throws a usage refusal for an empty list.
 */
export function compatibleCommands(
  client: string,
  typed: Readonly<Record<string, readonly string[] | undefined>>,
  { env }: Pick<Machine, 'env'>,
): readonly string[] | undefined {
  const option = `${client}-bin`;
  if (!Object.hasOwn(typed, option)) return undefined;
  const flag = `--${option}`;
  const variable = `OPENVIKING_${client.toUpperCase().replaceAll('-', '_')}_BINS`;
  const given = typed[option];
  if (given !== undefined) {
    const names = namesOf(given);
    if (names.length > 0) return names;
    throw new Refusal({
      code: 'cli/no-command',
      exitCode: 2,
      say: (t) => t.commandsEmpty(flag),
      next: (t) => t.seeHelp,
    });
  }
  const names = namesOf([env[variable] ?? '']);
  return names.length > 0 ? names : undefined;
}

function namesOf(lists: readonly string[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list.split(/[,\n]/)).map((name) => name.trim()))].filter(Boolean);
}
