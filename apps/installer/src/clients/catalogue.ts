/**
 * The ids that a user may name: which exist, which are still to come, and what a misspelt one may have meant. The list of
 * built clients is the list of declarations; nothing else has to be changed to add one.
 */
import { nearest } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { declaration as claude } from '@openviking/harness-claude/harness';
import { declaration as cursor } from '@openviking/harness-cursor/harness';
import { declarations as trae } from '@openviking/harness-trae/harness';
import { declaration as zcode } from '@openviking/harness-zcode/harness';
import { Refusal } from '../cli/refusal.ts';

export const CLIENTS: readonly HarnessDeclaration[] = [zcode, claude, cursor, ...trae];

/** Known to the project, not part of this release. */
const LATER = ['codex', 'trae-cli', 'opencode', 'pi', 'dsh'] as const;

/** Other names that people type. */
const ALIASES: Readonly<Record<string, string>> = {
  'claude-code': 'claude',
  claudecode: 'claude',
  'cursor-agent': 'cursor',
  'z-code': 'zcode',
  'open-code': 'opencode',
  traecn: 'trae-cn',
  traecli: 'trae-cli',
  traex: 'trae-cli',
};

/** The declarations that a `--harness` list names, in its order and without repetition. Throws a usage refusal. */
export function resolveClients(
  list: readonly string[],
  clients: readonly HarnessDeclaration[],
): readonly HarnessDeclaration[] {
  const names = list.flatMap((item) => item.split(',')).map((name) => name.trim());
  const known = clients.map(({ id }) => id);
  if (names.every((name) => name === '')) {
    throw new Refusal({
      code: 'harness/empty',
      exitCode: 2,
      say: (t) => t.harnessEmpty,
      next: (t) => t.harnessList(known),
    });
  }
  const found: HarnessDeclaration[] = [];
  for (const name of names.filter((word) => word !== '')) {
    const id = canonicalId(name);
    const client = clients.find((candidate) => candidate.id === id);
    if (client === undefined) throw unknownClient(name, id, known);
    if (!found.includes(client)) found.push(client);
  }
  return found;
}

function canonicalId(name: string): string {
  const plain = name.toLowerCase().replace(/[_\s]+/g, '-');
  return (Object.hasOwn(ALIASES, plain) ? ALIASES[plain] : undefined) ?? plain;
}

function unknownClient(name: string, id: string, known: readonly string[]): Refusal {
  if ((LATER as readonly string[]).includes(id)) {
    return new Refusal({
      code: 'harness/not-built',
      exitCode: 2,
      say: (t) => t.harnessNotBuilt(id),
      next: (t) => t.harnessList(known),
    });
  }
  const suggestion = nearest(id, [...known, ...LATER]);
  // A long word is no client's name, and may be a key in the wrong place.
  const shown = name.length > 24 ? `${name.slice(0, 6)}…` : name;
  return new Refusal({
    code: 'harness/unknown',
    exitCode: 2,
    say: (t) => t.harnessUnknown(shown, suggestion),
    next: (t) => t.harnessList(known),
  });
}
