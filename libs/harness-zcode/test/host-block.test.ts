/** What the client mixes into texts goes; what a user writes about it stays. */
import { describe, expect, it } from '@jest/globals';
import { processorTime } from '@openviking/memory-core/testing';
import { zcodeDialect } from '../src/dialect.ts';
import { isOnlyNotifications, isOnlyReminders, withoutReminders } from '../src/host-block.ts';
import { sanitise } from '../vendor/memory-core/privacy/pipeline.ts';

const { hostTags, hostNoise } = zcodeDialect;

/** As a hook and the worker do it. */
function kept(text: string): string | undefined {
  return sanitise(text, { role: 'user', redact: true, hostTags, hostNoise });
}

describe('what is kept of a text', () => {
  it.each([
    ['before <system-reminder>\nrecalled\n</system-reminder> after', 'before  after'],
    ['a<system-reminder>x</system-reminder>b<SYSTEM-REMINDER id="2">y</SYSTEM-REMINDER>c', 'abc'],
    ['prompt\n<system-reminder>cut off', 'prompt'],
    ['<task-notification>\ntask 3 finished\n</task-notification>go on', 'go on'],
    ['go on\n<task-notification>\n<task-id>3</task-id>\ncut off', 'go on'],
    ['<task_notification status="done">3</task_notification>go on', 'go on'],
    ['<hook_context>recalled</hook_context>go on', 'go on'],
    ['output\n\n\n[Hook additional context]\n#1\na note\n#2\nanother', 'output'],
    ['go on\nUserPromptSubmit hook additional context: \n#1\nrecalled', 'go on'],
    ['SessionStart hook additional context: \n#1\nrecalled\n\n#2\nmore', ''],
  ])('loses what the host put into %j', (text, rest) => {
    expect(kept(text)).toBe(rest);
  });

  it.each([
    'Explain what `<system-reminder>` means, and why the staging database is called heron.',
    'Explain what <task-notification> means, and why the staging database is called heron.',
    '<task-notification> shows up in my log. The staging database is called heron.',
    'Why does `<hook_context>` come twice?\nThe staging database is called heron.',
    'Look:\n```\n<task-notification>\n  3\n```\nThe staging database is called heron.',
    'What does "UserPromptSubmit hook additional context:" mean?',
    'The log says [Hook additional context], why?',
    'Explain <system-reminders> and system-reminder.',
    'a < b && b > c',
  ])('is everything where a user writes %j', (text) => {
    expect(kept(text)).toBe(text);
  });

  it('takes linear time to find on hostile text', () => {
    const hostile = [
      '<task-notification>'.repeat(60_000),
      '<task-notification '.repeat(60_000),
      '\n'.repeat(1_000_000),
      '[Hook additional context]\n#1'.repeat(40_000),
      '</task-notification '.repeat(60_000),
      'Stop hook additional context: \n#1'.repeat(30_000),
    ];
    const { milliseconds } = processorTime(() => {
      for (const text of hostile) kept(text);
    });
    // Quadratic time would be minutes here.
    expect(milliseconds).toBeLessThan(5_000);
  });
});

describe('whose a message is', () => {
  it.each([
    ['<system-reminder>\nrecalled\n</system-reminder>\n', { reminders: true, notifications: false }],
    ['<task-notification>3</task-notification>', { reminders: false, notifications: true }],
    [
      '<system-reminder>a</system-reminder>\n<task-notification>3</task-notification>',
      { reminders: false, notifications: true },
    ],
    ['<system-reminder> is what? The staging database is heron.', { reminders: false, notifications: false }],
    ['<task-notification> is what? The staging database is heron.', { reminders: false, notifications: false }],
    ['<task-notification>3</task-notification> and now?', { reminders: false, notifications: false }],
    ['  ', { reminders: false, notifications: false }],
  ])('is seen in %j', (text, { reminders, notifications }) => {
    expect(isOnlyReminders(text)).toBe(reminders);
    expect(isOnlyNotifications(text)).toBe(notifications);
  });

  it('is not changed by what another tag holds', () => {
    expect(withoutReminders('a <task-notification>3</task-notification> b')).toBe(
      'a <task-notification>3</task-notification> b',
    );
  });
});
