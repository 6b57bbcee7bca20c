/** Whoever answers no on a terminal has changed nothing, and is told so; it is neither an error nor an interruption. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { runProgram } from '../src/program.ts';
import { shippedPayloads } from './support/in-process.ts';
import { NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { Payloads } from './support/in-process.ts';

let payloads: Payloads;
beforeAll(() => {
  payloads = shippedPayloads();
});
afterAll(() => payloads.remove());

async function onTerminal(home: TemporaryHome, args: readonly string[], typed: string) {
  const [stdin, out, err] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY: true })) as [
    PassThrough & { isTTY: boolean },
    PassThrough & { isTTY: boolean },
    PassThrough & { isTTY: boolean },
  ];
  stdin.write(typed);
  const code = await runProgram({
    args: [...args, '--home', home.path],
    home: '/nonexistent',
    platform: process.platform,
    env: { PATH: '/usr/bin:/bin' },
    interpreter: process.execPath,
    payloadRoot: payloads.folder,
    nodeVersion: process.versions.node,
    loadProxy: () => {
      throw new Error('no proxy is named here');
    },
    version: '0.0.0-test',
    stdin,
    out,
    err,
    signal: new AbortController().signal,
    now: () => new Date(),
  });
  return { code, stdout: String(out.read() ?? ''), stderr: String(err.read() ?? '') };
}

describe('no', () => {
  it.each([
    ['en', 'Nothing was changed.'],
    ['zh', '未做任何改动。'],
  ])('to an installation and to a removal, in %s', (lang, said) =>
    withHome(async (home) => {
      home.write('.cursor/hooks.json', '{"version":1}');
      const before = snapshotTree(home.path);
      const install = ['install', '--harness', 'cursor,trae', '--url', NO_SERVER, '--lang', lang];
      const refused = await onTerminal(home, install, 'n\n');
      // On a slow machine a line there says what is being waited for.
      expect([refused.code, refused.stderr.includes('Error')]).toEqual([0, false]);
      expect(refused.stdout).toContain(said);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);

      expect((await onTerminal(home, install, 'y\n')).code).toBe(3);
      const installed = snapshotTree(home.path);
      const kept = await onTerminal(home, ['uninstall', '--lang', lang], 'n\n');
      expect([kept.code, kept.stderr.includes('Error')]).toEqual([0, false]);
      expect(kept.stdout).toContain(said);
      expect(diffTrees(installed, snapshotTree(home.path))).toEqual([]);
    }),
  );
});
