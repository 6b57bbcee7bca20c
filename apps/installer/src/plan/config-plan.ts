/** What happens to one configuration file of a client: wired, brought from another form into this one, or given back. */
import type { ConfigFile, ConfigOperation, HarnessDeclaration, RuleViolation } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig, placeOf } from '../json/document.ts';
import { hasMark, markOf } from '../receipts/receipt.ts';
import { nodeAt, readConfig, unwire, wire } from '../wiring/format.ts';
import { EMPTY_RECORD, samePath } from '../wiring/record.ts';
import { isSwitch } from '../wiring/neighbours.ts';
import { shortLimits } from '../wiring/time-limits.ts';
import { withOperations } from '../wiring/with-operations.ts';
import { writeStep } from '../apply/step.ts';
import type { Step } from '../apply/step.ts';
import type { FileImage } from '../files/image.ts';
import type { ConfigReceipt, StoredFile } from '../receipts/receipt.ts';
import type { ConfigRecord } from '../wiring/record.ts';
import type { UnwiredConfig } from '../wiring/unwire-config.ts';
import type { WiredConfig } from '../wiring/wire-config.ts';
import type { Note } from './note.ts';

export interface Part<R> {
  readonly steps: readonly Step[];
  readonly receipt?: R;
  readonly notes: readonly Note[];
}

/** A file as it is wired. */
export interface WiredFile {
  readonly after: FileImage;
  readonly receipt: ConfigReceipt;
  readonly notes: readonly Note[];
}

export interface WireFileInput {
  readonly client: HarnessDeclaration;
  readonly file: ConfigFile;
  readonly image: FileImage | undefined;
  readonly old: ConfigReceipt | undefined;
  /** Operations of other forms of the wiring. */
  readonly surplus: readonly ConfigOperation[];
}

/** Throws a refusal when the file cannot be read, understood or edited. */
export function planConfig(input: Omit<WireFileInput, 'image'>): Part<ConfigReceipt> {
  const { file } = input;
  const image = readImage(file.path);
  if (image === undefined && (file.create === 'if-present' || file.operations.length === 0))
    return { steps: [], notes: [] };
  requireWritable(file.path, image);
  if (file.operations.length === 0) return planWithdrawal(input);
  const { after, receipt, notes } = wireFile({ ...input, image });
  return { steps: writeStep(file.path, image, after), receipt, notes };
}

/** A file that only other forms of the wiring use: what they have left goes. */
function planWithdrawal({ client, file, old, surplus }: Omit<WireFileInput, 'image'>): Part<never> {
  const { steps, removed } = planConfigRemoval(withOperations(file, surplus), old);
  const notes: readonly Note[] = old === undefined && removed > 0 ? [replacedNote(client, file.path, removed)] : [];
  return { steps, notes };
}

/** Pure. */
export function wireFile({ client, file, image, old, surplus }: WireFileInput): WiredFile {
  const text = image === undefined ? undefined : decodeConfig(image.bytes, file.path);
  const known = old?.record ?? EMPTY_RECORD;
  const { kept, taken } = divide(file, surplus, known);
  const withdrawn =
    text === undefined ? undefined : unwire(text, withOperations(file, taken.operations), taken.record, true);
  const start = withdrawn?.text ?? text;
  // Without operations nothing of ours goes in, and a missing file stays missing.
  const wired =
    file.operations.length === 0
      ? { text: start ?? '', base: start ?? '', record: kept, foreign: [], replaced: 0, violations: [] }
      : wire(start, file, kept);
  const replaced = wired.replaced + (old === undefined ? (withdrawn?.removed ?? 0) : 0);
  const after: FileImage = { bytes: Buffer.from(wired.text, 'utf8'), mode: image?.mode ?? 0o600 };
  const receipt: ConfigReceipt =
    // Nothing to do: what an earlier run left, and what the user has changed since, stays told apart.
    old !== undefined && wired.text === text
      ? old
      : {
          path: file.path,
          existed: old?.existed ?? image !== undefined,
          untouched: old === undefined || (old.untouched && hasMark(image, old.left)),
          ...originalOf(image, wired.base, file, old),
          left: markOf(after),
          record: wired.record,
        };
  const notes: Note[] = [
    ...ruleNotes(wired, text, file),
    ...limitNotes(client, wired, text, file),
    ...(old === undefined ? switchNotes(client, wired.record, file.path) : []),
    ...(withdrawn === undefined ? [] : keptSwitches(withdrawn, file.path)),
  ];
  for (const path of wired.foreign) {
    notes.push({
      code: `${client.id}/foreign-entry`,
      isWarning: true,
      file: file.path,
      say: (t) => t.foreignEntry(file.path, path.join('.')),
    });
  }
  if (replaced > 0) {
    notes.push(replacedNote(client, file.path, replaced));
  }
  return { after, receipt, notes };
}

/** The client's rules that the file breaks; all of it was there before. `text` is the file as it is. */
function ruleNotes(wired: WiredConfig, text: string | undefined, file: ConfigFile): readonly Note[] {
  const before = text === undefined ? [] : file.check(readConfig(text, file));
  return wired.violations.map((violation, index) => {
    const { code, offset, message, fix } = violation;
    const isSame = (other: Pick<RuleViolation, 'code' | 'message'>): boolean =>
      other.code === code && other.message.en === message.en;
    const told = (line: number): Required<Pick<Note, 'say' | 'line'>> => ({
      line,
      say: (t) => t.clientRule(file.path, line, message[t.language], fix[t.language]),
    });
    const earlier = before.filter(isSame)[wired.violations.slice(0, index).filter(isSame).length];
    return {
      code,
      isWarning: true,
      file: file.path,
      ...told(placeOf(wired.text, offset).line),
      ...(text === undefined || earlier === undefined ? {} : { unwritten: told(placeOf(text, earlier.offset).line) }),
    };
  });
}

/** What the user had switched off and we switch on: it may hold for entries of others as well. */
function switchNotes({ id }: HarnessDeclaration, { scalars }: ConfigRecord, file: string): readonly Note[] {
  return scalars
    .filter(({ value, before }) => value === true && before?.trim() === 'false')
    .map(({ path }): Note => ({
      code: `${id}/switched-on`,
      isWarning: false,
      file,
      say: (t) => t.switchedOn(file, path.join('.')),
    }));
}

/** Hooks that the user gave less time than they plan with. */
function limitNotes(
  { id }: HarnessDeclaration,
  wired: WiredConfig,
  text: string | undefined,
  file: ConfigFile,
): readonly Note[] {
  const before = text === undefined ? [] : shortLimits(text, file);
  return shortLimits(wired.text, file).map(({ event, key, value, planned, offset }) => {
    const told = (line: number): Required<Pick<Note, 'say' | 'line'>> => ({
      line,
      say: (t) => t.shortTimeLimit(`${file.path}:${line}`, event, `${key}: ${value}`, `${key}: ${planned}`),
    });
    const earlier = before.find((other) => other.event === event && other.key === key);
    return {
      code: `${id}/short-time-limit`,
      isWarning: true,
      file: file.path,
      ...told(placeOf(wired.text, offset).line),
      ...(text === undefined || earlier === undefined ? {} : { unwritten: told(placeOf(text, earlier.offset).line) }),
    };
  });
}

function replacedNote({ id }: HarnessDeclaration, file: string, count: number): Note {
  return { code: `${id}/replaced-earlier`, isWarning: false, file, say: (t) => t.replacedEarlier(file, count) };
}

/** What the receipt knows of the file, split into what this form of the wiring keeps and what it takes out. */
function divide(
  file: ConfigFile,
  surplus: readonly ConfigOperation[],
  known: ConfigRecord,
): {
  readonly kept: ConfigRecord;
  readonly taken: { readonly operations: readonly ConfigOperation[]; readonly record: ConfigRecord };
} {
  const parentOf = ({ kind, path }: ConfigOperation): string => JSON.stringify([kind, path.slice(0, -1)]);
  const parents = new Set(file.operations.map(parentOf));
  const operations = surplus.filter((operation) => {
    const isKept = file.operations.some(({ kind, path }) => kind === operation.kind && samePath(path, operation.path));
    // In a list that this form uses too, wiring itself takes out what is not wanted.
    return !isKept && (operation.kind === 'scalar' || !parents.has(parentOf(operation)));
  });
  const isTaken = (path: readonly string[]): boolean => operations.some((operation) => samePath(operation.path, path));
  return {
    kept: {
      ...known,
      scalars: known.scalars.filter(({ path }) => !isTaken(path)),
      written: known.written.filter(({ path }) => !isTaken(path)),
    },
    taken: {
      operations,
      record:
        operations.length === 0
          ? EMPTY_RECORD
          : { ...known, scalars: known.scalars.filter(({ path }) => isTaken(path)) },
    },
  };
}

/** The bytes that uninstall returns to: those of before the first installation, without an earlier installer's wiring. */
function originalOf(
  image: FileImage | undefined,
  base: string,
  file: ConfigFile,
  old: ConfigReceipt | undefined,
): { readonly original?: StoredFile } {
  if (old !== undefined) {
    return old.original !== undefined && hasMark(image, old.left) ? { original: old.original } : {};
  }
  // Ours was there without a receipt: how the file looked before is not known.
  if (image === undefined || unwire(base, file, EMPTY_RECORD).text !== base) return {};
  return { original: { mode: image.mode, content: Buffer.from(base, 'utf8').toString('base64') } };
}

/** What a file becomes when all of ours goes; undefined for one that goes itself. */
export interface UnwiredFile {
  readonly after: FileImage | undefined;
  /** How many handlers and entries were taken out one by one. */
  readonly removed: number;
  readonly notes: readonly Note[];
  /** True for a file that stays with nothing in it, because no receipt tells who made it. */
  readonly isBare?: boolean;
}

export function planConfigRemoval(
  file: ConfigFile,
  receipt: ConfigReceipt | undefined,
): Part<never> & Pick<UnwiredFile, 'removed' | 'isBare'> {
  const before = readImage(file.path);
  if (before === undefined) return { steps: [], notes: [], removed: 0 };
  const { after, ...unwired } = unwireFile(file, receipt, before);
  const steps: readonly Step[] =
    after === undefined ? [{ kind: 'remove', path: file.path, before }] : writeStep(file.path, before, after);
  return { steps, ...unwired };
}

/** Pure. A file that still has the bytes we left gets its original ones back. */
export function unwireFile(file: ConfigFile, receipt: ConfigReceipt | undefined, before: FileImage): UnwiredFile {
  if (receipt?.untouched === true && hasMark(before, receipt.left)) {
    if (!receipt.existed) return { after: undefined, notes: [], removed: 0 };
    if (receipt.original !== undefined) return { after: storedImage(receipt.original), notes: [], removed: 0 };
  }
  const text = decodeConfig(before.bytes, file.path);
  const operations = [...file.operations, ...(file.withdrawn ?? [])];
  // Without a receipt nobody knows who made a list or a map: what nobody but us has filled goes with us.
  const record = receipt?.record ?? { ...EMPTY_RECORD, containers: filledContainers(text, file, operations) };
  const unwired = unwire(text, withOperations(file, operations), record);
  const { removed } = unwired;
  if (unwired.text === text) return { after: before, notes: [], removed };
  const edited: Note = {
    code: 'file/edited-since',
    isWarning: false,
    file: file.path,
    say: (t) => t.onlyOurs(file.path, removed),
  };
  if (receipt === undefined && removed > 0 && holdsOnlyFormat(unwired.text, file))
    return { after: undefined, notes: [], removed };
  const notes =
    receipt === undefined
      ? unknownSwitches(unwired.text, withOperations(file, operations))
      : [edited, ...keptSwitches(unwired, file.path)];
  if (receipt?.existed === false && unwired.isHollow) return { after: undefined, notes, removed };
  return {
    after: { bytes: Buffer.from(unwired.text, 'utf8'), mode: before.mode },
    notes,
    removed,
    isBare: receipt === undefined && (unwired.isHollow || isFormatAlone(unwired.text, file)),
  };
}

/** Switches that we had put on and that a hook which was added since needs. */
function keptSwitches({ keptOn = [] }: UnwiredConfig, path: string): readonly Note[] {
  return keptOn.map((where) => ({
    code: 'file/switch-kept',
    isWarning: false,
    file: path,
    say: (t) => t.switchKept(path, where.join('.')),
  }));
}

/** Switches that are on where no receipt tells whether they were on before. */
function unknownSwitches(text: string, file: ConfigFile): readonly Note[] {
  const { root } = readConfig(text, file);
  // Every form of the wiring may name it.
  const names = new Set(
    file.operations
      .filter((operation) => operation.kind === 'scalar' && isSwitch(operation, file.operations))
      .filter(({ path }) => nodeAt(root, path)?.value === true)
      .map(({ path }) => path.join('.')),
  );
  return [...names].map((where) => ({
    code: 'file/switch-unknown',
    isWarning: false,
    file: file.path,
    say: (t) => t.switchUnknown(file.path, where),
  }));
}

/**
 * True for a file with nothing in it but values that the client's rules demand of every file: without a receipt nobody knows
 * who wrote them, and alone they say nothing.
 */
function holdsOnlyFormat(text: string, file: ConfigFile): boolean {
  return (
    isFormatAlone(text, file) && file.check(readConfig('{}', file)).length > file.check(readConfig(text, file)).length
  );
}

/** True for a file with nothing in it but values that ours sets too, and that decide over nothing. */
function isFormatAlone(text: string, file: ConfigFile): boolean {
  if (file.format !== 'json') return false;
  const scalars = file.operations.flatMap((operation) =>
    operation.kind === 'scalar' && !isSwitch(operation, file.operations)
      ? [{ path: operation.path, value: operation.value }]
      : [],
  );
  return scalars.length > 0 && unwire(text, { ...file, operations: [] }, { ...EMPTY_RECORD, scalars }).isHollow;
}

/** The lists and maps of the operations that hold something. */
function filledContainers(
  text: string,
  file: ConfigFile,
  operations: readonly ConfigOperation[],
): readonly (readonly string[])[] {
  const { root } = readConfig(text, file);
  const containers = operations.flatMap((operation) => {
    const isList = operation.kind !== 'entry' && operation.kind !== 'scalar';
    const depth = operation.kind === 'scalar' ? 0 : operation.path.length - (isList ? 0 : 1);
    return Array.from({ length: depth }, (_, index) => operation.path.slice(0, index + 1));
  });
  const distinct = containers.filter((one, index) => containers.findIndex((other) => samePath(one, other)) === index);
  return distinct.filter((container) => (nodeAt(root, container)?.children ?? []).length > 0);
}

export function storedImage({ content, mode }: StoredFile): FileImage {
  return { bytes: Buffer.from(content, 'base64'), mode };
}

/** A replaced file would be written although its own permissions forbid it: whoever set them meant something. */
export function requireWritable(path: string, image: FileImage | undefined): void {
  if (image === undefined || (image.mode & 0o200) !== 0) return;
  throw new Refusal({
    code: 'file/read-only',
    file: path,
    say: (t) => t.readOnly(path),
    next: (t) => t.readOnlyNext(path),
  });
}

/** True when the operations put hooks in; otherwise a server, or something beside. */
export function hasHooks({ operations }: ConfigFile): boolean {
  return operations.some(({ kind }) => kind === 'handler' || kind === 'flat-handler');
}

export function hasServer({ operations }: ConfigFile): boolean {
  return operations.some(({ kind }) => kind === 'entry');
}
