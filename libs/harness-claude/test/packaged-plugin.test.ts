/**
 * The plugin for marketplaces, as it is built: the same hooks as the installer's, and programs that start on any machine,
 * whatever the PATH of a hook holds.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { hostFacts } from '../src/host-facts.ts';

const PLUGIN = join(import.meta.dirname, '../dist/plugin/plugins/openviking-memory');
const LAUNCH = join(PLUGIN, 'runtime/launch.sh');

interface Hooks {
  readonly hooks: Readonly<Record<string, readonly { matcher?: string; hooks: readonly { command: string }[] }[]>>;
}

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

it('has a handler for every event that the declaration binds, and a program for each', () => {
  const { hooks } = JSON.parse(readFileSync(join(PLUGIN, 'hooks/hooks.json'), 'utf8')) as Hooks;
  const found = Object.entries(hooks).map(([event, [group]]) => ({
    event,
    matcher: group?.matcher,
    entry: /^sh "\$\{CLAUDE_PLUGIN_ROOT\}\/runtime\/launch\.sh" ([a-z-]+)$/.exec(group?.hooks[0]?.command ?? '')?.[1],
  }));
  expect(found).toEqual(
    hostFacts.events.map(({ nativeName, matcher, entry }) => ({ event: nativeName, matcher, entry })),
  );
  for (const { entry } of found) expect(existsSync(join(PLUGIN, `runtime/${entry}.cjs`))).toBe(true);
});

const sh = existsSync('/bin/sh') ? describe : describe.skip;
sh('launch.sh', () => {
  /** Without Node.js on PATH, and without its usual places: those are not for tests to fill. */
  const SHELL = ['date', 'mkdir', 'mv', 'wc'];
  let bin: string;
  beforeEach(() => {
    bin = home.makeFolder('bin');
    for (const name of SHELL)
      symlinkSync(existsSync(`/bin/${name}`) ? `/bin/${name}` : `/usr/bin/${name}`, join(bin, name));
    // A copy whose programs tell what they are.
    mkdirSync(home.at('runtime'));
    writeFileSync(home.at('runtime/launch.sh'), withoutPlacesOfTheSystem(readFileSync(LAUNCH, 'utf8')));
    writeFileSync(home.at('runtime/stop.cjs'), 'console.log(process.execPath, process.env.NODE_OPTIONS)');
  });

  function launch(entry: string, more: Readonly<Record<string, string>> = {}) {
    const env = {
      PATH: bin,
      HOME: home.path,
      CLAUDE_PLUGIN_DATA: home.at('data'),
      NODE_OPTIONS: '--require /gone',
      ...more,
    };
    const { status, stdout, stderr } = spawnSync('/bin/sh', [home.at('runtime/launch.sh'), entry], {
      timeout: 240_000,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  function placeNode(path: string, text = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`): string {
    const file = home.write(path, text);
    chmodSync(file, 0o755);
    return file;
  }

  it('takes the interpreter on PATH, notes it, and then starts it without looking', () => {
    const node = placeNode('bin/node');
    expect(launch('stop')).toEqual({ status: 0, stdout: `${process.execPath} undefined\n`, stderr: '' });
    expect(home.readText('data/node')).toBe(`${node}\n`);
    // Not even PATH is needed any more.
    expect(launch('stop', { PATH: '' })).toMatchObject({ status: 0, stdout: `${process.execPath} undefined\n` });
  });

  it('looks further when the one on PATH is too old, and when the noted one is gone', () => {
    placeNode('bin/node', '#!/bin/sh\nexit 1\n');
    const node = placeNode('.nvm/versions/node/v20.19.0/bin/node');
    home.write('data/node', '/gone/node\n');
    expect(launch('stop')).toMatchObject({ status: 0, stdout: `${process.execPath} undefined\n` });
    expect(home.readText('data/node')).toBe(`${node}\n`);
  });

  it('takes OPENVIKING_NODE first', () => {
    placeNode('bin/node');
    const own = placeNode("my own 'node'");
    expect(launch('stop', { OPENVIKING_NODE: own }).status).toBe(0);
    expect(home.readText('data/node')).toBe(`${own}\n`);
  });

  it('works without a data folder', () => {
    placeNode('bin/node');
    expect(launch('stop', { CLAUDE_PLUGIN_DATA: '' })).toMatchObject({ status: 0, stderr: '' });
  });

  it('says nothing to the client where there is no interpreter or no program, and writes why into the log', () => {
    expect(launch('stop')).toEqual({ status: 0, stdout: '', stderr: '' });
    placeNode('bin/node');
    expect(launch('gone')).toEqual({ status: 0, stdout: '', stderr: '' });
    const log = '.openviking/logs/launcher.log';
    expect(home.readText(log)).toMatch(/no Node\.js 20\.18[^]*gone\.cjs is missing/);
    expect(['.openviking/logs', log].map((path) => statSync(home.at(path)).mode & 0o777)).toEqual([0o700, 0o600]);
    home.write(log, 'x'.repeat(65_537));
    launch('gone');
    expect(home.readText(log)).toMatch(/^\S+ \S+gone\.cjs is missing[^\n]*\n$/);
  });

  it.each(['', '../x', 'a b', '$(id)'])('starts nothing for the entry %j', (entry) => {
    placeNode('bin/node');
    expect(launch(entry)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(home.has('data')).toBe(false);
  });
});

/** The machine that runs this has Node.js in one of them. */
function withoutPlacesOfTheSystem(text: string): string {
  const changed = text.replaceAll(/^ {2}\/(?:usr|opt|snap|home)\/\S+( \\|; do)$/gm, "  ''$1");
  if (changed === text) throw new Error('launch.sh names no place of the system any more');
  return changed;
}
