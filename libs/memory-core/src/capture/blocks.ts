/**
 * Cuts blocks out of a text by the names of their tags: what we and the hosts inject must not be captured, while a text
 * that only talks about such a tag must lose nothing.
 *
 * - A pair of opening and closing tag is a block wherever it stands, tool output and code included; pairs nest.
 * - A tag between two quotation marks or backticks (`` `<system-reminder>` ``) is a mention, never a block.
 * - An opening tag that is never closed starts a block to the end of the text only when it looks injected: our own tag
 *   with its `source` or its first line, or any other that stands at the start of a line, outside a fenced code block,
 *   with its text on the next line or directly behind it. A sentence that merely names a tag keeps its rest.
 * - A closing tag that was never opened goes only when it stands at the start of a line.
 * - `<user-profile>` could be somebody's web component: it counts only with a `viking:` address in its attributes.
 */
import { isMention, scanTags } from '../privacy/tags.ts';
import type { Tag } from '../privacy/tags.ts';
import { ENVELOPE_NOTE, ENVELOPE_TAG } from '../recall/envelope.ts';

/** A tag that only comes about because a block was cut out around it is split with this. */
const SEAM = '…';
/** What is left may look like a block now that its neighbour is gone. */
const MOST_PASSES = 6;
/** Longest stretch on either side of a cut that could join into a tag. */
const SEAM_REACH = 160;
const NOTE_START = ENVELOPE_NOTE.slice(0, 24);

/**
 * `text` without the blocks of these tags, whose names are given in lower case with `-` for `_`; however a tag is
 * spelled, it is found. Linear and idempotent.
 */
export function withoutBlocks(text: string, names: ReadonlySet<string>): string {
  let result = text;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = result;
    result = cutOnce(before, names);
    if (result === before) break;
  }
  return result;
}

interface Block {
  readonly start: number;
  readonly end: number;
  /** For tags without a partner: decided when the text before them is known. */
  readonly lone?: Tag;
}

function cutOnce(text: string, names: ReadonlySet<string>): string {
  const tags = scanTags(text, names).filter((tag) => !isMention(text, tag) && mayBeOurs(tag));
  if (tags.length === 0) return text;
  const output = new Output(names);
  let from = 0;
  let fenced: ((position: number) => boolean) | undefined;
  for (const block of pairUp(tags)) {
    if (block.start < from) {
      // Overlaps a block that is already out; what reaches further goes with it.
      if (block.lone === undefined && block.end > from) from = block.end;
      continue;
    }
    const tag = block.lone;
    if (tag !== undefined) {
      const lineStart = output.atLineStart(text.slice(Math.max(from, tag.start - SEAM_REACH), tag.start));
      fenced ??= fences(text);
      if (tag.kind === 'open' ? !looksInjected(text, tag, lineStart, fenced) : !lineStart) continue;
    }
    output.add(text.slice(from, block.start));
    from = block.end;
  }
  output.add(text.slice(from));
  return output.text();
}

/** Kept text, with a seam where two kept pieces would join into a tag. */
class Output {
  readonly #names: ReadonlySet<string>;
  readonly #pieces: string[] = [];
  #tail = '';

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  add(piece: string): void {
    if (piece === '') return;
    if (this.#tail !== '') {
      const reach = this.#tail + piece.slice(0, SEAM_REACH);
      const joined = scanTags(reach, this.#names).some(
        (tag) => tag.start < this.#tail.length && tag.end > this.#tail.length,
      );
      if (joined) this.#pieces.push(SEAM);
    }
    this.#pieces.push(piece);
    this.#tail = (this.#tail + piece.slice(-SEAM_REACH)).slice(-SEAM_REACH);
  }

  /**
   * True when nothing but blanks stands before on the current line, `pending` being kept text that is not added yet; an
   * escaped line break counts as one.
   */
  atLineStart(pending: string): boolean {
    const before = (this.#tail + pending).slice(-SEAM_REACH);
    return /(?:^|\n|\\n)[ \t"]*$/.test(before) && !(before.length === SEAM_REACH && /^[ \t"]*$/.test(before));
  }

  text(): string {
    return this.#pieces.join('');
  }
}

/**
 * Blocks in order of their start. Within one name, a closing tag belongs to the nearest open tag before it. An opening
 * tag that is left over ends at the next closing tag of its name, or with the text.
 */
function pairUp(tags: readonly Tag[]): readonly Block[] {
  const blocks: Block[] = [];
  const open = new Map<string, Tag[]>();
  for (const tag of tags) {
    const stack = open.get(tag.name) ?? [];
    open.set(tag.name, stack);
    if (tag.kind === 'void') blocks.push({ start: tag.start, end: tag.end });
    else if (tag.kind === 'open') stack.push(tag);
    else {
      const opener = stack.pop();
      blocks.push(
        opener === undefined ? { start: tag.start, end: tag.end, lone: tag } : { start: opener.start, end: tag.end },
      );
    }
  }
  // Read backwards, every left-over opening tag meets the first closing tag behind it.
  const nextClose = new Map<string, number>();
  for (const tag of [...tags].reverse()) {
    if (tag.kind === 'close') nextClose.set(tag.name, tag.end);
    else if (tag.kind === 'open' && open.get(tag.name)?.at(-1) === tag) {
      open.get(tag.name)?.pop();
      blocks.push({ start: tag.start, end: nextClose.get(tag.name) ?? Infinity, lone: tag });
    }
  }
  return blocks.sort((a, b) => a.start - b.start || b.end - a.end);
}

function mayBeOurs(tag: Tag): boolean {
  if (tag.kind === 'close') return true;
  if (!tag.complete) return false;
  return tag.name !== 'user-profile' || tag.attributes.includes('viking:');
}

function looksInjected(text: string, tag: Tag, atLineStart: boolean, fenced: (position: number) => boolean): boolean {
  const behind = text.slice(tag.end, tag.end + 200);
  if (tag.name === ENVELOPE_TAG) {
    if (/\bsource\s*=/i.test(tag.attributes) || behind.trimStart().startsWith(NOTE_START)) return true;
  }
  return atLineStart && /^(?:[ \t]*(?:\r?\n|\\n)|[^\s\\])/.test(behind) && !fenced(tag.start);
}

/** Tells whether a position lies inside a fenced code block. */
function fences(text: string): (position: number) => boolean {
  const marks = [...text.matchAll(/^[ \t]{0,3}```/gm)].map((match) => match.index);
  return (position) => {
    let low = 0;
    let high = marks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((marks[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low % 2 === 1;
  };
}
