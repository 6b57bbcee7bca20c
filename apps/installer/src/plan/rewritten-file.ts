/**
 * A settings file that the client's commands rewrite. They write it whole, without comments and in their own order: here the
 * author's text is kept, with the client's additions in it.
 */
import { Refusal } from '../cli/refusal.ts';
import { readImage } from '../files/image.ts';
import { decodeConfig, parseDocument, placeOf, toConfigDocument, valueAt } from '../json/document.ts';
import { learnOperations, withLearned } from '../registration/learned.ts';
import { foreignMarketplace, mentionsIn, sameButForUs, valueOf, withoutMentions } from '../registration/mentions.ts';
import { placeOfPlugin } from '../registration/plugin-names.ts';
import { requireWritable, wireFile } from './config-plan.ts';
import type { ConfigFile, ConfigOperation, HarnessDeclaration } from '@openviking/memory-core/full';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { FileImage } from '../files/image.ts';
import type { ConfigReceipt } from '../receipts/receipt.ts';
import type { PluginNames } from '../registration/mentions.ts';
import type { Note } from './note.ts';
import type { RegistrationInput } from './registration-input.ts';

/** A file that the client's commands rewrite. */
export interface RewrittenFile {
  readonly path: string;
  readonly image: FileImage | undefined;
  /** Without our plugin, and without what earlier installers had put there. */
  readonly start: string;
  readonly mentions: readonly (readonly string[])[];
  readonly declared: ConfigFile | undefined;
  readonly surplus: readonly ConfigOperation[];
  readonly old: ConfigReceipt | undefined;
  readonly learned: readonly ConfigOperation[];
  /** True when wiring it as it stands would change nothing. */
  readonly isCurrent: boolean;
  readonly notes: readonly Note[];
}

/** The file as it is. Throws a refusal when it cannot be read or written, or when it knows another marketplace of our name. */
export function rewrittenFile(input: RegistrationInput, names: PluginNames, path: string): RewrittenFile {
  const { client, registration } = input;
  const image = readImage(path);
  requireWritable(path, image);
  const text = image === undefined ? '' : decodeConfig(image.bytes, path);
  const document = parseDocument(text, path);
  requireOwnMarketplace(text, path, names, registration);
  const mentions = mentionsIn(valueOf(text, path) ?? {}, names);
  const known = input.old?.rewrites.find((file) => file.path === path)?.operations ?? [];
  const old = input.configs.find((config) => config.path === path);
  const { file: declared, surplus = [] } = input.files.find(({ file }) => file.path === path) ?? {};
  const wired = withLearned(path, declared, known, names, placeOfPlugin(registration));
  const { after, notes } = wireFile({ client, file: wired, image, old, surplus });
  const isRefusedByClient = notes.some(({ isWarning, line }) => isWarning && line !== undefined);
  const oddity = toConfigDocument(document).oddities.find(
    ({ kind }) => kind === 'comment' || kind === 'trailing-comma',
  );
  const line = oddity === undefined ? undefined : placeOf(text, oddity.offset).line;
  return {
    path,
    image,
    start: withoutMentions(text, path, names).text,
    mentions,
    declared,
    surplus,
    old,
    learned: known,
    isCurrent: image !== undefined && Buffer.compare(after.bytes, image.bytes) === 0,
    notes: [
      ...notes.filter(({ code }) => !code.endsWith('/replaced-earlier')),
      ...(line === undefined || isRefusedByClient
        ? []
        : [
            {
              code: `${client.id}/not-strict-json`,
              isWarning: true,
              file: path,
              line,
              say: (t) => t.strictJson(path, line),
            } satisfies Note,
          ]),
      ...(mentions.length > 0 && input.old === undefined
        ? [
            {
              code: `${client.id}/replaced-earlier`,
              isWarning: false,
              file: path,
              say: (t) => t.replacedEarlier(path, mentions.length),
            } satisfies Note,
          ]
        : []),
    ],
  };
}

/** The client knows one marketplace of a name: adding ours would take the place of another with all its plugins. */
function requireOwnMarketplace(
  text: string,
  path: string,
  names: PluginNames,
  { commands, remove }: DistributedRegistration,
): void {
  const foreign = foreignMarketplace(valueOf(text, path) ?? {}, names);
  if (foreign === undefined) return;
  const { line, column } = placeOf(text, valueAt(parseDocument(text, path).root, foreign)?.offset ?? 0);
  const args = remove.find((words) => words.at(-1) === names.marketplace) ?? [];
  throw new Refusal({
    code: 'client/foreign-marketplace',
    file: path,
    say: (t) => t.foreignMarketplace(`${path}:${line}`, names.marketplace),
    next: (t) => t.foreignMarketplaceNext([commands[0] ?? '', ...args].join(' ')),
    place: { line, column },
  });
}

/**
 * The file as it was, with the client's additions in its own hand. Where more has changed while its commands ran, the file
 * as it is now stands in for the one of before: that was the user, or the client in the user's name.
 */
export function settle(
  client: HarnessDeclaration,
  folder: string,
  names: PluginNames,
  { path, image, start, declared, surplus, old }: RewrittenFile,
  now: FileImage | undefined,
): { readonly after: FileImage; readonly receipt: ConfigReceipt; readonly learned: readonly ConfigOperation[] } {
  const after = now === undefined ? {} : (valueOf(decodeConfig(now.bytes, path), path) ?? {});
  const learned = learnOperations(after, names);
  const file = withLearned(path, declared, learned, names, folder);
  // What a receipt knows is told apart in the file as it is; what nobody knows goes first.
  const own = old === undefined && image !== undefined ? { ...image, bytes: Buffer.from(start, 'utf8') } : image;
  const isOnlyUs = sameButForUs(valueOf(start, path) ?? {}, after, names);
  const theirs = now !== undefined && old === undefined ? withoutOurMaps(now, path, start, names) : now;
  const wired = wireFile({ client, file, image: isOnlyUs ? own : theirs, old, surplus });
  // The client writes this file by itself at any time: its bytes are kept for as long as it says the same without us.
  const original = old === undefined ? wired.receipt.original : old.original;
  const { original: _, ...rest } = wired.receipt;
  const receipt: ConfigReceipt = {
    ...rest,
    existed: old?.existed ?? image !== undefined,
    untouched: true,
    ...(original === undefined ? {} : { original }),
  };
  return { after: wired.after, receipt, learned };
}

/** Without our plugin, and without the maps that the client has made for it. */
function withoutOurMaps(now: FileImage, path: string, start: string, names: PluginNames): FileImage {
  const { text } = withoutMentions(decodeConfig(now.bytes, path), path, names, valueOf(start, path));
  return { ...now, bytes: Buffer.from(text, 'utf8') };
}

/** Steps of the declaration that name something which stands in one of the files. */
export function namedIn(
  files: readonly Pick<RewrittenFile, 'mentions'>[],
  steps: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const found = new Set(files.flatMap(({ mentions }) => mentions.map((path) => path.at(-1))));
  return steps.filter((args) => found.has(args.at(-1)));
}
