/**
 * What the model is told when a conversation starts: who the user is, which memories and skills there are, and on a resumed
 * conversation what was said before. Built from independent requests, each of which may fail without harm to the others.
 */
import type { Settings } from '../contract/settings.ts';
import { cutText, estimateTokens } from '../capture/cut.ts';
import { isObject } from '../fs/json-object.ts';
import type { ApiClient, ApiFailure, ApiResult } from '../http/api.ts';
import { neutralise, wrapContext } from './envelope.ts';

const PROFILE_URI = 'viking://~/memories/profile.md';
const LISTED = ['viking://~/memories/preferences', 'viking://~/memories/entities'] as const;

export interface OpeningInput {
  readonly client: ApiClient;
  readonly settings: Settings;
  readonly session: string;
  readonly peer?: string;
  /** Resumed or compacted: the archive's overview belongs in. */
  readonly resumed: boolean;
  readonly timeoutMs: number;
  /** UTF-8 bytes that the host takes, 0 = any. */
  readonly maxBytes: number;
}

export interface OpeningResult {
  /** Empty when there is nothing to say. */
  readonly text: string;
  /** The first failure that was not "there is no such thing". */
  readonly failure?: ApiFailure;
  /** Not one request was answered usefully: the failure is the server's and not one route's. */
  readonly unanswered: boolean;
}

interface Parts {
  profile: string;
  listings: { uri: string; lines: string[]; more: number }[];
  skills: { lines: string[]; more: number };
  archive: string;
}

export async function openingContext(input: OpeningInput): Promise<OpeningResult> {
  const { settings } = input;
  const get = (path: string): Promise<ApiResult> =>
    input.client.call({
      method: 'GET',
      path,
      timeoutMs: input.timeoutMs,
      ...(input.peer === undefined ? {} : { peer: input.peer }),
    });
  const [profile, preferences, entities, skills, archive] = await Promise.all([
    get(`/content/read?uri=${encodeURIComponent(PROFILE_URI)}`),
    ...LISTED.map((uri) =>
      get(`/fs/ls?uri=${encodeURIComponent(uri)}&output=agent&recursive=true&abs_limit=512&node_limit=512`),
    ),
    settings.skillCatalog ? get('/skills?node_limit=200') : undefined,
    input.resumed && settings.resumeArchiveInject
      ? get(`/sessions/${encodeURIComponent(input.session)}/context?token_budget=${settings.resumeArchiveTokenBudget}`)
      : undefined,
  ]);
  const results = [profile, preferences, entities, skills, archive];
  const failure = results.flatMap((result) =>
    result !== undefined && !result.ok && result.failure.class !== 'missing' ? [result.failure] : [],
  )[0];
  const half = settings.profileTokenBudget / 2;
  const listings = [preferences, entities].map((result, index) =>
    listing(LISTED[index] ?? '', valueOf(result), half / 2),
  );
  const parts: Parts = {
    profile: shortenProfile(textOf(valueOf(profile)), half),
    listings,
    skills: catalogue(valueOf(skills), settings.skillCatalogTokenBudget),
    archive: archiveText(valueOf(archive), settings.resumeArchiveTokenBudget),
  };
  const text = fit(parts, input.maxBytes);
  const unanswered = failure !== undefined && !results.some((result) => result?.ok === true);
  return { text, unanswered, ...(failure === undefined ? {} : { failure }) };
}

/** A profile over budget keeps its first 8 lines and as much of its tail as fits. */
export function shortenProfile(profile: string, tokenBudget: number): string {
  const text = profile.trim();
  if (estimateTokens(text) <= tokenBudget) return text;
  const lines = text.split('\n');
  const head = lines.slice(0, 8);
  const tail: string[] = [];
  let tokens = estimateTokens(head.join('\n'));
  for (let index = lines.length - 1; index >= 8; index -= 1) {
    tokens += estimateTokens(`${lines[index]}\n`);
    if (tokens > tokenBudget) break;
    tail.unshift(lines[index] ?? '');
  }
  const short = [...head, '…', ...tail].join('\n');
  return estimateTokens(short) <= tokenBudget + 8 ? short : cutText(short, Math.floor(tokenBudget / 1.5));
}

function listing(uri: string, value: unknown, tokenBudget: number): { uri: string; lines: string[]; more: number } {
  const entries = listOf(value).filter((entry) => entry['isDir'] !== true);
  const lines = entries.map((entry) => {
    const name = stringOf(entry['rel_path']) || stringOf(entry['name']);
    const abstract = oneLine(stringOf(entry['abstract']));
    return `- ${uri}/${name}${abstract === '' ? '' : `: ${abstract}`}`;
  });
  return { uri, ...within(lines, tokenBudget) };
}

function catalogue(value: unknown, tokenBudget: number): { lines: string[]; more: number } {
  const lines = listOf(value).flatMap((skill) => {
    const name = stringOf(skill['name']);
    if (name === '') return [];
    const uri = stringOf(skill['uri']);
    const description = oneLine(stringOf(skill['description']));
    return [`- ${name}${uri === '' ? '' : ` (${uri})`}${description === '' ? '' : `: ${description}`}`];
  });
  return within(lines, tokenBudget);
}

function within(lines: readonly string[], tokenBudget: number): { lines: string[]; more: number } {
  const kept: string[] = [];
  let tokens = 0;
  for (const line of lines) {
    tokens += estimateTokens(`${line}\n`);
    if (tokens > tokenBudget) break;
    kept.push(line);
  }
  return { lines: kept, more: lines.length - kept.length };
}

function archiveText(value: unknown, tokenBudget: number): string {
  if (!isObject(value)) return '';
  const overview = stringOf(value['latest_archive_overview']).trim();
  return estimateTokens(overview) <= tokenBudget ? overview : cutText(overview, Math.floor(tokenBudget / 1.5));
}

/** Fits the whole into the host's limit: listings shrink first, then the catalogue, then the profile. */
function fit(parts: Parts, maxBytes: number): string {
  for (;;) {
    const text = render(parts);
    if (maxBytes <= 0 || Buffer.byteLength(text) <= maxBytes) return text;
    const longest = parts.listings.reduce((a, b) => (a.lines.length >= b.lines.length ? a : b));
    if (longest.lines.length > 0) shrink(longest);
    else if (parts.skills.lines.length > 0) shrink(parts.skills);
    else if (parts.archive.length > 200) parts.archive = cutText(parts.archive, Math.floor(parts.archive.length * 0.7));
    else if (parts.profile.length > 100) parts.profile = cutText(parts.profile, Math.floor(parts.profile.length * 0.7));
    else return '';
  }
}

function shrink(list: { lines: string[]; more: number }): void {
  const drop = Math.max(1, Math.floor(list.lines.length / 4));
  list.lines = list.lines.slice(0, -drop);
  list.more += drop;
}

function render(parts: Parts): string {
  const blocks: string[] = [];
  if (parts.profile !== '')
    blocks.push(`<user-profile uri="${PROFILE_URI}">\n${neutralise(parts.profile)}\n</user-profile>`);
  const memories = parts.listings.flatMap((list) => rows(list));
  if (memories.length > 0)
    blocks.push(`<available-memories>\n${neutralise(memories.join('\n'))}\n</available-memories>`);
  const skills = rows(parts.skills);
  if (skills.length > 0) blocks.push(`<available-skills>\n${neutralise(skills.join('\n'))}\n</available-skills>`);
  if (parts.archive !== '') blocks.push(`Earlier in this conversation:\n${neutralise(parts.archive)}`);
  return blocks.length === 0 ? '' : wrapContext('session-start', blocks.join('\n'));
}

function rows(list: { lines: readonly string[]; more: number }): string[] {
  if (list.lines.length === 0) return [];
  return list.more > 0 ? [...list.lines, `… +${list.more} more`] : [...list.lines];
}

function valueOf(result: ApiResult | undefined): unknown {
  return result?.ok === true ? result.value : undefined;
}

function listOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  const list = value['entries'] ?? value['skills'] ?? value['items'];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : isObject(value) ? stringOf(value['content']) : '';
}

function oneLine(text: string): string {
  return cutText(text.replace(/\s+/gu, ' ').trim(), 200);
}
