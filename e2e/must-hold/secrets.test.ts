/** Must hold 8: an API key is in ovcli.conf and nowhere else: no output, no log, no process list, no other file. */
import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  processesOfHome,
  searchTree,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { INSTALLER } from './artefacts.ts';
import { removeHome, runInstaller } from './installation.ts';

const KEY = 'sk-Zk7Qm2Vx9Lw4Tn8Rb3Yc';

let home: TemporaryHome;
let server: StubServer;
beforeEach(async () => {
  home = createTemporaryHome();
  home.write('.zcode/cli/config.json', '{}\n');
  server = await startStubServer({ apiKey: KEY });
});
afterEach(async () => {
  removeHome(home);
  await server.close();
});

/** Looks at every command line in the home every few milliseconds until told to stop. */
function watchProcesses(): () => string[] {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    for (const { commandLine } of processesOfHome(home.path)) seen.add(commandLine.join(' '));
  }, 4);
  return () => {
    clearInterval(timer);
    return [...seen];
  };
}

const ROUTES: readonly (readonly [string, readonly string[], { stdin?: string; env?: Record<string, string> }])[] = [
  ['--api-key-stdin', ['--api-key-stdin'], { stdin: `${KEY}\n` }],
  ['--api-key-env', ['--api-key-env', 'MY_KEY'], { env: { MY_KEY: KEY } }],
  ['--api-key', ['--api-key', KEY], {}],
];

describe('an API key', () => {
  it.each(ROUTES)('given with %s comes to rest in ovcli.conf alone', async (_route, args, options) => {
    const stop = watchProcesses();
    const common = ['--harness', 'zcode', '--url', server.url, '--yes'];
    const outputs = [
      await runInstaller(home, ['install', ...common, ...args, '--json'], options),
      await runInstaller(home, ['install', ...common, ...args], options),
      await runInstaller(home, ['install', ...common, ...args, '--dry-run'], options),
      await runInstaller(home, ['status']),
    ];
    const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project'), env: { OPENVIKING_DEBUG: '1' } });
    const session = host.startSession();
    await session.prompt('What do you know about the release?');
    await session.tool('Read', { file_path: 'viking://~/memories/p.md' }, 'x');
    await session.answer('The release is planned for Friday.');
    await server.untilMessages(`zc-${session.id}`, 2);
    // A wrong key is the moment at which a careless message quotes it.
    server.setApiKey('another');
    await session.prompt('And what about the next release?');
    await session.answer('That one is planned for Monday.');
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    outputs.push(await runInstaller(home, ['status', '--json']));

    const commands = stop();
    expect(commands.length).toBeGreaterThan(4);
    const foreign = commands.filter((command) => !(args.includes(KEY) && command.includes(INSTALLER)));
    const texts = [...outputs.flatMap((run) => [run.stdout, run.stderr]), ...foreign];
    for (const { run } of host.runs) texts.push(run.stdout, run.stderr);
    expect(texts.filter((text) => text.includes(KEY))).toEqual([]);
    expect(searchTree(home.path, KEY)).toEqual(['.openviking/ovcli.conf']);
    expect(statSync(home.at('.openviking/ovcli.conf')).mode & 0o777).toBe(0o600);
  });
});
