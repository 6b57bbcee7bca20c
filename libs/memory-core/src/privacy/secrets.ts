/**
 * Everything that finds secrets: a bundle of its own, which a hook loads only for a text that may hold one (`redact.ts`).
 * Better a readable text with one mark too few words long than a key in somebody's memory; but hashes, ids and code stay,
 * or captured work would be worthless. Marks hold no quotes and no backslashes, so JSON stays JSON; applied twice, nothing
 * more changes.
 */
import { DEEPEST, TOO_DEEP } from './deep.ts';
import { redactDisguised } from './disguise.ts';
import { redactFormats } from './formats.ts';
import { isStandIn, PLACE_WORDS, redactPlaces } from './secret-commands.ts';
import { redactManifests } from './secret-manifests.ts';
import { isPrivateMember, redactDigest, redactEncrypted, redactJsonWebKeys, redactSeeds } from './secret-material.ts';
import { redactNamed, redactNamedValue } from './secret-names.ts';
import { redactProse } from './secret-prose.ts';
import { looksRandom, isPlaceholder } from './secret-values.ts';
import {
  lowerCase,
  NAME_WORDS,
  PARAMETER,
  PASSWORD_PARAMETER,
  SHORT_NAME_WORDS,
  STEP_WORDS,
  USER_INFO,
} from './secret-words.ts';
import { WordTable } from './word-table.ts';

/**
 * `text` with every secret replaced by a mark of its kind. `insideKey`: the text before it may have ended inside a private
 * key, whose rest this one begins with.
 */
export function redactSecrets(text: string, insideKey = false): string {
  let result = insideKey ? redactKeyRest(text) : text;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = result;
    result = redactDisguised(redactPlain(before), redactPlain);
    if (result === before) break;
  }
  return result;
}

function redactPlain(text: string): string {
  words ??= new WordTable([...NAME_WORDS, ...PLACE_WORDS, ...Object.values(STEP_WORDS).flat(), ...BESIDE_NAMES]);
  const occurring = words.occurringIn(lowerCase(text));
  const opens = (step: keyof typeof STEP_WORDS): boolean => STEP_WORDS[step].some((word) => occurring.has(word));
  let result = opens('privateKeys') ? redactPrivateKeys(text) : text;
  result = redactAddresses(redactFormats(result));
  if (opens('logins')) result = redactLogins(result);
  if (opens('headers')) result = redactHeaders(result);
  result = redactPlaces(result, occurring);
  if (opens('manifests')) result = redactManifests(result);
  if (opens('jsonWebKeys')) result = redactJsonWebKeys(result);
  if (opens('seeds')) result = redactSeeds(result);
  return redactProse(redactNamed(result, occurring), occurring);
}

/** What the search for names looks for beside them. */
const BESIDE_NAMES: readonly string[] = ['value', 'default', 'login', ...SHORT_NAME_WORDS];
/** Made at first use. */
let words: WordTable | undefined;

/** Texts with secrets are gone over again: two that touch are told apart once the first is a mark. */
const MOST_PASSES = 4;

/**
 * The same for a JSON value: every string, keys included, and besides every value whose key names a secret
 * (`{"password": …}`), also written as a pair (`{"name": "DB_PASSWORD", "value": …}`) or as arguments
 * (`["--token", …]`).
 */
export function redactDeep(value: unknown): unknown {
  return redactValue(value, undefined, 0);
}

function redactValue(value: unknown, name: string | undefined, depth: number): unknown {
  if (typeof value === 'string') {
    const redacted = redactSecrets(value);
    return name === undefined ? redacted : redactNamedValue(name, redacted);
  }
  if (typeof value === 'number') return name === undefined ? value : redactNumber(name, value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return TOO_DEEP;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const before: unknown = value[index - 1];
      const flag = typeof before === 'string' && /^--?[A-Za-z][\w-]*$/.test(before) ? before : undefined;
      return redactValue(item, flag ?? name, depth + 1);
    });
  }
  const entries = Object.entries(value);
  const given = entries.find(([key, item]) => /^(?:name|key|variable)$/i.test(key) && typeof item === 'string');
  return Object.fromEntries(
    entries.map(([key, item]) => {
      if (typeof item === 'string' && isPrivateMember(value, key)) return [key, mark('private-key')] as const;
      const called = given !== undefined && /^value$/i.test(key) ? String(given[1]) : key;
      return [redactSecrets(key), redactValue(item, called, depth + 1)] as const;
    }),
  );
}

/** A number under a password's name is a password too; under any other it is a count. */
function redactNumber(name: string, value: number): number | string {
  const text = String(value);
  const redacted = redactNamedValue(name, text);
  return redacted === text ? value : redacted;
}

const mark = (id: string): string => `[redacted:${id}]`;

// ------------------------------------------------------------------------------------------------ private keys

const KEY_BEGIN = /-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** What may stand between the two lines when the key is one piece of text; escaped line breaks included. */
const KEY_BODY = /(?:[A-Za-z0-9+/=\s:,.@()-]|\\+[nr])*/y;
const KEY_END = /-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** The number of a line or the mark of a quotation, as some tools put it before a line. */
const LINE_NUMBER = '(?:[0-9]{1,6}(?:→|[|:]|\\s|\\\\+t)[ \\t]{0,4})?(?:[>+|][ \\t]?)?';
/** A line break of any kind. */
const KEY_BREAK = `(?:\\s|\\\\+[nrt])+${LINE_NUMBER}`;
const KEY_HEADERS = `(?:${KEY_BREAK}(?:Proc-Type|DEK-Info|Comment|Version|Subject|Hash|Charset): ?[^\\n\\\\]{0,200})*`;
/** The last line of a key is shorter. */
const LAST_LINE = `(?:${KEY_BREAK}[A-Za-z0-9+/]+={0,2}(?=\\s*(?:$|["'\`\\\\]|-{4,5} ?END)))?`;
/** Lines of a key whose end is missing. */
const KEY_LINES = new RegExp(`${KEY_HEADERS}(?:${KEY_BREAK}[A-Za-z0-9+/]{20,}={0,2})+${LAST_LINE}`, 'y');
/** The same where it is the beginning that is missing; a line may be cut in two. */
const KEY_REST = new RegExp(
  `(?:${KEY_BREAK}|${LINE_NUMBER})[A-Za-z0-9+/]{1,4096}={0,2}(?:${KEY_BREAK}[A-Za-z0-9+/]{20,}={0,2})*${LAST_LINE}` +
    `(?:(?:\\s|\\\\+[nrt])*${KEY_END.source})?`,
  'y',
);
const KEY_PIECE = /(?:(?<=\\[nr])|(?<![A-Za-z0-9+/=\\]))[A-Za-z0-9+/]{8,}={0,2}/g;
/** Longest key that is looked for, in UTF-16 units. */
const LONGEST_KEY = 32_768;
const PUTTY_LINES =
  /(Private-Lines: ?[0-9]+)(?:(?:\s|\\+[nr])+[A-Za-z0-9+/]{20,}={0,2}|(?<=[A-Za-z0-9+/])(?:\s|\\+[nr])+[A-Za-z0-9+/]+={0,2}(?=\s|\\+[nr]|$))+/g;

function redactPrivateKeys(text: string): string {
  let result = redactEncrypted(text.includes('PRIVATE KEY') ? redactPem(text) : text);
  if (result.includes('Private-Lines:')) result = result.replace(PUTTY_LINES, `$1 ${mark('private-key')}`);
  return result;
}

/** The rest of a key at the beginning of a text: only what its last line or its look gives away. */
function redactKeyRest(text: string): string {
  const rest = stickyMatch(KEY_REST, text, 0);
  const isKey =
    rest.endsWith('-') || (rest.match(/[A-Za-z0-9+/]{20,}/g) ?? []).some((line) => looksRandom(line.slice(0, 64)));
  return isKey ? mark('private-key') + text.slice(rest.length) : text;
}

function redactPem(text: string): string {
  const begins = [...text.matchAll(KEY_BEGIN)];
  const ends = [...text.matchAll(KEY_END)];
  return redactLooseEnds(redactBegun(text, begins, ends));
}

/** Keys of which only the end is to be seen, as a file has them that is read from its middle. */
function redactLooseEnds(text: string): string {
  let result = '';
  let from = 0;
  for (const end of text.matchAll(KEY_END)) {
    const start = keyLinesBefore(text, from, end.index);
    if (start === undefined) continue;
    result += text.slice(from, start) + mark('private-key');
    from = end.index + end[0].length;
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Where the lines begin that end at `end` and are a key's: all of them long, but for the last one and one that is cut in two. */
function keyLinesBefore(text: string, from: number, end: number): number | undefined {
  const limit = Math.max(from, end - LONGEST_KEY);
  let start: number | undefined;
  let material = 0;
  for (let at = end; at > limit;) {
    let lineEnd = at;
    while (lineEnd > limit && /[\s\\→|:>]/.test(text.charAt(lineEnd - 1))) lineEnd -= 1;
    let lineStart = lineEnd;
    while (lineStart > limit && /[A-Za-z0-9+/=]/.test(text.charAt(lineStart - 1))) lineStart -= 1;
    // The letter of a line break in JSON.
    if (lineStart < lineEnd && text.charAt(lineStart - 1) === '\\') lineStart += 1;
    const length = lineEnd - lineStart;
    const isNumber = length <= 6 && /^[0-9]+$/.test(text.slice(lineStart, lineEnd)) && start !== undefined;
    if (length < 20 && start !== undefined && lineStart > limit && !isNumber) break;
    if (length === 0) break;
    at = lineStart;
    if (isNumber) continue;
    start = lineStart;
    material += length;
  }
  return material < 32 ? undefined : start;
}

function redactBegun(text: string, begins: readonly RegExpExecArray[], ends: readonly RegExpExecArray[]): string {
  let result = '';
  let from = 0;
  let nextEnd = 0;
  begins.forEach((begin, number) => {
    const inside = begin.index + begin[0].length;
    const limit = Math.min(begins[number + 1]?.index ?? text.length, inside + LONGEST_KEY);
    while ((ends[nextEnd]?.index ?? Infinity) < inside) nextEnd += 1;
    const end = ends[nextEnd];
    const closed = end !== undefined && end.index < limit;
    const between = text.slice(inside, closed ? end.index : limit);
    if (!closed) {
      const lines = stickyMatch(KEY_LINES, between, 0);
      if (lines === '') return;
      result += text.slice(from, begin.index) + mark('private-key');
      from = inside + lines.length;
    } else if (stickyMatch(KEY_BODY, between, 0).length === between.length) {
      // One piece of text; a manual that shows only the two lines holds no key.
      if (between.replace(/[^A-Za-z0-9+/]/g, '').length < 32) return;
      result += text.slice(from, begin.index) + mark('private-key');
      from = end.index + end[0].length;
    } else {
      // Lines that are strung together by code or JSON: each piece on its own, so that the quotes stay.
      result += text.slice(from, inside) + redactPieces(between);
      from = end.index;
    }
  });
  return result + text.slice(from);
}

/** Only where most of what stands between the two lines is key: a program may name both far apart. */
function redactPieces(between: string): string {
  const material = (between.match(/[A-Za-z0-9+/]{20,}/g) ?? []).reduce((sum, piece) => sum + piece.length, 0);
  return material * 2 < between.length ? between : between.replace(KEY_PIECE, mark('private-key'));
}

function stickyMatch(pattern: RegExp, text: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? '';
}

// --------------------------------------------------------------------------------------------------- addresses

const USER_INFOS = new RegExp(USER_INFO, 'g');
const PARAMETERS = new RegExp(`(${PARAMETER})([^&\\s"'\`<>#\\\\]{16,})`, 'gi');
const PASSWORD_PARAMETERS = new RegExp(`(${PASSWORD_PARAMETER})([^&\\s"'\`<>#\\\\]{4,})`, 'g');

function redactAddresses(text: string): string {
  let result = text;
  if (/[?&]/.test(text)) {
    result = text
      .replace(PARAMETERS, (match: string, name: string, value: string) =>
        looksRandom(value.slice(0, 256)) ? name + mark('url-parameter') : match,
      )
      .replace(PASSWORD_PARAMETERS, (match: string, name: string, value: string) =>
        isPlaceholder(value) ? match : name + mark('password'),
      );
  }
  return result.includes('@') ? redactUserInfo(result) : result;
}

function redactUserInfo(text: string): string {
  return text.replace(USER_INFOS, (match: string, user: string, password: string | undefined) => {
    const start = match.slice(0, match.length - 1 - user.length - (password === undefined ? 0 : password.length + 1));
    if (password === undefined) return looksRandom(user) ? `${start}${mark('url-credentials')}@` : match;
    if (isStandIn(password) || user.includes('[redacted')) return match;
    return `${start}${user}:${mark('url-password')}@`;
  });
}

// ----------------------------------------------------------------------------------------------------- headers

const HEADER =
  /(?:authorization|cookie)(\\{0,7}["'`]?\]?)[ \t]{0,8}(?:[:=]|,\s{0,60}\\{0,7}["']value\\{0,7}["'][ \t]{0,8}:|,[ \t]*(?=\\{0,7}["'])|(?=[ \t]\\{0,7}["'](?:basic|bearer|token)[ \t]))(?:\\{0,7}[ \t]){0,8}(?:[fbr]?\\{0,7}["'`])?/gi;
/** A shell may have its blanks escaped. */
const SCHEME =
  /(?:(?:bearer|basic|token|digest|negotiate|ntlm|apikey|api-key|key|jwt|bot|hawk|ssws|dpop|aws4-hmac-sha256|oauth)(?:\\{0,7}[ \t])+)?/iy;
const HEADER_VALUE = /[^\s"'`\\<>{}()]+/y;
const COOKIE_VALUE = /(?:(?!authorization)[^\r\n"'`\\<>{}()])+/iy;
const BEARER = /\bbearer[ \t]+([A-Za-z0-9._~+/-]{16,}={0,2})/gi;
function redactHeaders(text: string): string {
  let result = '';
  let from = 0;
  HEADER.lastIndex = 0;
  for (let header = HEADER.exec(text); header !== null; header = HEADER.exec(text)) {
    const at = header.index + header[0].length;
    const change = /^c/i.test(header[0]) ? cookieHeader(text, at) : authorizationHeader(text, at);
    HEADER.lastIndex = Math.max(at, change.end);
    if (change.text === undefined) continue;
    result += text.slice(from, change.start) + change.text;
    from = change.end;
  }
  result = from === 0 ? text : result + text.slice(from);
  if (/digest[ \t]/i.test(result)) result = redactDigest(result);
  if (/bearer[ \t]/i.test(result)) {
    result = result.replace(BEARER, (match: string, value: string) =>
      looksRandom(value) ? match.slice(0, -value.length) + mark('bearer-token') : match,
    );
  }
  return result;
}

/** As registries and their clients keep them: user and password in base64, or as they are. */
const LOGIN = /((?:["'_]auth|AuthIdent)\\{0,7}["']?\s{0,4}[:=]\s{0,4}\\{0,7}["']?)([^\s"'\\,;]{8,2000})/g;

function redactLogins(text: string): string {
  return text.replace(LOGIN, (match: string, before: string, value: string) =>
    !isPlaceholder(value) && (looksRandom(value.slice(0, 256), 12) || /^[\w.@-]{1,64}:[^\s:/]{4,}$/.test(value))
      ? before + mark('authorization')
      : match,
  );
}

interface Change {
  readonly start: number;
  /** Where the search goes on. */
  readonly end: number;
  /** Undefined: the header stays as it is. */
  readonly text: string | undefined;
}

function authorizationHeader(text: string, at: number): Change {
  const scheme = stickyMatch(SCHEME, text, at);
  const start = at + scheme.length;
  const parameters = /^(?:digest|hawk|aws4|oauth)/i.test(scheme);
  const value = stickyMatch(parameters ? COOKIE_VALUE : HEADER_VALUE, text, start);
  const judged = value.slice(0, 256).replace(/[.,;\s]{1,9}$/, '');
  const secret =
    judged.length >= 6 &&
    !isPlaceholder(judged) &&
    (scheme === ''
      ? looksRandom(judged)
      : /[0-9]/.test(judged) || judged.length >= 20 || (/^basic/i.test(scheme) && /[A-Z].*[A-Z]|=$/.test(judged)));
  if (!secret) return { start, end: start + value.length, text: undefined };
  const length = value.length > 256 ? value.length : judged.length;
  return { start, end: start + length, text: mark('authorization') };
}

function cookieHeader(text: string, at: number): Change {
  const value = stickyMatch(COOKIE_VALUE, text, at);
  // Names and attributes stay: they tell what happened.
  const changed = value.replace(/([\w.-]{1,100}=)([^;,\s]{6,})/g, (pair: string, name: string, content: string) =>
    /^(?:path|domain|expires|max-age|samesite|priority)=$/i.test(name) ||
    isPlaceholder(content) ||
    !(content.length >= 16 || (/[0-9]/.test(content) && /[A-Za-z]/.test(content)))
      ? pair
      : name + mark('cookie'),
  );
  return { start: at, end: at + value.length, text: changed === value ? undefined : changed };
}
