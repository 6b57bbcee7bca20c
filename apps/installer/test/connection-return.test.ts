/** What is ours in `ovcli.conf` goes with `--purge` however long the way there was; what the user put there never does. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { NO_SERVER, runShipped } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { Run } from './support/installer-process.ts';

const CONF = '.openviking/ovcli.conf';
const URL_ARGS = ['--url', NO_SERVER, '--api-key', 'sk-given-0123456789'];

const run = (home: TemporaryHome, command: string, ...args: readonly string[]): Promise<Run> =>
  runShipped([command, '--harness', 'zcode', '--home', home.path, '--yes', ...args]);
const stored = (home: TemporaryHome) => JSON.parse(home.readText(CONF)) as Record<string, unknown>;

/** Each scenario in a home of its own; whatever server it started ends with it. */
const inHome = (work: (home: TemporaryHome) => Promise<void>) =>
  withHome(async (home) => {
    mkdirSync(home.at('.zcode/cli'), { recursive: true });
    try {
      await work(home);
    } finally {
      await run(home, 'uninstall', '--purge');
    }
  });

describe('--purge', () => {
  it('leaves a key that the user has changed, and says so', () =>
    inHome(async (home) => {
      await run(home, 'install', ...URL_ARGS);
      home.write(CONF, JSON.stringify({ ...stored(home), api_key: 'MY-OWN-KEY-999', mine: 1 }), 0o600);
      const end = await run(home, 'uninstall', '--purge');
      expect(end.code).toBe(0);
      expect(stored(home)).toEqual({ api_key: 'MY-OWN-KEY-999', mine: 1 });
      expect(end.stdout).toContain(`${home.at(CONF)}: api_key has changed since the installation and stays.`);
      expect(end.stdout).not.toContain('MY-OWN-KEY-999');
    }));

  it('brings back the value that the user had put in between two installations', () =>
    inHome(async (home) => {
      await run(home, 'install', ...URL_ARGS);
      home.write(CONF, JSON.stringify({ ...stored(home), api_key: 'MY-OWN-KEY-999' }), 0o600);
      await run(home, 'install', '--api-key', 'sk-second-0123456789');
      await run(home, 'uninstall', '--purge');
      expect(stored(home)).toEqual({ api_key: 'MY-OWN-KEY-999' });
    }));

  it.each([
    ['--url, after a removal', [URL_ARGS, undefined]],
    ['--url, after a removal and another installation', [URL_ARGS, undefined, URL_ARGS]],
    ['--local, after a removal', [['--local'], undefined]],
    ['--local, after a removal and another installation', [['--local'], undefined, ['--local']]],
    ['--url, then --local', [URL_ARGS, ['--local']]],
    ['--local, then --url, after a removal', [['--local'], URL_ARGS, undefined]],
  ])('leaves no trace: %s', (_what, way) =>
    inHome(async (home) => {
      const before = snapshotTree(home.path);
      for (const args of way) {
        expect([0, 3]).toContain((await run(home, args === undefined ? 'uninstall' : 'install', ...(args ?? []))).code);
      }
      expect((await run(home, 'uninstall', '--purge')).code).toBe(0);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
      const again = await run(home, 'uninstall', '--purge');
      expect(again).toMatchObject({ code: 0, stderr: '' });
      expect(again.stdout).toContain('ZCode: not installed, nothing to do.');
    }),
  );

  it('does not say that a client was removed which had gone before', () =>
    inHome(async (home) => {
      await run(home, 'install', ...URL_ARGS);
      expect((await run(home, 'uninstall')).stdout).toContain('ZCode: removed');
      expect((await run(home, 'uninstall')).stdout).toContain('ZCode: not installed');
      const purge = await run(home, 'uninstall', '--purge');
      expect(purge.stdout).not.toContain('ZCode: removed');
      expect(home.has('.openviking')).toBe(false);
    }));

  it('keeps the key out of the receipt that stays', () =>
    inHome(async (home) => {
      await run(home, 'install', ...URL_ARGS);
      await run(home, 'uninstall');
      expect(home.readText('.openviking/install/receipts/connection.json')).not.toContain('sk-given');
    }));
});

describe('a remote connection', () => {
  const REMOTE = { url: NO_SERVER, api_key: 'sk-given-0123456789' };

  it('comes back when the local server that took its place goes', () =>
    inHome(async (home) => {
      await run(home, 'install', ...URL_ARGS);
      await run(home, 'install', '--local');
      expect(stored(home)['url']).not.toBe(NO_SERVER);
      await run(home, 'uninstall');
      expect(stored(home)).toEqual(REMOTE);
    }));

  it('stays when it took the place of the local server, and has no key of that one', () =>
    inHome(async (home) => {
      await run(home, 'install', '--local');
      await run(home, 'install', '--url', NO_SERVER);
      expect(stored(home)).toEqual({ url: NO_SERVER });
      await run(home, 'uninstall');
      expect(stored(home)).toEqual({ url: NO_SERVER });
    }));

  it('of the user comes back from --url and --local one after the other', () =>
    inHome(async (home) => {
      const mine = '{\n  "url": "https://mine.example", // mine\n  "output": 1\n}\n';
      home.write(CONF, mine, 0o644);
      await run(home, 'install', ...URL_ARGS);
      await run(home, 'install', '--local');
      await run(home, 'uninstall');
      expect(home.readText(CONF)).toContain(`"url": "${NO_SERVER}"`);
      await run(home, 'uninstall', '--purge');
      expect(home.readText(CONF)).toBe(mine);
    }));
});

describe('ovcli.conf', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \n\t\r\n'],
    ['a byte order mark', '\uFEFF\n'],
  ])('that held %s is that again', (_what, text) =>
    inHome(async (home) => {
      home.write(CONF, text, 0o644);
      const before = snapshotTree(home.path);
      await run(home, 'install', ...URL_ARGS);
      await run(home, 'uninstall', '--purge');
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }),
  );

  it('behind a dangling link leaves no folder where the link points', () =>
    inHome(async (home) => {
      mkdirSync(home.at('.openviking'));
      symlinkSync(home.at('dotfiles/deep/ovcli.conf'), home.at(CONF));
      symlinkSync(home.at('dotfiles/zcode/config.json'), home.at('.zcode/cli/config.json'));
      const before = snapshotTree(home.path);
      await run(home, 'install', ...URL_ARGS);
      expect(home.has('dotfiles/deep/ovcli.conf')).toBe(true);
      await run(home, 'uninstall', '--purge');
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('with an "installer" field of somebody else keeps it', () =>
    inHome(async (home) => {
      const mine = '{"installer":5,"url":"https://mine.example"}';
      home.write(CONF, mine, 0o644);
      await run(home, 'install', ...URL_ARGS);
      await run(home, 'uninstall', '--purge');
      expect(home.readText(CONF)).toBe(mine);
    }));
});
