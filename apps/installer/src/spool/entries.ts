/**
 * The names by which a person points at something in the spool: `<conversation>`, `<conversation>/<record number>`, and
 * `<conversation>/dead/<letter>`. Only what is there has a name, so nothing typed ever becomes a path.
 */
import { readFileSync } from 'node:fs';
import { deadLetterNames, deadLetterPath, readDeadLetter } from '@openviking/memory-core/full';
import type { Conversation, DeadLetter, SpoolRecord } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import type { ConversationReport } from './report.ts';

export type SpoolEntry =
  | { readonly kind: 'record'; readonly id: string; readonly conversation: Conversation; readonly seq: number }
  | { readonly kind: 'dead'; readonly id: string; readonly conversation: Conversation; readonly name: string };

export type SpoolTarget = SpoolEntry | { readonly kind: 'conversation'; readonly report: ConversationReport };

/** Records in the order of delivery, then dead letters. */
export function entriesOf(conversation: Conversation): readonly SpoolEntry[] {
  const { session } = conversation;
  return [
    ...conversation.sequence().map((seq) => ({ kind: 'record', id: `${session}/${seq}`, conversation, seq }) as const),
    ...deadLetterNames(conversation).map(
      (name) => ({ kind: 'dead', id: `${session}/dead/${name}`, conversation, name }) as const,
    ),
  ];
}

/** What an id names. Throws a usage refusal, which does not repeat what was typed: it may be anything. */
export function findTarget(id: string, reports: readonly ConversationReport[]): SpoolTarget {
  for (const report of reports) {
    const { conversation } = report;
    if (id === conversation.session) return { kind: 'conversation', report };
    if (!id.startsWith(`${conversation.session}/`)) continue;
    const entry = entriesOf(conversation).find((candidate) => candidate.id === id);
    if (entry !== undefined) return entry;
  }
  throw new Refusal({
    code: 'spool/unknown-id',
    exitCode: 2,
    say: (t) => t.spoolUnknown,
    next: (t) => t.spoolUnknownNext,
  });
}

/** What lies on disk, as an object; the bare text where it is damaged, undefined when it has been delivered meanwhile. */
export function readEntry(entry: SpoolEntry): SpoolRecord | DeadLetter | string | undefined {
  const { conversation } = entry;
  const value = entry.kind === 'record' ? conversation.read(entry.seq) : readDeadLetter(conversation, entry.name);
  if (value !== undefined) return value;
  const path = entry.kind === 'record' ? conversation.recordPath(entry.seq) : deadLetterPath(conversation, entry.name);
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
