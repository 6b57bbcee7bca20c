/**
 * Turns what a user wrote into a value of a setting. A mistake is reported and never fatal: a typing error in a settings
 * file must not cost the memory of a conversation, and `false` or `0` must mean what they say.
 */
import { isAbsolute, join } from 'node:path';
import { isObject } from '../fs/json-object.ts';
import type { Problem } from './problem.ts';
import type { Declaration, NumberSetting } from './schema.ts';
import { parseTolerantJson } from './tolerant-json.ts';

export interface ValueContext {
  readonly home: string;
  /** The text stands in an environment variable, where lists and objects have a one-line form. */
  readonly environment: boolean;
  readonly report: (problem: Pick<Problem, 'code' | 'given' | 'used'>) => void;
}

export const TRUE_WORDS: readonly string[] = ['1', 'true', 'yes', 'on'];
export const FALSE_WORDS: readonly string[] = ['0', 'false', 'no', 'off'];

/** Result of `readValue` for a word that is no member of its set: the default holds, whatever weaker layers say. */
export const UNKNOWN_MEMBER = Symbol('unknown member');

/** Absent, `null`, blank, and the words `null` and `undefined`, which shells and templates leave behind. */
export function isUnset(raw: unknown): boolean {
  if (typeof raw !== 'string') return raw === undefined || raw === null;
  const word = raw.trim();
  return word === '' || (word.length < 10 && /^(?:null|undefined)$/i.test(word));
}

/** A set text, trimmed; a number counts as text. Undefined for everything else. */
export function textOf(raw: unknown): string | undefined {
  if (isUnset(raw)) return undefined;
  return typeof raw === 'string' ? raw.trim() : typeof raw === 'number' ? String(raw) : undefined;
}

/** The value; undefined when `raw` (which is set) cannot be one, and then the layer counts as silent. */
export function readValue(declaration: Declaration, raw: unknown, context: ValueContext): unknown {
  const value = valueOf(declaration, raw, context);
  if (value === undefined) context.report({ code: 'settings/invalid-value' });
  return value;
}

function valueOf(declaration: Declaration, raw: unknown, context: ValueContext): unknown {
  switch (declaration.type) {
    case 'boolean':
      return booleanOf(raw);
    case 'integer':
    case 'number':
      return numberOf(declaration, raw, context);
    case 'enum': {
      const word = String(textOf(raw)).toLowerCase();
      if (declaration.members.includes(word)) return word;
      if (booleanOf(raw) === false && declaration.members.includes('off')) return 'off';
      context.report({ code: 'settings/unknown-member' });
      return UNKNOWN_MEMBER;
    }
    case 'text':
      return textOf(raw);
    case 'path': {
      const path = expandHome(textOf(raw), context.home);
      return path !== undefined && isAbsolute(path) ? path : undefined;
    }
    case 'alternatives': {
      const list = listOf(raw, context, /,/);
      return list?.length === 1 ? list[0] : list;
    }
    case 'list':
      return listOf(raw, context, /,/);
    case 'filters':
      // A comma inside a pattern (`\d{2,4}`) does not begin a new rule.
      return listOf(raw, context, /,(?=\s*(?:(?:user|assistant):)?[sdk][^\w\s])/);
    case 'map':
      return mapOf(raw, context);
  }
}

/** `~/x` → below the home folder. */
export function expandHome(path: string | undefined, home: string): string | undefined {
  return path !== undefined && /^~(?:$|[\\/])/.test(path) ? join(home, path.slice(1)) : path;
}

function booleanOf(raw: unknown): boolean | undefined {
  const word = typeof raw === 'boolean' ? String(raw) : (textOf(raw)?.toLowerCase() ?? '');
  return TRUE_WORDS.includes(word) ? true : FALSE_WORDS.includes(word) ? false : undefined;
}

function numberOf(declaration: NumberSetting, raw: unknown, context: ValueContext): number | undefined {
  if (declaration.offIsZero === true && booleanOf(raw) === false) return 0;
  const given = Number(textOf(raw) ?? Number.NaN);
  if (Number.isNaN(given)) return undefined;
  const whole = declaration.type === 'integer' ? Math.trunc(given) : given;
  const used = Math.min(Math.max(whole, declaration.min), declaration.max ?? Number.MAX_SAFE_INTEGER);
  if (used !== given) context.report({ code: 'settings/out-of-range', given, used });
  return used;
}

/** The environment's form of anything but a scalar may be JSON. */
function decoded(raw: unknown, context: ValueContext): unknown {
  if (!context.environment || typeof raw !== 'string' || !/^\s*[[{]/.test(raw)) return raw;
  const parsed = parseTolerantJson(raw);
  return parsed.ok ? parsed.value : raw;
}

function listOf(raw: unknown, context: ValueContext, separator: RegExp): readonly string[] | undefined {
  const value = decoded(raw, context);
  const items: readonly unknown[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? context.environment
        ? value.split(separator)
        : [value]
      : [false];
  const set = items.filter((item) => !isUnset(item));
  return set.every((item) => typeof item === 'string') ? set.map((item) => item.trim()) : undefined;
}

function mapOf(raw: unknown, context: ValueContext): Readonly<Record<string, string>> | undefined {
  const map = decoded(raw, context);
  if (!isObject(map)) return undefined;
  const set = Object.entries(map).filter(([, value]) => !isUnset(value));
  const texts = set.flatMap(([key, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [[key, text] as const];
  });
  return texts.length === set.length ? Object.fromEntries(texts) : undefined;
}
