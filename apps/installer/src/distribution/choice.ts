/** What `--dist` and `--source` mean together. A combination that could only be half obeyed is refused. */
import { Refusal } from '../cli/refusal.ts';
import { DISTRIBUTIONS } from './plugin-source.ts';
import type { Phrase } from '../cli/refusal.ts';
import type { Distribution } from './plugin-source.ts';

const SOURCES = ['remote', 'archive', 'dev'] as const;

export type Choice =
  /** What this package carries. */
  | { readonly kind: 'carried' }
  | { readonly kind: 'remote' | 'archive'; readonly dist: Distribution }
  | { readonly kind: 'dev' };

export interface TypedDistribution {
  readonly dist: string | undefined;
  readonly source: string | undefined;
}

/** Undefined where nothing was typed. Throws a usage refusal. */
export function chooseDistribution({ dist, source }: TypedDistribution): Choice | undefined {
  const known = oneOf('--dist', ['npm', ...DISTRIBUTIONS] as const, dist);
  const way = oneOf('--source', SOURCES, source);
  if (way === 'dev') {
    if (known !== undefined) throw usage((t) => t.devAlone);
    return { kind: 'dev' };
  }
  if (known === 'npm') {
    if (way !== undefined) throw usage((t) => t.nothingToFetch(way));
    return { kind: 'carried' };
  }
  if (known === undefined && way === undefined) return undefined;
  // Object storage serves files, and no git that a client could clone.
  return { kind: way ?? (known === 'tos' ? 'archive' : 'remote'), dist: known ?? 'github' };
}

function oneOf<Value extends string>(
  flag: string,
  values: readonly Value[],
  typed: string | undefined,
): Value | undefined {
  if (typed === undefined) return undefined;
  const found = values.find((value) => value === typed.trim().toLowerCase());
  if (found === undefined) throw usage((t) => t.optionOneOf(flag, values));
  return found;
}

function usage(say: Phrase): Refusal {
  return new Refusal({ code: 'cli/distribution', exitCode: 2, say, next: (t) => t.seeHelp });
}
