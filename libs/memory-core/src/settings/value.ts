/**
 * Turns what a user wrote into a value of a setting. A mistake is reported and never fatal: a typing error in a settings
 * file must not cost the memory of a conversation, and `false` or `0` must mean what they say.
 */
import { isAbsolute, join } from 'node:path';
import type { Finding } from '../contract/finding.ts';
import { parseJsonc } from './jsonc.ts';
import type { Declaration, NumberSetting } from './schema.ts';

/** Where a value was found, for findings. */
export interface Origin {
  /** The spelling found there: `plugin.recallLimit`, `OPENVIKING_RECALL_LIMIT`. */
  readonly key: string;
  readonly file?: string;
  readonly environment?: boolean;
}

export interface ValueContext {
  readonly home: string;
  readonly report: (finding: Finding) => void;
}

export const TRUE_WORDS = ['1', 'true', 'yes', 'on'] as const;
export const FALSE_WORDS = ['0', 'false', 'no', 'off'] as const;

/** Absent, `null`, blank, and the words `null` and `undefined`, which shells and templates leave behind. */
export function isUnset(raw: unknown): boolean {
  if (raw === undefined || raw === null) return true;
  return typeof raw === 'string' && /^(?:null|undefined)?$/i.test(raw.trim());
}

/** A set text, trimmed; a number counts as text. Undefined for everything else. */
export function textOf(raw: unknown): string | undefined {
  if (isUnset(raw)) return undefined;
  if (typeof raw === 'string') return raw.trim();
  return typeof raw === 'number' && Number.isFinite(raw) ? String(raw) : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or undefined when `raw` (which is set) cannot be one; then the layer counts as silent. */
export function readValue(declaration: Declaration, raw: unknown, origin: Origin, context: ValueContext): unknown {
  const invalid = (expected: string): undefined => {
    context.report({
      code: 'settings/invalid-value',
      severity: 'warn',
      ...fileOf(origin),
      message: `${origin.key} is ignored: it must be ${expected}.`,
      fix: `Correct or remove ${origin.key}.`,
    });
    return undefined;
  };
  switch (declaration.type) {
    case 'boolean':
      return booleanOf(raw) ?? invalid('true or false');
    case 'integer':
    case 'number':
      return numberOf(declaration, raw, origin, context) ?? invalid('a number');
    case 'enum':
      return memberOf(declaration.members, raw) ?? unknownMember(declaration, origin, context);
    case 'text':
      return textOf(raw) ?? invalid('a text');
    case 'path': {
      const path = expandHome(textOf(raw), context.home);
      return path !== undefined && isAbsolute(path) ? path : invalid('an absolute path, or one that starts with ~/');
    }
    case 'list':
    case 'filters':
      return listOf(declaration.type, raw, origin) ?? invalid('a list of texts');
    case 'alternatives': {
      const list = listOf('list', raw, origin);
      return (list?.length === 1 ? list[0] : list) ?? invalid('a text or a list of texts');
    }
    case 'map':
      return mapOf(raw, origin) ?? invalid('an object of texts');
  }
}

/** `~/x` → below the home folder. */
export function expandHome(path: string | undefined, home: string): string | undefined {
  return path !== undefined && /^~(?:$|[\\/])/.test(path) ? join(home, path.slice(1)) : path;
}

function booleanOf(raw: unknown): boolean | undefined {
  if (typeof raw === 'boolean') return raw;
  const word = textOf(raw)?.toLowerCase() ?? '';
  if ((TRUE_WORDS as readonly string[]).includes(word)) return true;
  return (FALSE_WORDS as readonly string[]).includes(word) ? false : undefined;
}

function numberOf(declaration: NumberSetting, raw: unknown, origin: Origin, context: ValueContext): number | undefined {
  if (declaration.offIsZero === true && booleanOf(raw) === false) return 0;
  const given = Number(textOf(raw) ?? Number.NaN);
  if (Number.isNaN(given)) return undefined;
  const whole = declaration.type === 'integer' ? Math.trunc(given) : given;
  const used = Math.min(Math.max(whole, declaration.min), declaration.max ?? Number.MAX_SAFE_INTEGER);
  if (used !== given) {
    context.report({
      code: 'settings/out-of-range',
      severity: 'warn',
      ...fileOf(origin),
      message: `${origin.key} is ${given}, ${used} is used: ${rangeOf(declaration)} is allowed.`,
      fix: `Set ${origin.key} to a value in that range.`,
    });
  }
  return used;
}

/** `1 to 100`, in words for people. */
export function rangeOf({ type, min, max }: NumberSetting): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  return max === undefined ? `${kind}, ${min} or more,` : `${kind} from ${min} to ${max}`;
}

function memberOf(members: readonly string[], raw: unknown): string | undefined {
  const word = textOf(raw)?.toLowerCase() ?? '';
  if (members.includes(word)) return word;
  return booleanOf(raw) === false && members.includes('off') ? 'off' : undefined;
}

/** An unknown member of a set means the default, also when a weaker layer holds a known one. */
function unknownMember(
  declaration: Declaration & { readonly type: 'enum' },
  origin: Origin,
  context: ValueContext,
): typeof UNKNOWN_MEMBER {
  const members = declaration.members.filter((member) => member !== '').join(', ');
  context.report({
    code: 'settings/unknown-member',
    severity: 'warn',
    ...fileOf(origin),
    message: `${origin.key} is none of ${members}; the default is used.`,
    fix: `Set ${origin.key} to one of ${members}.`,
  });
  return UNKNOWN_MEMBER;
}

/** Result of `readValue` for a word that is no member of its set. */
export const UNKNOWN_MEMBER = Symbol('unknown member');

/** In the environment a comma separates; a comma inside a filter's pattern (`\d{2,4}`) does not start a new filter. */
const SEPARATOR = { list: /,/, filters: /,(?=\s*(?:(?:user|assistant):)?[sdk][^\w\s])/ } as const;

function listOf(type: 'list' | 'filters', raw: unknown, origin: Origin): readonly string[] | undefined {
  let items: unknown = raw;
  if (origin.environment === true && typeof raw === 'string') {
    const parsed = raw.trim().startsWith('[') ? parseJsonc(raw) : undefined;
    items = parsed?.ok === true ? parsed.value : raw.split(SEPARATOR[type]);
  }
  if (typeof items === 'string') items = [items];
  if (!Array.isArray(items) || items.some((item) => !isUnset(item) && typeof item !== 'string')) return undefined;
  return items.filter((item) => !isUnset(item)).map((item: string) => item.trim());
}

function mapOf(raw: unknown, origin: Origin): Readonly<Record<string, string>> | undefined {
  let map = raw;
  if (origin.environment === true && typeof raw === 'string') {
    const parsed = parseJsonc(raw);
    map = parsed.ok ? parsed.value : undefined;
  }
  if (!isObject(map)) return undefined;
  const entries: [string, string][] = [];
  for (const [key, value] of Object.entries(map)) {
    const text = textOf(value);
    if (text !== undefined) entries.push([key, text]);
    else if (!isUnset(value)) return undefined;
  }
  return Object.fromEntries(entries);
}

export function fileOf(origin: { readonly file?: string }): { file?: string } {
  return origin.file === undefined ? {} : { file: origin.file };
}
