/** What a plan shows of a change: enough to judge it, and no more than has been searched for secrets. */
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { shownDiff } from '../src/plan/shown-diff.ts';

/** Few different lines, so that a change could stand in several places. */
const lines = fc.array(fc.constantFrom('{', '}', '  "a": 1,', '', 'x\r'), { maxLength: 30 });
const text = fc.tuple(lines, fc.boolean()).map(([some, ends]) => some.join('\n') + (ends ? '\n' : ''));

describe('the diff of a change', () => {
  it('leads from the old text to the new one, wherever the lines that differ lie', () => {
    fc.assert(
      fc.property(text, text, text, text, (before, after, old, fresh) => {
        const [one, other] = [before + old + after, before + fresh + after];
        expect(applyPatch(one, shownDiff('f', one, other))).toBe(other);
      }),
    );
  });

  it('names the lines as they are numbered in the file', () => {
    const old = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`);
    const diff = shownDiff('f', old.join(''), old.with(49, 'another\n').join(''));
    expect(diff).toContain('@@ -47,7 +47,7 @@\n line 47\n line 48\n line 49\n-line 50\n+another\n line 51\n');
  });

  it.each([
    ['at the beginning', 0],
    ['in the middle', 50],
    ['at the end', 99],
  ])('shows no secret beside a change %s', (_, place) => {
    const members = Array.from({ length: 100 }, (_unused, index): [string, unknown] => [
      `p${index}`,
      { password: `correct-horse-${index}`, args: ['--token', `tk9Qz7rWx2LmP4vB8-${index}`] },
    ]);
    const show = (some: readonly [string, unknown][]): string => JSON.stringify(Object.fromEntries(some), null, 2);
    const diff = shownDiff('f', show(members), show(members.with(place, ['fresh', { password: 'battery-staple' }])));
    expect(diff).toContain('"fresh"');
    expect(diff).toMatch(/\[redacted/);
    expect(diff).not.toMatch(/correct-horse|tk9Qz|battery-staple/);
  });

  it('shows no secret of a list that begins before what is shown and is too deep to be looked through', () => {
    const deep = (inside: string): string => `${'[\n'.repeat(200)}${inside}\n${']\n'.repeat(200)}`;
    const [old, fresh] = ['1', '2'].map((value) => deep(`"--password",\n"correct-horse-7",\n${value}`));
    expect(shownDiff('f', old, fresh)).not.toContain('correct-horse');
  });

  it('of one file that comes or goes is all of it', () => {
    expect(shownDiff('f', undefined, 'a\n')).toBe('--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n');
    expect(shownDiff('f', 'a\n', undefined)).toBe('--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n');
  });
});
