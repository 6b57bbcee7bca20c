/** The shapes of the receipts, for reading: see the interfaces in `receipt.ts` for what the members mean. */
import { either, exactly, flag, listOf, mapOf, number, optional, record, text } from './shape.ts';
import type { Shape } from './shape.ts';
import type { Receipt } from './receipt.ts';

const texts = listOf(text);
const lines = listOf(texts);
const mark = record({ hash: text, mode: number });
const owned = record({ path: text, left: mark });
const payload = record({ folder: text, version: text, previous: optional(text) });
const scalar = either(text, number, flag);
const base = { version: exactly(1), installer: text, installedAt: text, folders: texts };

const config = record({
  path: text,
  existed: flag,
  untouched: flag,
  original: optional(record({ mode: number, content: text })),
  left: mark,
  record: record({
    containers: lines,
    hollows: listOf(record({ path: texts, text })),
    scalars: listOf(record({ path: texts, value: scalar, before: optional(text) })),
    written: listOf(record({ path: texts, value: record({}) })),
    objections: optional(texts),
    neighbours: optional(texts),
    joint: optional(text),
    blocks: optional(listOf(record({ path: texts, text }))),
  }),
});

const registration = record({
  id: text,
  marketplace: text,
  earlier: texts,
  places: texts,
  plugin: text,
  folder: text,
  source: optional(text),
  previous: optional(text),
  listed: text,
  programs: texts,
  remove: lines,
  leavesBehind: texts,
  rewrites: listOf(record({ path: text, operations: listOf(record({ kind: text, path: texts })) })),
});

const wishes = record({ commands: optional(texts), statusLine: optional(flag), only: optional(text) });

const SHAPES: Readonly<Record<Receipt['kind'], Shape>> = {
  client: record({
    ...base,
    kind: exactly('client'),
    client: text,
    payload,
    launcher: owned,
    configs: listOf(config),
    owned: listOf(owned),
    registration: optional(registration),
    wishes: optional(wishes),
    locations: optional(mapOf(text)),
    command: optional(text),
    foundInRoot: texts,
  }),
  connection: record({
    ...base,
    kind: exactly('connection'),
    path: text,
    existed: flag,
    mode: optional(number),
    added: texts,
    salt: text,
    wrote: mapOf(texts),
    blank: optional(text),
    foundInRoot: optional(texts),
  }),
  'local-server': record({ ...base, kind: exactly('local-server'), payload, launcher: owned, port: number }),
};

/** True for a receipt of that kind that this version understands. */
export function isReceipt<Kind extends Receipt['kind']>(
  value: unknown,
  kind: Kind,
): value is Extract<Receipt, { kind: Kind }> {
  return SHAPES[kind](value);
}
