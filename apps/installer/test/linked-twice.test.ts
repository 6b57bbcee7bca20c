/** Two configuration files that a link makes one: refused with that reason, and nothing has changed. */
import { symlinkSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { requireDistinctFiles } from '../src/apply/distinct-files.ts';
import { NO_SERVER, runShipped } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';

it('two clients whose folders are one', () =>
  withHome(async (home) => {
    home.write('.trae/hooks.json', '{}');
    symlinkSync('.trae', home.at('.trae-cn'));
    const before = snapshotTree(home.path);
    const run = await runShipped([
      'install',
      '--harness',
      'trae,trae-cn',
      '--home',
      home.path,
      '--yes',
      '--url',
      NO_SERVER,
    ]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(
      `${home.at('.trae/hooks.json')} and ${home.at('.trae-cn/hooks.json')} are one file by a link`,
    );
    expect(run.stderr).toContain('--harness');
    expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
  }));

it('a linked file beside its target; the same path twice and another file are fine', () =>
  withHome(async (home) => {
    const [one, other, link] = [home.write('a/one', ''), home.write('a/other', ''), home.at('a/link')];
    symlinkSync('one', link);
    const late = (path: string) => ({ kind: 'late', path, after: () => undefined }) as const;
    expect(() => requireDistinctFiles([late(one), late(one), late(other)])).not.toThrow();
    expect(() => requireDistinctFiles([late(one), late(other), late(link)])).toThrow(
      expect.objectContaining({ code: 'file/linked-twice' }),
    );
    await Promise.resolve();
  }));
