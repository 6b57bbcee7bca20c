/** What doctor says about keys that nothing reads. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome } from '../../testing/temporary-home.ts';
import type { TemporaryHome } from '../../testing/temporary-home.ts';
import { inspectSettings } from './inspect.ts';
import { loadSettings } from './load.ts';
import { nearest } from './suggest.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
  home.makeFolder('project/.git');
});
afterEach(() => home.remove());

const contextOf = (env = {}) => ({ harness: 'zcode', home: home.path, cwd: home.at('project'), env });
const told = (env = {}) =>
  inspectSettings(contextOf(env)).findings.map(({ code, message, fix }) => [code, message.split(' ')[0], fix]);
const write = (file: string, value: unknown) => home.write(file, JSON.stringify(value));

describe('unknown keys', () => {
  it('are named with the nearest setting, in plugin sections', () => {
    write('.openviking/ovcli.conf', {
      output: 'table',
      anything: 1,
      plugin: { recalLimit: 3, autocapture: false, nonsense: 1, zcode: { scoreTreshold: 1, apikey: 'k' } },
    });
    expect(told()).toEqual([
      ['settings/unknown-key', 'plugin.zcode.scoreTreshold', 'Did you mean scoreThreshold?'],
      ['settings/unknown-key', 'plugin.zcode.apikey', 'Did you mean apiKey?'],
      ['settings/unknown-key', 'plugin.recalLimit', 'Did you mean recallLimit?'],
      ['settings/unknown-key', 'plugin.autocapture', 'Did you mean autoCapture?'],
      ['settings/unknown-key', 'plugin.nonsense', 'Remove it.'],
    ]);
  });

  it('are not the sections of other clients, but a near miss of this one’s', () => {
    write('.openviking/ovcli.conf', {
      plugin: { cursor: { x: 1 }, opencode: {}, zcod: { recallLimit: 1 }, zcode: {} },
    });
    expect(told()).toEqual([['settings/unknown-key', 'plugin.zcod', expect.any(String)]]);
  });

  it('are named in the environment only when they are near misses', () => {
    const env = {
      OPENVIKING_RECAL_LIMIT: '3',
      OPENVIKING_HOOK_DEPTH: '1',
      OPENVIKING_LANG: 'zh',
      OPENVIKING_URLS: 'x',
    };
    expect(told({ ...env, RECALL_LIMIT: '1' })).toEqual([
      ['settings/unknown-key', 'OPENVIKING_RECAL_LIMIT', 'Did you mean OPENVIKING_RECALL_LIMIT?'],
      ['settings/unknown-key', 'OPENVIKING_URLS', 'Did you mean OPENVIKING_URL?'],
    ]);
  });

  it('are named in workspace files, labels left alone', () => {
    write('project/.openviking/config.json', {
      version: 1,
      $schema: 'x',
      labels: { team: 'a' },
      recall: { max_item: 3, enabled: true },
      'recall.max_items': 3,
      captures: {},
      anything: {},
      bypass: 1,
    });
    expect(told()).toEqual([
      ['settings/unknown-key', 'recall.max_item', 'Did you mean recall.max_items?'],
      ['settings/unknown-key', 'recall.max_items', 'Write it nested: {"recall": {"max_items": …}}.'],
      ['settings/unknown-key', 'captures', 'Did you mean capture?'],
      ['settings/unknown-key', 'anything', 'Remove it.'],
    ]);
  });

  it('cannot flood a report or break its lines', () => {
    write('project/.openviking/config.json', {
      version: 1,
      ...Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}\n${'x'.repeat(500)}`, 1])),
    });
    const findings = inspectSettings(contextOf()).findings;
    expect(findings).toHaveLength(20);
    expect(findings.every(({ message }) => message.length < 200 && !message.includes('\n'))).toBe(true);
  });

  it('cost a hook nothing', () => {
    write('.openviking/ovcli.conf', { plugin: { recalLimit: 3 } });
    expect(loadSettings(contextOf()).findings).toEqual([]);
  });
});

describe('overruled values', () => {
  const shadowed = (env = {}) =>
    inspectSettings(contextOf(env)).findings.filter(({ code }) => code.endsWith('shadowed'));

  it('are named with the place that is stronger, never with a value', () => {
    write('.openviking/ovcli.conf', {
      plugin: { recallLimit: 3, debug: true, zcode: { recallLimit: 7 }, captureFilters: ['d/a/'] },
    });
    write('project/.openviking/config.json', { version: 1, recall: { max_items: 9 } });
    const env = { OPENVIKING_DEBUG: '1', OPENVIKING_CAPTURE_FILTERS: 'd/b/' };
    expect(shadowed(env).map(({ file, message, severity }) => [file, message, severity])).toEqual([
      [
        home.at('.openviking/ovcli.conf'),
        `plugin.zcode.recallLimit has no effect: ${home.at('project/.openviking/config.json')} recall.max_items is stronger.`,
        'info',
      ],
      [
        home.at('.openviking/ovcli.conf'),
        `plugin.recallLimit has no effect: ${home.at('project/.openviking/config.json')} recall.max_items is stronger.`,
        'info',
      ],
      [home.at('.openviking/ovcli.conf'), 'plugin.debug has no effect: OPENVIKING_DEBUG is stronger.', 'info'],
    ]);
  });

  it('are none where both say the same, and where values are united', () => {
    write('.openviking/ovcli.conf', {
      plugin: { recallLimit: 3, zcode: { recallLimit: 3, captureFilters: ['d/a/'] } },
    });
    expect(shadowed({ OPENVIKING_CAPTURE_FILTERS: 'd/b/' })).toEqual([]);
  });
});

describe('in Chinese', () => {
  it('every finding is told, with the same codes and places', () => {
    write('.openviking/ovcli.conf', {
      url: 'localhost:1933/api/v1',
      plugin: { recalLimit: 3, recallLimit: 1000, debug: 'perhaps', recallRewrite: 'x', peerSource: '{no}' },
    });
    write('project/.openviking/config.json', { version: 2 });
    home.write('.openviking/ov.conf', '{');
    const env = { OPENVIKING_RECALL_LIMIT: '3', OPENVIKING_CREDENTIAL_SOURCE: 'both' };
    const [english, chinese] = (['en', 'zh'] as const).map(
      (language) => inspectSettings(contextOf(env), undefined, language).findings,
    );
    const places = (list = english) => list?.map(({ code, severity, file, line }) => ({ code, severity, file, line }));
    expect(places(chinese)).toEqual(places());
    expect(new Set(english?.map(({ code }) => code)).size).toBeGreaterThan(7);
    for (const { message, fix } of chinese ?? []) {
      expect(message).toMatch(/\p{Script=Han}/u);
      expect(fix).toMatch(/\p{Script=Han}/u);
    }
    for (const { message, fix } of english ?? []) expect(message + fix).not.toMatch(/\p{Script=Han}/u);
  });
});

describe('templates', () => {
  it('with a variable that does not exist are a finding', () => {
    write('.openviking/ovcli.conf', { plugin: { peerSource: ['{git-remote}', '{dir}'] } });
    expect(told()).toEqual([
      [
        'settings/unknown-template-variable',
        'peerSource',
        'Use one of {git_remote}, {git_root}, {cwd}, {dir}, {harness}.',
      ],
    ]);
  });
});

describe('nearest', () => {
  it.each([
    ['recall_limit', 'recallLimit'],
    ['recallLimti', 'recallLimit'],
    ['debg', 'debug'],
    ['x', undefined],
    ['y'.repeat(10_000), undefined],
  ])('%s → %s', (word, expected) => {
    expect(nearest(word, ['recallLimit', 'debug', 'enabled'])).toBe(expected);
  });
});
