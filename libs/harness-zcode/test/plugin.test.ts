/** The packaged plugin: the real packaging and the real check, each as the process that a release runs. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as harness from '../src/harness.ts';
import type { HarnessDeclaration } from '../vendor/memory-core/hot.ts';

const PACKAGE = resolve(import.meta.dirname, '..');
const CHECK = resolve(PACKAGE, '../../tools/check-plugin/check-plugin.mjs');
const CACHED = ['session-start', 'user-prompt-submit', 'stop'];
const RUNTIME = [
  ...CACHED,
  ...CACHED.map((entry) => `${entry}.main`),
  'uri-guard',
  'worker',
  'mcp-proxy',
  'filters',
  'proxy',
  'secrets',
  'seldom',
];

/** A real stdio server in place of the proxy, which needs a build. */
const SERVER = `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{}}'));`;

let scratch: string;
let payload: string;
let target: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'zcode-plugin-'));
  payload = join(scratch, 'payload');
  target = join(scratch, 'plugin');
  mkdirSync(payload);
  for (const name of RUNTIME)
    writeFileSync(join(payload, `${name}.cjs`), name === 'mcp-proxy' ? SERVER : `// ${name}\n`);
  writeFileSync(join(payload, 'THIRD-PARTY-LICENSES.txt'), 'what the bundles carry\n');
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function pack() {
  const args = [join(PACKAGE, 'package-plugin.mjs'), '--payload', payload, '--target', target];
  return spawnSync(process.execPath, args, { timeout: 240_000, encoding: 'utf8' });
}

function json(...path: string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(join(target, ...path), 'utf8')) as Record<string, unknown>;
}

describe('the packaged plugin', () => {
  it('keeps every rule of the client’s marketplaces', () => {
    expect(pack()).toMatchObject({ status: 0, stderr: '' });
    const check = spawnSync(process.execPath, [CHECK, target], { timeout: 240_000, encoding: 'utf8' });
    expect(check.stderr).toBe('');
    expect(check.status).toBe(0);
  });

  it('has the version of the package, in manifest and entry', () => {
    pack();
    const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
    expect(json('openviking-memory', '.zcode-plugin', 'plugin.json')['version']).toBe(version);
    expect(json('marketplace.json')['plugins']).toMatchObject([{ name: 'openviking-memory', version }]);
  });

  it('wires the events that the declaration wires, with the same matchers and patience', () => {
    pack();
    const declaration = Object.values(harness).find((value): value is HarnessDeclaration => typeof value === 'object');
    const expected = (declaration?.events ?? []).map(({ nativeName, entry, matcher, timeout }) => [
      nativeName,
      [
        {
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [
            {
              type: 'command',
              command: `node "\${ZCODE_PLUGIN_ROOT}/runtime/${entry}.cjs"`,
              timeout: timeout.unit === 'seconds' ? timeout.value : timeout.value / 1000,
            },
          ],
        },
      ],
    ]);
    expect(expected).toHaveLength(4);
    expect(json('openviking-memory', 'hooks', 'hooks.json')).toEqual({ hooks: Object.fromEntries(expected) });
  });

  it('is put together afresh: nothing of an earlier build stays', () => {
    pack();
    const stale = join(target, 'openviking-memory', 'runtime', 'stale.cjs');
    writeFileSync(stale, '');
    expect(pack().status).toBe(0);
    expect(() => readFileSync(stale)).toThrow('ENOENT');
  });

  it('is refused while the payload lacks a file, or has one that the plugin would leave behind', () => {
    rmSync(join(payload, 'stop.cjs'));
    expect(pack()).toMatchObject({ status: 1, stderr: expect.stringContaining('Not built: stop.cjs') });
    writeFileSync(join(payload, 'stop.cjs'), '');
    writeFileSync(join(payload, 'chunk-1.cjs'), '');
    expect(pack()).toMatchObject({ status: 1, stderr: expect.stringContaining('chunk-1.cjs') });
  });
});
