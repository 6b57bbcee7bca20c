/** Going back never fails as a whole: one step that cannot be undone is named, and the others are undone all the same. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from '@jest/globals';
import { applySteps } from '../src/apply/transaction.ts';
import { undo } from '../src/apply/undo.ts';
import { sha256 } from '../src/files/image.ts';
import { withHome } from './support/scratch.ts';
import type { Journal } from '../src/apply/journal.ts';
import type { PluginChange } from '../src/registration/plugin-change.ts';

it('a plugin that cannot be registered again is named; files come back and temporary ones go', () =>
  withHome(async (home) => {
    const [settings, other] = [home.at('client/settings.json'), home.at('client/other.json')];
    mkdirSync(dirname(settings));
    writeFileSync(other, 'ours');
    // Named as the core names it, by a process that is gone.
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    const temporary = `client/.ov-${gone.toString(36)}-1a2b-1.tmp`;
    writeFileSync(home.at(temporary), 'half');
    // Of a writer that has no number here: in another container, or gone since the run that was killed.
    const { pid: stranger } = spawnSync(process.execPath, ['-e', '']);
    const [fresh, old] = [1, 2].map((count) => `client/.ov-${stranger.toString(36)}-1a2b-${count}.tmp`) as [
      string,
      string,
    ];
    for (const name of [fresh, old]) writeFileSync(home.at(name), 'half');
    const twoMinutesAgo = Date.now() / 1000 - 120;
    utimesSync(home.at(old), twoMinutesAgo, twoMinutesAgo);
    const inUse = `client/.ov-${process.pid.toString(36)}-1a2b-1.tmp`;
    writeFileSync(home.at(inUse), 'half');
    const change: PluginChange = {
      id: 'p@m',
      marketplace: 'm',
      earlier: [],
      places: [],
      folder: home.at('plugin'),
      programs: ['/bin/client'],
      registered: ['/bin/client'],
      add: [['add']],
      remove: [['remove']],
      variables: {},
      rewrites: [settings],
      fresh: [],
    };
    const before = {
      hash: sha256(Buffer.from('theirs')),
      mode: 0o644,
      content: Buffer.from('theirs').toString('base64'),
    };
    const journal: Journal = {
      version: 1,
      pid: gone,
      phase: 'apply',
      steps: [
        { kind: 'plugin', index: 0, path: change.folder, change, files: [] },
        {
          kind: 'file',
          index: 1,
          path: other,
          isSecret: false,
          before,
          after: { hash: sha256(Buffer.from('ours')), mode: 0o644 },
        },
      ],
      begun: 1,
      folders: [],
      leaving: [],
    };
    const asked: string[] = [];
    const stuck = await undo(journal, new Map(), (_program, [verb = '']) => {
      asked.push(verb);
      // Registering puts a folder where the file is to be put back: nobody can read or write that.
      if (verb === 'add') mkdirSync(settings);
      return Promise.resolve({ status: 0, stdout: '', output: '' });
    });
    expect(asked).toEqual(['remove', 'add']);
    expect(stuck).toEqual([change.folder]);
    expect(home.readText('client/other.json')).toBe('theirs');
    expect([temporary, inUse, fresh, old].map((name) => home.has(name))).toEqual([false, true, true, false]);
  }));

it('a run that cannot be taken back whole says why it failed, and what is left', () =>
  withHome(async (home) => {
    const file = home.write('client/settings.json', 'theirs');
    const run = applySteps({
      installFolder: home.at('.openviking/install'),
      steps: [
        {
          kind: 'write',
          path: file,
          before: { bytes: Buffer.from('theirs'), mode: 0o644 },
          after: { bytes: Buffer.from('ours'), mode: 0o644 },
        },
        {
          kind: 'probe',
          run() {
            writeFileSync(file, 'theirs again');
            return Promise.reject(new Error('the launcher did not start.'));
          },
        },
      ],
      madeFolders: [],
      leaving: [],
      signal: new AbortController().signal,
      machine: { home: home.path, env: {}, platform: process.platform },
    });
    await expect(run).rejects.toMatchObject({
      code: 'apply/stuck',
      message: expect.stringMatching(/the launcher did not start\..*settings\.json/s),
    });
    expect(home.readText('client/settings.json')).toBe('theirs again');
  }));
