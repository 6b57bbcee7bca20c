/**
 * The hot side of the filters: without rules nothing is loaded and nothing happens. With rules, a bundle that does not
 * load lets no text pass, because what a filter should have hidden must not leak through a broken installation.
 */
import type * as FiltersBundle from './filters.ts';

export type Role = 'user' | 'assistant';

export interface FilterProblem {
  readonly rule: string;
  readonly error: string;
}

export interface Filters {
  /** The text after all rules for this role; undefined when it is to be dropped. */
  apply(role: Role, text: string): string | undefined;
  readonly problems: readonly FilterProblem[];
}

/** What the filters' bundle exports; its type alone, so that nothing of it is loaded here. */
export type FiltersModule = Pick<typeof FiltersBundle, 'compileFilters'>;

/** Undefined without rules. `load` is called only when there are some: `() => require('./filters.cjs')`. */
export function loadFilters(rules: readonly string[], load: () => FiltersModule): Filters | undefined {
  if (rules.length === 0) return undefined;
  try {
    return load().compileFilters(rules);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      apply: () => undefined,
      problems: rules.map((rule) => ({
        rule,
        error: `Filters could not be loaded, so no text is passed on. Repair the installation. (${reason})`,
      })),
    };
  }
}
