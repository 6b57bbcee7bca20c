/** What the search relies on to pass over most texts must be true of every rule. */
import { describe, expect, it } from '@jest/globals';
import { formatStarts, SHORTEST_FORMAT, SHORTEST_SHAPE, startGroups } from './format-starts.ts';
import { formatRules, shapeRules } from './rules.ts';

describe('the rules', () => {
  it('match no less in a row than the search takes for granted', () => {
    const formats = formatRules().flatMap(({ starts, rest }) =>
      starts.map((start) => start.length + shortestMatch(rest)),
    );
    expect(Math.min(...formats)).toBe(SHORTEST_FORMAT);
    expect(Math.min(...shapeRules().map(({ pattern }) => shortestMatch(pattern)))).toBe(SHORTEST_SHAPE);
  });

  it('say of every group of starts how short a secret can be that begins with one of them', () => {
    const rules = formatRules();
    const measured = startGroups().map(({ starts }) => ({
      starts,
      shortest: Math.min(
        ...rules
          .filter((rule) => rule.starts[0] === starts[0])
          .flatMap(({ rest }) => starts.map((start) => start.length + shortestMatch(rest))),
      ),
    }));
    expect(startGroups()).toEqual(measured);
    expect(formatStarts()).toEqual(measured.flatMap(({ starts }) => starts));
    expect(
      startGroups()
        .flatMap(({ starts }) => starts)
        .filter((start) => start.length < 2),
    ).toEqual([]);
  });

  it('match visible ASCII only: by no class that says what is excluded, and by no dot', () => {
    for (const source of [...formatRules().map(({ rest }) => rest), ...shapeRules().map(({ pattern }) => pattern)]) {
      expect(source).toMatch(/^[!-~]+$/);
      expect(source).not.toMatch(/\[\^|\\[sSDWB]/);
      expect(source.replace(/\[[^\]]*\]|\\./g, '')).not.toContain('.');
    }
    for (const start of formatRules().flatMap(({ starts }) => starts)) expect(start).toMatch(/^[!-~]+$/);
  });

  it('are measured correctly', () => {
    expect(
      ['a{3}', '[A-Z0-9]{16}(?![a-z])', 'a(?:b|cd)+', 'a*b?c', '\\.x{2,}', '(?:ab\\\\?/){2,}'].map(shortestMatch),
    ).toEqual([3, 16, 2, 1, 3, 6]);
  });
});

/** Length of the shortest text that an expression of the rules' kind matches. */
function shortestMatch(source: string): number {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    at += found?.[0].length ?? 0;
    return found;
  };
  const alternatives = (): number => {
    let shortest = sequence();
    while (take(/\|/y) !== null) shortest = Math.min(shortest, sequence());
    return shortest;
  };
  const sequence = (): number => {
    let length = 0;
    while (at < source.length && !/[|)]/.test(source.charAt(at))) {
      const one = atom();
      const times = take(/\{(\d+)(?:,\d*)?\}|[*?+]/y);
      length += one * (times === null || times[0] === '+' ? 1 : Number(times[1] ?? 0));
    }
    return length;
  };
  const atom = (): number => {
    const group = take(/\(\?(?::|<?[=!])/y);
    if (group !== null) {
      const inside = alternatives();
      if (take(/\)/y) === null) throw new Error(`no end of a group in ${source}`);
      return group[0] === '(?:' ? inside : 0;
    }
    if (take(/\[(?:\\.|[^\]\\])*\]|\\.|[^()[\]{}*?+\\]/y) === null) throw new Error(`what is at ${at} in ${source}?`);
    return 1;
  };
  return alternatives();
}
