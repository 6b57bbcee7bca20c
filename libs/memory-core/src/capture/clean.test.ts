import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../testing/processor-time.ts';
import { neutralise, wrapContext } from '../recall/envelope.ts';
import { cleanText } from './clean.ts';

const block = wrapContext('prompt', 'The user prefers pnpm.');

describe('cleanText: injected blocks', () => {
  it.each([
    ['our block before the prompt', `${block}\n\nFix the build`, 'Fix the build'],
    ['our block after it', `Fix the build\n${block}`, 'Fix the build'],
    ['an older version', 'A\n<relevant-memories>\nold\n</relevant-memories>\nB', 'A\n\nB'],
    ['an attribute we never wrote', 'A <openviking-context version="1" kind=x>m</openviking-context> B', 'A  B'],
    ['upper case', 'A <SYSTEM-REMINDER>m</System-Reminder> B', 'A  B'],
    [
      'nested',
      'A <system-reminder>x <openviking-context source="prompt">y</openviking-context> z</system-reminder> B',
      'A  B',
    ],
    ['nested in itself', 'A <system-reminder>x <system-reminder>y</system-reminder> z</system-reminder> B', 'A  B'],
    ['overlapping', 'A <system-reminder>x <relevant-memories>y</system-reminder> z</relevant-memories> B', 'A  B'],
    ['a block that names its own tag', 'A\n<system-reminder>\nsee <system-reminder>\n</system-reminder>\nB', 'A\n\nB'],
    ['hook context', '<hook_context>x</hook_context>B', 'B'],
    ['the parts of an opening context', 'A <available-memories>x</available-memories> B', 'A  B'],
    ['a profile of ours', 'A <user-profile uri="viking://user/profile.md">x</user-profile> B', 'A  B'],
    ['full-width brackets', 'A ＜system-reminder＞m＜/system-reminder＞ B', 'A  B'],
    ['zero-width characters', 'A <sys\u200btem-reminder>m</system-reminder\u200b> B', 'A  B'],
    ['NUL inside the name', 'A <sys\0tem-reminder>m</system-reminder> B', 'A  B'],
    ['escaped by a host', 'A &lt;system-reminder&gt;m&lt;/system-reminder&gt; B', 'A  B'],
    ['escaped in JSON', '{"out":"A \\u003csystem-reminder\\u003em\\u003c/system-reminder\\u003e B"}', '{"out":"A  B"}'],
    ['inside JSON tool output', JSON.stringify({ out: `A ${block} B` }), '{"out":"A  B"}'],
    ['closed without bracket', 'A <system-reminder>m</system-reminder', 'A'],
    ['two of them', `${block}A${block}B`, 'AB'],
  ])('removes %s', (_, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it.each([
    ['ours, cut off', `Fix it\n${block.slice(0, -30)}`, 'Fix it'],
    ['ours in the middle of a line', `Fix it ${block.slice(0, -30)}`, 'Fix it'],
    ['ours without its attribute', `Fix it ${block.replace(' source="prompt"', '').slice(0, -30)}`, 'Fix it'],
    ['one of the host, text on the next line', 'Fix it\n<system-reminder>\nThe file changed', 'Fix it'],
    ['one of the host, text behind it', 'Fix it\n<system-reminder>The file changed', 'Fix it'],
    ['one in escaped text', 'Fix it\\n<system-reminder>\\nThe file changed', 'Fix it\\n'],
    ['one that a later block ends', 'A\n<system-reminder>\nx\n<system-reminder>y</system-reminder>\nB', 'A\n\nB'],
    ['a closing tag alone on its line', 'A\n</system-reminder>\nB', 'A\n\nB'],
  ])('removes an unclosed block: %s', (_, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it.each([
    'Why does `<system-reminder>` appear in my logs? Please find out.',
    'Why does <system-reminder> appear in my logs? Please find out.',
    '<system-reminder> tags keep appearing, find out why',
    'The parser looks for "<openviking-context>" and for \'</openviking-context>\'.',
    'Look:\n```xml\n<system-reminder>\n  text\n```\nand then?',
    'It ends with </system-reminder> I think.',
    'const Card = () => <user-profile name={name}>Hi</user-profile>;',
    'if (a < b && c > d) return "<p>";',
    'render(<UserProfile id={1} />)',
    'The tag is “<relevant-memories>”.\nIt comes first.',
  ])('keeps the sentence %j', (text) => {
    expect(cleanText(text)).toBe(text);
  });

  it('does not let a removed block join two halves into a tag', () => {
    const split = `<system-${block}reminder>x</system-reminder>`;
    expect(cleanText(split)).not.toContain('<system-reminder>');
    expect(cleanText(cleanText(split))).toBe(cleanText(split));
  });

  it('removes whatever we inject, totally, and keeps its surroundings', () => {
    const words = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 8 }),
        fc.constantFrom(
          '\n',
          ' ',
          '`<system-reminder>`',
          'a < b',
          '日本',
          '```',
          '"',
          '</p>',
          '<system-reminder> is a tag',
        ),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(
        words,
        words,
        words,
        fc.constantFrom('prompt' as const, 'session-start' as const),
        (left, body, right, source) => {
          const before = cleanText(`|${left.join('')}|`);
          const after = cleanText(`|${right.join('')}|`);
          const memory = neutralise(body.join(''));
          expect(cleanText(before + wrapContext(source, memory) + after)).toBe(before + after);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is idempotent, whatever is nested in whatever', () => {
    const tokens = fc.constantFrom(
      ...['<system-reminder>', '</system-reminder>', '<openviking-context source="prompt">', '<openviking-context>'],
      ...[
        '</openviking-context>',
        '<relevant-memories>',
        '</relevant-memories>',
        '\n',
        ' ',
        'x',
        '`',
        '"',
        '<',
        '/',
        'system-reminder',
      ],
      ...['>', '<sys', 'tem-reminder>', '```\n', '\\n', '\0', '\ud800', 'text'],
    );
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 24 }), (parts) => {
        const once = cleanText(parts.join(''));
        expect(cleanText(once)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('cleanText: the rest', () => {
  it('makes text well-formed, drops NUL and trims', () => {
    expect(cleanText(' \0a\ud83db\udc00 😀\n')).toBe('a\ufffdb\ufffd 😀');
    expect(cleanText('e\u0301 שלום')).toBe('e\u0301 שלום');
  });

  it('treats the tags that a host names like its own: blocks go, mentions stay', () => {
    const host = { hostTags: ['task-notification'] };
    expect(cleanText('a <task-notification>x</task_notification> b', host)).toBe('a  b');
    expect(cleanText('a\n<task-notification>\ncut off', host)).toBe('a');
    for (const text of ['What is `<task-notification>`? And b?', 'What is <task-notification> for? And b?']) {
      expect(cleanText(text, host)).toBe(text);
    }
    expect(cleanText('a <task-notification>x</task-notification> b')).toContain('<task-notification>x');
  });

  it('removes every match of the host noise, also of patterns without a g', () => {
    const hostNoise = [/\[note:[^\]]*\]/, /\[ts:\d+\]/g];
    expect(cleanText('[ts:1]a[note:x]b[ts:2][note:y]', { hostNoise })).toBe('ab');
  });

  it('takes time in proportion to the length of hostile texts', () => {
    const hostile = [
      '<',
      '< ',
      '<system-reminder>',
      '</system-reminder>',
      '&lt;system-reminder ',
      '\n<system-reminder>x</relevant-memories>',
      '```\n<system-reminder>\n',
      '<system-reminder>a</system-reminder> ',
    ];
    for (const unit of hostile) {
      const short = unit.repeat(Math.ceil(500_000 / unit.length));
      const long = unit.repeat(Math.ceil(5_000_000 / unit.length));
      cleanText(short);
      const shortTime = fastest(2, () => cleanText(short));
      const longTime = fastest(1, () => cleanText(long));
      // Ten times the length; a quadratic pass would take a hundred times as long.
      expect({ unit, ratio: longTime / Math.max(shortTime, 2) < 40 }).toEqual({ unit, ratio: true });
    }
  });
});

function fastest(runs: number, work: () => void): number {
  let best = Infinity;
  for (let run = 0; run < runs; run += 1) {
    best = Math.min(best, processorTime(work).milliseconds);
  }
  return best;
}
