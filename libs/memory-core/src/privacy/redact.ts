/**
 * Replaces secrets by marks such as `[redacted:aws-access-key]` before a text rests on disk or leaves the machine. Better
 * a readable text with one mark too few words long than a key in somebody's memory; but hashes, ids and code stay, or
 * captured work would be worthless. Marks hold no quotes and no backslashes, so JSON stays JSON; applied twice, nothing
 * more changes.
 */
import { DEEPEST, TOO_DEEP } from './deep.ts';
import { redactFormats } from './formats.ts';
import { redactNamed, redactNamedValue } from './secret-names.ts';
import { looksRandom, isPlaceholder } from './secret-values.ts';

/** `text` with every secret replaced by a mark of its kind. */
export function redactSecrets(text: string): string {
  let result = redactPrivateKeys(text);
  result = redactFormats(result);
  result = redactAddresses(result);
  result = redactHeaders(result);
  return redactNamed(result);
}

/**
 * The same for a JSON value: every string, keys included, and besides every value whose key names a secret
 * (`{"password": …}`), also written as a pair (`{"name": "DB_PASSWORD", "value": …}`) or as arguments
 * (`["--token", …]`).
 */
export function redactDeep<Value>(value: Value): Value {
  return redactValue(value, undefined, 0) as Value;
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
const KEY_END = /-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/;
/** Lines of a key whose end is missing. */
const KEY_LINES = /(?:(?:\s|\\+[nr])*[A-Za-z0-9+/]{20,}={0,2})+/y;
const KEY_PIECE = /(?:(?<=\\[nr])|(?<![A-Za-z0-9+/=\\]))[A-Za-z0-9+/]{20,}={0,2}/g;
/** Longest key that is looked for, in UTF-16 units. */
const LONGEST_KEY = 32_768;
const PUTTY_LINES =
  /(Private-Lines: ?[0-9]+)(?:(?:\s|\\+[nr])+[A-Za-z0-9+/]{20,}={0,2}|(?<=[A-Za-z0-9+/])(?:\s|\\+[nr])+[A-Za-z0-9+/]+={0,2}(?=\s|\\+[nr]|$))+/g;

function redactPrivateKeys(text: string): string {
  let result = text.includes('PRIVATE KEY') ? redactPem(text) : text;
  if (result.includes('Private-Lines:')) result = result.replace(PUTTY_LINES, `$1 ${mark('private-key')}`);
  return result;
}

function redactPem(text: string): string {
  let result = '';
  let from = 0;
  KEY_BEGIN.lastIndex = 0;
  for (let begin = KEY_BEGIN.exec(text); begin !== null; begin = KEY_BEGIN.exec(text)) {
    const inside = begin.index + begin[0].length;
    const window = text.slice(inside, inside + LONGEST_KEY);
    const end = KEY_END.exec(window);
    const body = stickyMatch(KEY_BODY, window, 0);
    let stop: number;
    if (end !== null && body.length >= end.index) {
      // One piece of text; a manual that shows only the two lines holds no key.
      stop = inside + end.index + end[0].length;
      const material = window.slice(0, end.index).replace(/[^A-Za-z0-9+/]/g, '');
      result += text.slice(from, begin.index);
      result += material.length < 32 ? text.slice(begin.index, stop) : mark('private-key');
    } else if (end !== null) {
      // Lines that are strung together by code or JSON: each piece on its own, so that the quotes stay.
      stop = inside + end.index;
      result += text.slice(from, inside) + window.slice(0, end.index).replace(KEY_PIECE, mark('private-key'));
    } else {
      const lines = stickyMatch(KEY_LINES, window, 0);
      stop = inside + lines.length;
      result += text.slice(from, begin.index) + (lines === '' ? begin[0] : mark('private-key'));
    }
    from = stop;
    KEY_BEGIN.lastIndex = stop;
  }
  return result + text.slice(from);
}

function stickyMatch(pattern: RegExp, text: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? '';
}

// --------------------------------------------------------------------------------------------------- addresses

const USER_INFO = /:(?:\\?\/){2}([^\s:/@"'`<>\\|]{0,200})(?::([^\s/"'`<>\\|]{1,300}))?@(?=[\w[$%{])/g;

function redactAddresses(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(USER_INFO, (match: string, user: string, password: string | undefined) => {
    const start = match.slice(0, match.length - 1 - user.length - (password === undefined ? 0 : password.length + 1));
    if (password === undefined) return looksRandom(user) ? `${start}${mark('url-credentials')}@` : match;
    if (isStandIn(password)) return match;
    return `${start}${user}:${mark('url-password')}@`;
  });
}

/** Nobody's password: a variable, a template, dots. Simple words are redacted, as they are real ones too often. */
function isStandIn(password: string): boolean {
  return /^(?:\$.*|\{.*\}|%[A-Z_]+%|[x*.•]{3,}|\[redacted:.*)$/i.test(password);
}

// ----------------------------------------------------------------------------------------------------- headers

const HEADER =
  /(?:authorization|cookie)(\\{0,7}["'`]?\]?)[ \t]{0,8}(?:[:=]|,[ \t]*(?=\\{0,7}["']))[ \t]{0,8}[fbr]?(\\{0,7}["'`])?/gi;
const SCHEME =
  /(?:(?:bearer|basic|token|digest|negotiate|ntlm|apikey|api-key|key|jwt|bot|hawk|ssws|dpop|aws4-hmac-sha256|oauth)[ \t]+)?/iy;
const HEADER_VALUE = /[^\s"'`\\<>{}()]+/y;
const COOKIE_VALUE = /[^\r\n"'`\\<>{}()]+/y;
const BEARER = /\bbearer[ \t]+([A-Za-z0-9._~+/-]{16,}={0,2})/gi;
const CURL_USER =
  /(\bcurl\b[^\n]{0,400}?[ \t](?:-u|--user)[ \t=]{1,4}\\{0,3}["']?[^\s:"'\\$]{1,100}:)([^\s"'\\]{1,200})/g;

function redactHeaders(text: string): string {
  let result = '';
  let from = 0;
  HEADER.lastIndex = 0;
  for (let header = HEADER.exec(text); header !== null; header = HEADER.exec(text)) {
    const at = header.index + header[0].length;
    const change = /^c/i.test(header[0]) ? cookieHeader(text, at) : authorizationHeader(text, at);
    if (change === undefined) continue;
    result += text.slice(from, change.start) + change.text;
    from = change.end;
    HEADER.lastIndex = change.end;
  }
  result = from === 0 ? text : result + text.slice(from);
  if (/bearer[ \t]/i.test(result)) {
    result = result.replace(BEARER, (match: string, value: string) =>
      looksRandom(value) ? match.slice(0, -value.length) + mark('bearer-token') : match,
    );
  }
  if (result.includes('curl')) {
    result = result.replace(CURL_USER, (match: string, before: string, password: string) =>
      isPlaceholder(`-${password}`) || isStandIn(password) ? match : before + mark('password'),
    );
  }
  return result;
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function authorizationHeader(text: string, at: number): Change | undefined {
  const scheme = stickyMatch(SCHEME, text, at);
  const start = at + scheme.length;
  const parameters = /^(?:digest|hawk|aws4|oauth)/i.test(scheme);
  const value = stickyMatch(parameters ? COOKIE_VALUE : HEADER_VALUE, text, start)
    .trimEnd()
    .replace(/[.,;]+$/, '');
  if (value.length < 6 || isPlaceholder(value)) return undefined;
  const secret =
    scheme === ''
      ? looksRandom(value)
      : /[0-9]/.test(value) || value.length >= 20 || (/^basic/i.test(scheme) && /[A-Z].*[A-Z]|=$/.test(value));
  return secret ? { start, end: start + value.length, text: mark('authorization') } : undefined;
}

function cookieHeader(text: string, at: number): Change | undefined {
  const value = stickyMatch(COOKIE_VALUE, text, at).trimEnd();
  // Names and attributes stay: they tell what happened.
  const changed = value.replace(/([\w.-]{1,100}=)([^;,\s]{6,})/g, (pair: string, name: string, content: string) =>
    /^(?:path|domain|expires|max-age|samesite|priority)=$/i.test(name) ||
    isPlaceholder(content) ||
    !(content.length >= 16 || (/[0-9]/.test(content) && /[A-Za-z]/.test(content)))
      ? pair
      : name + mark('cookie'),
  );
  return changed === value ? undefined : { start: at, end: at + value.length, text: changed };
}
