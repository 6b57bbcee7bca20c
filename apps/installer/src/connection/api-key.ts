/** Where an API key comes from, and how it may be shown. Nothing else in the installer handles the text of a key. */
import type { Readable } from 'node:stream';
import { Refusal } from '../cli/refusal.ts';

/** The ways to hand over a key; at most one may be used. */
export interface ApiKeyOptions {
  /** `''` clears a stored key. */
  readonly apiKey: string | undefined;
  readonly apiKeyEnv: string | undefined;
  readonly apiKeyStdin: boolean;
}

/** Where a key came from. */
export type KeySource = 'option' | 'variable' | 'stdin';

/** Longest key that is read from stdin, in bytes: more is a mistaken file. */
const LONGEST_KEY = 16 * 1024;

/** The key; `''` when a stored one is to be cleared; undefined when none was given. Throws a usage refusal. */
export async function readApiKey(
  options: ApiKeyOptions,
  env: Readonly<Record<string, string | undefined>>,
  stdin: Readable,
  signal: AbortSignal,
): Promise<string | undefined> {
  const given = [options.apiKey !== undefined, options.apiKeyEnv !== undefined, options.apiKeyStdin];
  if (given.filter(Boolean).length > 1) {
    throw new Refusal({ code: 'key/twice', exitCode: 2, say: (t) => t.keyTwice, next: (t) => t.keyTwiceNext });
  }
  if (options.apiKey !== undefined) return options.apiKey === '' ? '' : keyFrom(options.apiKey, 'option');
  const name = options.apiKeyEnv;
  if (name !== undefined) {
    const value = env[name];
    // The name is not repeated: a key typed in its place would be shown.
    if (value === undefined)
      throw new Refusal({
        code: 'key/no-variable',
        exitCode: 2,
        say: (t) => t.keyNoVariable,
        next: (t) => t.keyNoVariableNext,
      });
    return keyFrom(value, 'variable');
  }
  return options.apiKeyStdin ? keyFrom(await readAll(stdin, signal), 'stdin') : undefined;
}

/**
 * The key in what a user gave for one. Throws a usage refusal for what cannot be a key, and for nothing at all: a file that
 * is missing or a query that finds nothing (`jq -r` prints `null`) must not take a stored key away.
 */
export function keyFrom(given: string, source: KeySource): string {
  const key = given.trim();
  if (['', 'null', 'undefined'].includes(key)) {
    throw new Refusal({
      code: 'key/nothing',
      exitCode: 2,
      say: (t) => t.keyNothing(source, key === '' ? undefined : key),
      next: (t) => t.keyNothingNext,
    });
  }
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new Refusal({
    code: 'key/characters',
    exitCode: 2,
    say: (t) => t.keyCharacters,
    next: (t) => t.keyCharactersNext,
  });
}

/** `abcd…wxyz`; keys under 12 characters show nothing. */
export function maskKey(key: string): string {
  return key.length < 12 ? '••••' : `${key.slice(0, 4)}…${key.slice(-4)}`;
}

/** Replaces every occurrence of the secrets: the second line of defence, behind never putting one into a text. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 6)
    .reduce((result, secret) => result.replaceAll(secret, () => maskKey(secret)), text);
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  // Somebody who is asked for a key and has none must be able to leave.
  signal.addEventListener('abort', () => stdin.destroy(), { once: true });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > LONGEST_KEY)
      throw new Refusal({ code: 'key/too-long', exitCode: 2, say: (t) => t.keyTooLong, next: (t) => t.keyTooLongNext });
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
