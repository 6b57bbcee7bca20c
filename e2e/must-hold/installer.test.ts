/** Must hold 2: installing twice changes nothing the second time, and uninstalling gives every byte and mode back. */
import { rmSync, symlinkSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  describeDifference,
  diffTrees,
  ODD_NAMES,
  snapshotTree,
  startStubServer,
  untilHomeIsQuiet,
  waitUntil,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { installedHome, removeHome, runInstaller } from './installation.ts';

const KEY = 'installer-test-key-77aa';
const CONFIG = '.zcode/cli/config.json';
/** The user's own handler: it has to run on, before, between and after our presence. */
const OWN = '{ "type": "command", "command": "true", "timeout": 9 }';

let server: StubServer;
let home: TemporaryHome;
beforeAll(async () => {
  server = await startStubServer({ apiKey: KEY });
});
afterAll(() => server.close());
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => removeHome(home));

const install = (): ReturnType<typeof runInstaller> =>
  runInstaller(home, ['install', '--harness', 'zcode', '--url', server.url, '--api-key', KEY, '--yes']);
const uninstall = (...more: string[]): ReturnType<typeof runInstaller> =>
  runInstaller(home, ['uninstall', '--harness', 'zcode', '--yes', ...more]);
const changes = (before: TreeSnapshot, folder: string): string[] =>
  diffTrees(before, snapshotTree(folder)).map(describeDifference);

/** Configurations as users have them; each must come back to the byte. */
const FILES: readonly (readonly [string, string, number])[] = [
  [
    'of two spaces',
    `{\n  "hooks": {\n    "enabled": true,\n    "events": {\n      "Stop": [{ "hooks": [${OWN}] }]\n    }\n  }\n}\n`,
    0o644,
  ],
  [
    'with CRLF, tabs and mode 0600',
    `{\r\n\t"hooks": {\r\n\t\t"enabled": true,\r\n\t\t"events": {\r\n\t\t\t"Stop": [{ "hooks": [${OWN}] }]\r\n\t\t}\r\n\t}\r\n}\r\n`,
    0o600,
  ],
  [
    'on one line without a final newline',
    `{"ui":{"locale":"zh-CN"},"hooks":{"enabled":true,"events":{"Stop":[{"hooks":[${OWN}]}]}}}`,
    0o644,
  ],
  ['with hooks switched off', `{\n  "hooks": { "enabled": false, "events": {} }\n}\n`, 0o644],
  [
    'without hooks',
    `{\n    "mcp": {\n        "servers": {\n            "mine": { "type": "stdio", "command": "node", "args": ["/x.mjs"] }\n        }\n    },\n    "number": 1.0, "exponent": 1e3, "big": 12345678901234567890\n}`,
    0o640,
  ],
  ['that is an empty object', '{}', 0o644],
];

describe('openviking-install', () => {
  it.each(FILES)('gives a configuration %s back to the byte, mode included', async (_what, text, mode) => {
    home.write(CONFIG, text, mode);
    home.write('.zcode/AGENTS.md', 'mine\n');
    const before = snapshotTree(home.at('.zcode'));

    expect(await install()).toMatchObject({ exitCode: 0 });
    const reading = readZcodeConfig(home.readText(CONFIG));
    if (reading.kind !== 'read') throw new Error(`the client would drop the file: ${reading.reason}`);
    expect(reading.config.hooksEnabled).toBe(true);
    expect([...reading.config.events.keys()].sort()).toEqual([
      'PreToolUse',
      'SessionStart',
      'Stop',
      'UserPromptSubmit',
    ]);
    expect(reading.config.mcpServers.has('openviking')).toBe(true);

    const after = snapshotTree(home.path);
    expect(await install()).toMatchObject({ exitCode: 0 });
    expect(changes(after, home.path)).toEqual([]);

    expect(await uninstall()).toMatchObject({ exitCode: 0 });
    expect(changes(before, home.at('.zcode'))).toEqual([]);
  });

  it('leaves nothing at all behind where nothing was, with --purge', async () => {
    home.makeFolder('.zcode');
    const before = snapshotTree(home.path);
    await install();
    expect(await uninstall('--purge')).toMatchObject({ exitCode: 0 });
    expect(changes(before, home.path)).toEqual([]);
  });

  it('leaves nothing behind with --purge although a worker is still trying to deliver', async () => {
    home.makeFolder('.zcode/cli');
    const before = snapshotTree(home.path);
    await install();
    const stopFault = server.misbehave({ method: 'POST', path: /messages/, fault: { kind: 'silence' } });
    const session = new ZcodeHost({ home: home.path, cwd: home.path }).startSession();
    await session.prompt('A question that is never delivered');
    await session.answer('An answer that is never delivered');
    rmSync(home.at('.zcode/cli/rollout'), { recursive: true });
    await waitUntil('the delivery to hang', () => server.requestsTo('POST', /messages/).length > 0);
    expect(await uninstall('--purge')).toMatchObject({ exitCode: 0 });
    stopFault();
    // Its connection breaks now: what it notes about that must not bring our folders back.
    await server.goDown();
    await server.comeBack();
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    expect(changes(before, home.path)).toEqual([]);
  });

  it('writes through a symbolic link and keeps it', async () => {
    home.write('dotfiles/zcode.json', '{}\n');
    home.makeFolder('.zcode/cli');
    symlinkSync('../../dotfiles/zcode.json', home.at(CONFIG));
    const before = snapshotTree(home.path);
    await install();
    expect(snapshotTree(home.at('.zcode/cli')).get('config.json')?.kind).toBe('link');
    expect(home.readText('dotfiles/zcode.json')).toContain('UserPromptSubmit');
    await uninstall('--purge');
    expect(changes(before, home.path)).toEqual([]);
  });

  it('refuses a broken file with its line and column and writes nothing', async () => {
    home.write(CONFIG, '{\n  "hooks": {\n    "enabled": true,,\n  }\n}\n');
    const before = snapshotTree(home.path);
    const run = await install();
    expect(run.exitCode).toBe(1);
    expect(`${run.stdout}${run.stderr}`).toMatch(/config\.json.*3.*2[0-9]/s);
    expect(changes(before, home.path)).toEqual([]);
  });

  it('shows a plan and writes nothing with --dry-run', async () => {
    home.write(CONFIG, '{\n}\n');
    const before = snapshotTree(home.path);
    const args = ['install', '--harness', 'zcode', '--url', server.url, '--api-key', KEY, '--yes', '--dry-run'];
    const run = await runInstaller(home, args);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain('UserPromptSubmit');
    expect(changes(before, home.path)).toEqual([]);
  });

  it('takes out only what is ours after the user has edited the file', async () => {
    home.write(CONFIG, `{\n  "hooks": { "enabled": true, "events": { "Stop": [{ "hooks": [${OWN}] }] } }\n}\n`);
    await install();
    home.write(CONFIG, home.readText(CONFIG).replace('"timeout": 9', '"timeout": 11'));
    expect(await uninstall()).toMatchObject({ exitCode: 0 });
    const left = home.readText(CONFIG);
    expect(left).toContain('"timeout": 11');
    expect(left).not.toMatch(/openviking/i);
    expect(readZcodeConfig(left).kind).toBe('read');
  });

  it('refuses where a folder lies in the way, and takes back what it had written', async () => {
    home.write(`${CONFIG}/mine.txt`, 'mine\n');
    const before = snapshotTree(home.path);
    const run = await install();
    expect(run.exitCode).toBe(1);
    expect(`${run.stdout}${run.stderr}`).toContain('config.json');
    expect(changes(before, home.path)).toEqual([]);
  });

  it.each(Object.entries(ODD_NAMES))('wires handlers that run in a home with a %s in its name', async (_what, name) => {
    removeHome(home);
    home = await installedHome(server.url, KEY, name);
    const text = 'The preferred package manager is pnpm.';
    server.store.memories.push({ uri: 'viking://~/memories/p.md', category: 'preferences', abstract: text, text });
    const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project') });
    const session = host.startSession();
    expect((await session.prompt('Which package manager is preferred?')).injected).toContain('pnpm');
    expect((await session.tool('Read', { file_path: 'viking://~/memories/p.md' }, 'x')).denied).toBeDefined();
    await session.answer('It is pnpm, as you know.');
    await server.untilMessages(`zc-${session.id}`, 2);
    expect(host.runs.map(({ event, verdict }) => `${event} ${verdict.kind}`)).toEqual([
      expect.stringMatching(/^SessionStart (context|nothing)$/),
      'UserPromptSubmit context',
      'PreToolUse deny',
      'Stop nothing',
    ]);
  });
});
