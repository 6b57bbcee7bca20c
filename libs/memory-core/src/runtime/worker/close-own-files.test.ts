import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome, type TemporaryHome } from '../../../testing/index.ts';
import { homePaths, type HomePaths } from '../../fs/home-paths.ts';
import { closeOwnFiles } from './close-own-files.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

/** Makes a file, and folders above it up to the home, that everybody may change. */
function open(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{}');
  for (let at = path; at !== home.path; at = dirname(at)) chmodSync(at, at === path ? 0o666 : 0o777);
  return path;
}

/** What others may read or change below `folder`. */
const openBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0 && !lstatSync(join(folder, name)).isSymbolicLink(),
  );

/** A home whose folders and files are open to everybody. */
function openHome(spool?: string): HomePaths {
  const paths = homePaths(home.path, spool);
  for (const path of [
    join(paths.spool, 'zc-one', 'records', '000000000001.json'),
    join(paths.spool, '.queue', 'zc-one'),
    join(paths.spool, '.size.json'),
    join(paths.state, 'heartbeat', 'one-stop.json'),
    join(paths.logs, 'one.log'),
  ])
    open(path);
  return paths;
}

const onPosix = process.platform === 'win32' ? describe.skip : describe;

onPosix('what was open to others', () => {
  it.each(['deliver', 'sweep'] as const)('is closed by a worker that is to %s', (what) => {
    const paths = openHome();
    open(join(paths.root, 'data', 'another-program'));
    closeOwnFiles({ paths }, what);
    for (const folder of [paths.spool, paths.state, paths.logs])
      expect([mode(folder), openBelow(folder)]).toEqual(['700', []]);
    expect(mode(join(paths.spool, 'zc-one', 'records', '000000000001.json'))).toBe('600');
    // Nobody else puts anything there; who may read it is not for us to say.
    expect(mode(paths.root)).toBe('755');
    chmodSync(paths.root, 0o1777);
    closeOwnFiles({ paths }, what);
    expect((lstatSync(paths.root).mode & 0o7777).toString(8)).toBe('1755');
    expect(mode(join(paths.root, 'data', 'another-program'))).toBe('666');
  });

  it('is looked for file by file when a client starts, and by its folders otherwise', () => {
    const paths = openHome();
    for (const folder of [paths.spool, paths.state, paths.logs]) chmodSync(folder, 0o700);
    const file = join(paths.state, 'heartbeat', 'one-stop.json');
    closeOwnFiles({ paths }, 'deliver');
    expect(mode(file)).toBe('666');
    closeOwnFiles({ paths }, 'sweep');
    expect(mode(file)).toBe('600');
  });

  it('is closed where it is ours in a folder that the user has named, and nothing else there', () => {
    const paths = openHome(home.at('shared'));
    const other = open(join(paths.spool, 'somebody', 'notes.txt'));
    closeOwnFiles({ paths }, 'sweep');
    expect([mode(paths.spool), mode(other), mode(dirname(other))]).toEqual(['777', '666', '777']);
    expect(openBelow(join(paths.spool, 'zc-one'))).toEqual([]);
    expect(mode(join(paths.spool, '.size.json'))).toBe('600');
  });

  it.each(['deliver', 'sweep'] as const)('keeps no worker from its work, whatever is in its place: %s', (what) => {
    const paths = openHome();
    for (const folder of [paths.state, paths.logs]) rmSync(folder, { recursive: true });
    symlinkSync(paths.logs, paths.logs);
    symlinkSync(join(open(home.at('file')), 'below'), paths.state);
    closeOwnFiles({ paths }, what);
    expect([mode(paths.spool), openBelow(paths.spool)]).toEqual(['700', []]);
    rmSync(paths.root, { recursive: true });
    writeFileSync(paths.root, '');
    expect(() => closeOwnFiles({ paths }, what)).not.toThrow();
  });

  it('is not changed through a link', () => {
    const paths = openHome();
    const target = open(home.at('elsewhere', 'file'));
    symlinkSync(target, join(paths.spool, 'zc-one', 'link.json'));
    symlinkSync(dirname(target), join(paths.spool, 'zc-two'));
    closeOwnFiles({ paths }, 'sweep');
    expect([mode(target), mode(dirname(target))]).toEqual(['666', '777']);
  });
});
