/** Schemas, reference and fingerprint: projections must say what the loader does. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { createTemporaryHome } from '../../testing/temporary-home.ts';
import type { TemporaryHome } from '../../testing/temporary-home.ts';
import { GROUPS, HELP } from './help.ts';
import { inspectSettings } from './inspect.ts';
import { pluginSchema, workspaceSchema } from './json-schema.ts';
import { settingsReference } from './reference.ts';
import { declarationOf, environmentVariable, SETTING_NAMES } from './schema.ts';
import { credentialFingerprint } from './watch-key.ts';

const generator = fileURLToPath(new URL('../../../../tools/generate-reference/generate.mjs', import.meta.url));

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

describe('the declaration', () => {
  it('has one variable, one workspace key and one spelling for each setting', () => {
    const spellings = SETTING_NAMES.flatMap((name) => [name, ...(declarationOf(name).older ?? [])]);
    const variables = SETTING_NAMES.flatMap((name) => [
      environmentVariable(name),
      ...(declarationOf(name).olderEnvironment ?? []),
    ]);
    const keys = SETTING_NAMES.flatMap((name) => declarationOf(name).workspace ?? []);
    for (const list of [spellings, variables, keys]) expect(new Set(list).size).toBe(list.length);
    expect(variables.every((variable) => /^OPENVIKING(_[A-Z]+)+$/.test(variable))).toBe(true);
  });

  it('allows a workspace file these keys only', () => {
    expect(SETTING_NAMES.flatMap((name) => declarationOf(name).workspace ?? []).sort()).toEqual([
      ...['bypass.session_patterns', 'capture.commit_token_threshold', 'capture.enabled', 'peer.id', 'peer.source'],
      ...['recall.dedup_turns', 'recall.enabled', 'recall.max_items', 'recall.peer_scope', 'recall.score_threshold'],
    ]);
  });

  it('keeps its defaults within its own bounds', () => {
    for (const name of SETTING_NAMES) {
      const declaration = declarationOf(name);
      const value: unknown = declaration.default;
      if ((declaration.type === 'integer' || declaration.type === 'number') && typeof value === 'number') {
        expect(value).toBeGreaterThanOrEqual(declaration.min);
        expect(value).toBeLessThanOrEqual(declaration.max ?? Infinity);
      }
      if (declaration.type === 'enum' && value !== undefined) expect(declaration.members).toContain(value);
    }
  });

  it('is explained in both languages', () => {
    for (const name of SETTING_NAMES) {
      expect(HELP[name].en).toMatch(/\.$/);
      expect(HELP[name].zh).toMatch(/[\u4e00-\u9fff].*。$/);
      expect(Object.keys(GROUPS)).toContain(HELP[name].group);
    }
  });
});

describe('JSON Schemas', () => {
  // An implementation of JSON Schema that is not ours decides what a schema means.
  const plugin = z.fromJSONSchema(pluginSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const workspace = z.fromJSONSchema(workspaceSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const findingsFor = (section: object) => {
    home.write('.openviking/ovcli.conf', JSON.stringify({ plugin: section }));
    return inspectSettings({ harness: 'zcode', home: home.path, cwd: home.path, env: {} }).findings;
  };

  const candidates = [
    ...[
      true,
      false,
      'yes',
      'off',
      'maybe',
      0,
      1,
      3,
      -1,
      0.5,
      1_000,
      2.5,
      1e12,
      null,
      'x',
      'all',
      'actor',
      'auto',
      'server',
    ],
    ...['trusted', '/abs', [], ['a'], [1], ['!reset', 'a'], {}, { A: 'b' }, { A: 1 }, { A: [] }],
  ];

  it.each(SETTING_NAMES)('accept for %s what the loader takes without a finding, and little else', (name) => {
    for (const value of candidates) {
      const accepted = plugin.safeParse({ [name]: value }).success;
      const clean = findingsFor({ [name]: value }).length === 0;
      // The loader is more tolerant: numbers as texts, odd cases. A schema may warn there, but never praise a mistake.
      const type = declarationOf(name).type;
      if (accepted && !(type === 'path' && typeof value === 'string'))
        expect({ name, value, clean }).toEqual({ name, value, clean: true });
      if (clean && typeof value !== 'string' && typeof value !== 'number') {
        expect({ name, value, accepted: accepted || Array.isArray(value) }).toEqual({ name, value, accepted: true });
      }
    }
  });

  it('refuse a mistyped setting and accept the section of any client', () => {
    expect(plugin.safeParse({ recalLimit: 3 }).success).toBe(false);
    expect(plugin.safeParse({ zcode: { recalLimit: 3 } }).success).toBe(false);
    expect(plugin.safeParse({ zcode: { recallLimit: 3, apiKey: 'k' }, recallLimit: 4, syncTurns: false }).success).toBe(
      true,
    );
  });

  it('know the workspace file', () => {
    const good = { version: 1, peer: { source: ['{dir}'] }, recall: { max_items: 3 }, labels: { a: 1 }, unknown: 1 };
    expect(workspace.safeParse(good).success).toBe(true);
    for (const bad of [
      {},
      { version: 2 },
      { version: 1, recall: { max_items: 0 } },
      { version: 1, recall: { peer_scope: 'x' } },
      { version: 1, peer: { id: '${HOME}' } },
      { version: 1, bypass: { session_patterns: ['a${HOME}'] } },
    ]) {
      expect({ bad, accepted: workspace.safeParse(bad).success }).toEqual({ bad, accepted: false });
    }
  });
});

describe('the reference', () => {
  it.each(['en', 'zh'] as const)('names every setting, variable and workspace key once (%s)', (language) => {
    const text = settingsReference(language, [{ id: 'some-client', settingDefaults: { commitTurnThreshold: 3 } }]);
    for (const name of SETTING_NAMES) {
      expect(text.split('\n').filter((line) => new RegExp(`^\\| \`${name}\``).test(line))).toHaveLength(1);
      expect(text).toContain(`\`${environmentVariable(name)}\``);
      const key = declarationOf(name).workspace;
      if (key !== undefined) expect(text).toContain(`| \`${key}\` |`);
    }
    expect(text).toContain('| `8`; some-client: `3` |');
  });

  it('is up to date, and the check notices when it is not', () => {
    expect(spawnSync(process.execPath, [generator, '--check'], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    const out = home.at('reference');
    execFileSync(process.execPath, [generator, '--out', out]);
    expect(spawnSync(process.execPath, [generator, '--check', '--out', out]).status).toBe(0);
    appendFileSync(home.at('reference/settings.md'), 'x');
    const stale = spawnSync(process.execPath, [generator, '--check', '--out', out], { encoding: 'utf8' });
    expect(stale).toMatchObject({ status: 1, stderr: expect.stringContaining('settings.md') });
  });
});

describe('the fingerprint of the credential files', () => {
  const print = (env = {}) => credentialFingerprint({ home: home.path, env });

  it('changes with every kind of change, and only then', () => {
    const seen = [print()];
    const changed = () => {
      const now = print();
      expect(seen).not.toContain(now);
      expect(print()).toBe(now);
      seen.push(now);
    };
    home.write('.openviking/ovcli.conf', '{"api_key":"a"}');
    changed();
    home.write('.openviking/next', '{"api_key":"b"}');
    renameSync(home.at('.openviking/next'), home.at('.openviking/ovcli.conf'));
    changed();
    home.write('.openviking/ov.conf', '{}');
    changed();
    home.write('.openviking/other.json', '{}');
    expect(print()).toBe(seen.at(-1));
    mkdirSync(home.at('elsewhere'));
    expect(print({ OPENVIKING_CLI_CONFIG_FILE: home.at('elsewhere/cli.conf') })).not.toBe(seen.at(-1));
  });
});
