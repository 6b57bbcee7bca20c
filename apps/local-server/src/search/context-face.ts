/**
 * Fits hits into a token budget and renders them as the block a client injects unchanged. What does not fit in full is
 * shown by its abstract, then by its address alone: the model can read it, and the budget is never exceeded.
 */
import { estimateTokens } from '@openviking/memory-core/full';
import { storableText } from '../memory/bounded-text.ts';
import { uriOfPath } from '../viking-uri.ts';
import type { Hit } from './search.ts';

export type Detail = 'full' | 'abstract' | 'uri';

export interface ContextEntry {
  readonly uri: string;
  readonly path: string;
  readonly category: string;
  readonly score: number;
  readonly detail: Detail;
  readonly text: string;
  readonly origin: 'self' | 'peer';
}

export interface ContextBlock {
  readonly entries: readonly ContextEntry[];
  readonly rendered: string;
  readonly usedTokens: number;
  readonly dropped: number;
}

/** How many hits of each category take part where the client names no quotas of its own. */
export const DEFAULT_QUOTAS: Readonly<Record<string, number>> = { events: 6, preferences: 3, entities: 3 };

/** At most `quotas[category]` hits of each category, in their order; categories that are not named are left out. */
export function withinQuotas(hits: readonly Hit[], quotas: Readonly<Record<string, number>>): Hit[] {
  const taken = new Map<string, number>();
  return hits.filter(({ memory }) => {
    const count = (taken.get(memory.category) ?? 0) + 1;
    taken.set(memory.category, count);
    return count <= (quotas[memory.category] ?? 0);
  });
}

/** Renders `hits`, best first, within `maxTokens`. */
export function contextBlock(hits: readonly Hit[], maxTokens: number, peerId: string | undefined): ContextBlock {
  // One long memory must not push out the others; what it leaves over is given out again below.
  const fairShare = hits.length === 0 ? 0 : Math.floor((maxTokens / hits.length) * 2);
  const chosen: { hit: Hit; detail: Detail; tokens: number }[] = [];
  let left = maxTokens;
  for (const hit of hits) {
    const fitting = (['full', 'abstract', 'uri'] as const).find((detail) => {
      const tokens = costOf(hit, detail);
      return tokens <= left && (detail === 'uri' || tokens <= fairShare);
    });
    if (fitting === undefined) continue;
    const tokens = costOf(hit, fitting);
    chosen.push({ hit, detail: fitting, tokens });
    left -= tokens;
  }
  for (const entry of chosen) {
    const full = costOf(entry.hit, 'full');
    if (entry.detail === 'full' || full - entry.tokens > left) continue;
    left -= full - entry.tokens;
    entry.detail = 'full';
    entry.tokens = full;
  }
  return {
    entries: chosen.map(({ hit, detail }) => ({
      uri: uriOfPath(hit.memory.path),
      path: hit.memory.path,
      category: hit.memory.category,
      score: rounded(hit.score),
      detail,
      text: textOf(hit, detail),
      origin: hit.memory.peerId === undefined || hit.memory.peerId === peerId ? 'self' : 'peer',
    })),
    rendered: chosen.map(({ hit, detail }) => element(hit, detail)).join('\n'),
    usedTokens: maxTokens - left,
    dropped: hits.length - chosen.length,
  };
}

function costOf(hit: Hit, detail: Detail): number {
  return estimateTokens(`${element(hit, detail)}\n`);
}

function textOf({ memory }: Hit, detail: Detail): string {
  if (detail === 'uri') return '';
  return detail === 'full' ? memory.content : memory.abstract;
}

function element(hit: Hit, detail: Detail): string {
  const { memory } = hit;
  const attributes = [
    ['uri', uriOfPath(memory.path)],
    ['type', memory.category],
    ['date', new Date(memory.createdAt).toISOString().slice(0, 10)],
    ...(memory.peerId === undefined ? [] : [['workspace', memory.peerId] as const]),
    ['score', rounded(hit.score).toFixed(2)],
    ['detail', detail],
  ]
    .map(([name, value]) => `${name}="${attributeText(String(value))}"`)
    .join(' ');
  const text = elementText(textOf(hit, detail));
  return text === '' ? `<memory ${attributes}/>` : `<memory ${attributes}>\n${text}\n</memory>`;
}

function attributeText(text: string): string {
  return storableText(text).replace(/[<>&"\r\n]/g, (character) => ATTRIBUTE_ESCAPES[character] ?? ' ');
}

const ATTRIBUTE_ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

/** Code stays readable; only what could end or fake an element of ours is broken up. */
function elementText(text: string): string {
  return text.replace(/<(?=\/?memory[\s>/])/gi, '&lt;');
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
