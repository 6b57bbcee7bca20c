/**
 * Runs the filters that users configure. Patterns are foreign input: they run on a linear-time engine (RE2 syntax), which
 * is why this module is a bundle of its own and is loaded only where a filter is configured.
 */
import { RE2JS } from 're2js';
import { OpenVikingError } from '../errors/error.ts';
import { parseFilterRule } from './filter-rule.ts';
import type { FilterRule } from './filter-rule.ts';
import type { Filters, FilterProblem, Role } from './filters-load.ts';

/** Rules beyond this number are not run. */
const MOST_RULES = 100;
/** Largest compiled pattern, in instructions: time per character grows with it. */
const LARGEST_PROGRAM = 2_000;
/** Time that all rules together may take for one text, in ms; checked between matches. */
const TIME_PER_TEXT_MS = 1_000;

interface CompiledRule extends FilterRule {
  readonly expression: RE2JS;
}

/**
 * The rules in order, ready to run. A rule that does not compile is left out and reported; it never stops the others.
 */
export function compileFilters(rules: readonly string[]): Filters {
  const problems: FilterProblem[] = [];
  const compiled: CompiledRule[] = [];
  rules.forEach((written, index) => {
    try {
      if (index >= MOST_RULES) throw new Error(`Only the first ${MOST_RULES} filter rules are run.`);
      const rule = parseFilterRule(written);
      compiled.push({ ...rule, expression: compilePattern(rule) });
    } catch (error) {
      problems.push({ rule: written, error: error instanceof Error ? error.message : String(error) });
    }
  });
  return { problems, apply: (role, text) => applyRules(compiled, role, text) };
}

function compilePattern(rule: FilterRule): RE2JS {
  const source = translate(rule.pattern);
  const flags =
    (rule.flags.has('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (rule.flags.has('m') ? RE2JS.MULTILINE : 0) |
    (rule.flags.has('s') ? RE2JS.DOTALL : 0);
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(source, flags);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : String(cause);
    throw unusable(`RE2 refuses it: ${reason}`, cause);
  }
  if (expression.programSize() > LARGEST_PROGRAM)
    throw unusable('it is too large once its repetitions are written out');
  const groups = expression.namedGroups();
  for (const piece of rule.replacement) {
    if (!('group' in piece)) continue;
    const known = typeof piece.group === 'string' ? piece.group in groups : piece.group <= expression.groupCount();
    if (!known) throw unusable(`its replacement names group ${piece.group}, which the pattern does not have`);
  }
  return expression;
}

function unusable(reason: string, cause?: unknown): OpenVikingError {
  return new OpenVikingError({
    code: 'filters/bad-pattern',
    message: `This filter rule cannot be used: ${reason}.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * JavaScript's way of writing a pattern in RE2's: `\uXXXX` (also as a surrogate pair), `\p{Script=Han}`, `\p{gc=Lu}`. What
 * no linear-time engine can do is refused in words that say so.
 */
function translate(pattern: string): string {
  let inClass = false;
  const token =
    /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\([pP])\{(\^?)(?:(?:Script|sc|Script_Extensions|scx|General_Category|gc)=)([A-Za-z_]+)\}|\(\?<?[=!]|\(\?>|\\k<|\\[\s\S]|[[\]]/gu;
  const rewritten = pattern.replace(
    token,
    (whole: string, high?: string, low?: string, property?: string, negated?: string, name?: string) => {
      if (high !== undefined && low !== undefined) {
        const point = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0;
        return `\\x{${point.toString(16)}}`;
      }
      if (property !== undefined) return `\\${property}{${negated ?? ''}${name ?? ''}}`;
      if (whole === '[') inClass = true;
      else if (whole === ']') inClass = false;
      else if (!inClass) {
        if (whole.startsWith('(?>')) throw unusable('atomic groups are not supported');
        if (whole.startsWith('(?')) throw unusable('look-ahead and look-behind are not supported');
        if (/^\\(?:[1-9]|k<)/.test(whole)) throw unusable('back-references are not supported');
      }
      return whole;
    },
  );
  return RE2JS.translateRegExp(rewritten);
}

function applyRules(rules: readonly CompiledRule[], role: Role, text: string): string | undefined {
  const until = performance.now() + TIME_PER_TEXT_MS;
  let result = text;
  for (const rule of rules) {
    if (rule.role !== undefined && rule.role !== role) continue;
    if (rule.action === 'replace') {
      const replaced = replaceMatches(rule, result, until);
      if (replaced === undefined) return undefined;
      result = replaced;
    } else {
      const matches = rule.expression.test(result);
      if (matches === (rule.action === 'drop')) return undefined;
    }
  }
  return result;
}

/** Undefined when the rule cannot be carried through: a text that is half filtered must not pass. */
function replaceMatches(rule: CompiledRule, text: string, until: number): string | undefined {
  const most = text.length * 4 + 65_536;
  let result = '';
  let from = 0;
  for (const match of rule.expression.matchAll(text)) {
    const at = match.index ?? 0;
    result += text.slice(from, at);
    for (const piece of rule.replacement) {
      if ('text' in piece) result += piece.text;
      else result += (typeof piece.group === 'number' ? match[piece.group] : match.groups?.[piece.group]) ?? '';
    }
    from = at + match[0].length;
    if (!rule.flags.has('g')) break;
    if (result.length > most || performance.now() > until) return undefined;
  }
  return result + text.slice(from);
}
