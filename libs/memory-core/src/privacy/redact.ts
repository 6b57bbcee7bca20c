/**
 * Replaces secrets by marks such as `[redacted:aws-access-key]` before a text rests on disk or leaves the machine. What
 * finds them lies in a bundle beside a hook (`secrets.ts`) and is loaded only for a text that may hold one. Where that
 * fails nothing is taken for clean: a broken installation must not leak.
 */
import { loadSecrets } from '../runtime/neighbour.ts';
import * as own from './secrets.ts';
import { mayHoldSecret } from './secret-suspicion.ts';

/** True in the bundles of a harness, where the code for secrets lies beside them. */
declare const SPLIT_BUNDLES: boolean;

/** What the secrets' bundle exports. */
export type SecretsModule = Pick<typeof own, 'redactSecrets' | 'redactDeep'>;

/** Stands where a text could not be searched for secrets, and so must not be passed on. */
export const UNSEARCHED = '[left out: what finds secrets could not be loaded]';

/** `text` with every secret replaced by a mark of its kind. */
export function redactSecrets(text: string): string {
  if (!mayHoldSecret(text)) return text;
  return searched(({ redactSecrets: redact }) => redact(text), UNSEARCHED);
}

/**
 * The same for a JSON value: every string, keys included, and besides every value whose key names a secret
 * (`{"password": …}`), also written as a pair (`{"name": "DB_PASSWORD", "value": …}`) or as arguments
 * (`["--token", …]`).
 */
export function redactDeep<Value>(value: Value): Value {
  if (!mayHoldSecret(asText(value))) return value;
  return searched(({ redactDeep: redact }) => redact(value), { unsearched: UNSEARCHED } as Value);
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

/** JSON has names beside their values, as the search for names needs them. What cannot be written may hold anything. */
function asText(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? '').replace(/\\+[nrtf]/g, ' ');
  } catch {
    return 'password=?';
  }
}
