/** Holds an edited file against the client's own rules: an edit must not make the client drop the file. */
import type { ConfigDocument, ConfigFile, RuleViolation } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { objectionOf } from './record.ts';

/** Returns what is wrong with the file, all of which was there before. Throws a refusal for anything else. */
export function requireNothingBroken(
  before: ConfigDocument,
  after: ConfigDocument,
  file: ConfigFile,
): readonly RuleViolation[] {
  const earlier = file.check(before);
  const violations = file.check(after);
  const fresh = violations.find((violation) => !earlier.some((other) => objectionOf(other) === objectionOf(violation)));
  if (fresh !== undefined) {
    throw new Refusal({
      code: 'config/would-break',
      file: file.path,
      say: (t) => t.wouldBreak(file.path, fresh.message[t.language]),
      next: (t) => t.reportDefect,
    });
  }
  return violations;
}
