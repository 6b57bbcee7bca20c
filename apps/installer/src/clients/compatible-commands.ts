/**
 * Clients of which a machine may have several builds under names of their own: which names a user has given. Only that
 * person knows them, and each may have to be told about us by itself.
 */
import { Refusal } from '../cli/refusal.ts';
import type { Machine } from '../machine/machine.ts';

const SOURCES: Readonly<Record<string, { readonly flag: string; readonly variable: string }>> = {
  claude: { flag: '--claude-bin', variable: 'OPENVIKING_CLAUDE_BINS' },
};

/** The names for a client; undefined where nobody has given any. Throws a usage refusal for an empty list. */
export function compatibleCommands(
  client: string,
  typed: Readonly<Record<string, readonly string[] | undefined>>,
  { env }: Pick<Machine, 'env'>,
): readonly string[] | undefined {
  const source = SOURCES[client];
  if (source === undefined) return undefined;
  const { flag, variable } = source;
  const given = typed[flag];
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
