/** Which peer a folder gets, over real repositories: the template table and the promises about old identifiers. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome, homeEnvironment } from '../../testing/temporary-home.ts';
import type { TemporaryHome } from '../../testing/temporary-home.ts';
import type { Settings } from '../contract/settings.ts';
import { diskReader } from '../settings/file-reader.ts';
import { distinctPathId, plainPathId } from './peer-id.ts';
import { resolvePeer, templatesOf } from './peer.ts';

let home: TemporaryHome;
let project: string;
let notes: string;
beforeEach(() => {
  home = createTemporaryHome();
  project = home.makeFolder('work/my project');
  notes = home.makeFolder('notes');
  git(project, 'init', '-q');
});
afterEach(() => home.remove());

/** Without the variables and the configuration of whoever runs this: git sets some of its own inside its hooks. */
const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', args, { cwd, env: homeEnvironment(home.path, { GIT_CONFIG_NOSYSTEM: '1' }) });
const addOrigin = (url: string) => git(project, 'remote', 'add', 'origin', url);

function peerAt(cwd: string, settings: Partial<Settings> = {}, harness = 'zcode') {
  return resolvePeer({
    cwd,
    home: home.path,
    harness,
    settings: { peerId: undefined, peerSource: 'git', workspacePeer: true, ...settings },
  });
}

describe('resolvePeer', () => {
  it('prefers the remote, and remembers the old id', () => {
    addOrigin('https://token@GitHub.com/Some/Project.git');
    mkdirSync(join(project, 'src'));
    expect(peerAt(join(project, 'src'))).toEqual({
      peer: 'github.com-some-project',
      legacyPeer: plainPathId(join(project, 'src')),
      source: '{git_remote}',
    });
  });

  it('falls back to the path of the repository, from every folder inside', () => {
    mkdirSync(join(project, 'src'));
    const expected = distinctPathId(project);
    expect(peerAt(project)).toEqual({ peer: expected, legacyPeer: plainPathId(project), source: '{git_root}' });
    expect(peerAt(join(project, 'src')).peer).toBe(expected);
  });

  it('sends nothing outside a repository, and still knows the old id', () => {
    expect(peerAt(notes)).toEqual({ legacyPeer: plainPathId(notes), source: 'none' });
    expect(peerAt(home.path).peer).toBeUndefined();
  });

  it('keeps the byte-compatible path of `cwd`, which needs no old id', () => {
    expect(peerAt(project, { peerSource: 'cwd' })).toEqual({ peer: plainPathId(project), source: '{cwd}' });
    expect(peerAt(notes, { peerSource: 'cwd' })).toEqual({ peer: plainPathId(notes), source: '{cwd}' });
  });

  it.each<Partial<Settings>>([{ peerSource: 'none' }, { workspacePeer: false }, { peerSource: [] }])(
    'sends and remembers nothing with %j',
    (settings) => {
      expect(peerAt(project, settings)).toEqual({ source: 'none' });
    },
  );

  it('lets an explicit id win over every source', () => {
    for (const settings of [{}, { peerSource: 'none' }, { workspacePeer: false }]) {
      expect(peerAt(notes, { peerId: 'mine', ...settings })).toEqual({ peer: 'mine', source: 'peerId' });
    }
    expect(peerAt(project, { peerId: '  ' }).source).toBe('{git_root}');
  });

  it.each<[string | string[], string | undefined]>([
    ['{dir}', 'my project'],
    ['{harness}-{dir}', 'zcode-my project'],
    ['{ dir }', 'my project'],
    [['{git_remote}', '{dir}'], 'my project'],
    [['x-{git_remote}', 'none'], undefined],
    [['{unknown}', '{harness}'], 'zcode'],
    ['team', 'team'],
    [['git', 'cwd'], 'git-root'],
    ['NONE', undefined],
  ])('%j → %s without an origin', (peerSource, expected) => {
    expect(peerAt(project, { peerSource }).peer).toBe(expected === 'git-root' ? distinctPathId(project) : expected);
  });

  it('leaves {dir} empty outside a workspace', () => {
    expect(peerAt(notes, { peerSource: ['{dir}', '{harness}'] }).peer).toBe('zcode');
  });

  it('keeps folders with Chinese names apart in {dir}', () => {
    const peers = ['项目甲', '项目乙'].map((name) => {
      const folder = home.makeFolder(`work/${name}`);
      git(folder, 'init', '-q');
      return [peerAt(folder, { peerSource: '{dir}' }).peer, peerAt(folder).peer];
    });
    expect(new Set(peers.flat()).size).toBe(4);
  });

  it('can be sent whatever the template says', () => {
    expect(peerAt(project, { peerSource: 'a/b\\c\r\nX-Evil: 1' }).peer).toMatch(/^a-b-c--X-Evil: 1-[0-9a-f]{8}$/);
  });

  it('reads no repository for templates that need none', () => {
    const touched: string[] = [];
    resolvePeer({
      cwd: project,
      home: home.path,
      harness: 'zcode',
      settings: { peerId: undefined, peerSource: '{cwd}', workspacePeer: true },
      reader: { ...diskReader, status: (path) => (touched.push(path), diskReader.status(path)) },
    });
    expect(touched).toEqual([]);
  });
});

describe('templatesOf', () => {
  it('writes the shorthands out', () => {
    expect(templatesOf('git')).toEqual(['{git_remote}', '{git_root}']);
    expect(templatesOf(['x', 'cwd'])).toEqual(['x', '{cwd}']);
    expect(templatesOf('none')).toEqual([]);
    expect(templatesOf('constructor')).toEqual(['constructor']);
  });
});
