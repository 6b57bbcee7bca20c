/**
 * Replaces secrets by marks such as `[redacted:aws-access-key]` before a text rests on disk or leaves the machine. What
 * finds them lies in a bundle beside a hook (`secrets.ts`) and is loaded only for a text that may hold one. Where that
 * fails nothing is taken for clean: a broken installation must not leak.
 */
import type { JsonValue } from '../contract/harness.ts';
import { loadSecrets } from '../runtime/neighbour.ts';
import * as own from './secrets.ts';
import { mayHoldSecret, mayHoldSecretDeep } from './secret-suspicion.ts';

/** True in the bundles of a harness, where the code for secrets lies beside them. */
declare const SPLIT_BUNDLES: boolean;

/** The members of a JSON object, such as the input of a tool. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** What the secrets' bundle exports. */
export type SecretsModule = Pick<typeof own, 'redactSecrets' | 'redactDeep'>;

/** Stands where a text could not be searched for secrets, and so must not be passed on. */
export const UNSEARCHED = '[left out: what finds secrets could not be loaded]';

/**
 * `text` with every secret replaced by a mark of its kind. `insideKey`: the text before it ended where a private key may go
 * on, see {@link endsInKey}.
 */
export function redactSecrets(text: string, insideKey = false): string {
  if (!insideKey && !mayHoldSecret(text)) return text;
  return searched(({ redactSecrets: redact }) => redact(text, insideKey), UNSEARCHED);
}

/** True where a redacted text ends with a private key, perhaps before the key does: the next text may begin with its rest. */
export function endsInKey(redacted: string): boolean {
  return /(?:private-key\]|KEY(?: BLOCK)? ?-{4,5})\W*$/.test(redacted.slice(-60));
}

/**
 * The same for a JSON value: every string, keys included, and besides every value whose key names a secret
 * (`{"password": …}`), also written as a pair (`{"name": "DB_PASSWORD", "value": …}`) or as arguments
 * (`["--token", …]`).
 */
export function redactDeep(value: JsonMembers): JsonMembers;
export function redactDeep(value: JsonValue): JsonValue;
export function redactDeep(value: unknown): unknown;
export function redactDeep(value: unknown): unknown {
  if (!mayHoldSecretDeep(value)) return value;
  return searched(({ redactDeep: redact }) => redact(value), unsearched(value));
}

/** What stands for a JSON value that could not be searched: of the same kind, as servers refuse others. */
function unsearched(value: unknown): unknown {
  if (typeof value === 'string') return UNSEARCHED;
  return Array.isArray(value) ? [UNSEARCHED] : { unsearched: UNSEARCHED };
}

function searched<Result>(search: (secrets: SecretsModule) => Result, otherwise: Result): Result {
  let secrets: SecretsModule;
  try {
    secrets = typeof SPLIT_BUNDLES === 'undefined' || !SPLIT_BUNDLES ? own : loadSecrets();
  } catch {
    return otherwise;
  }
  return search(secrets);
}
