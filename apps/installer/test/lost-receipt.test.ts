/**
 * What lies in the installer's own folder may be lost or damaged: whatever is recognised as ours goes all the same, and no
 * command fails because of it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
});
afterAll(() => installer.remove());

const RECEIPT = '.openviking/install/receipts/zcode.json';
const CONFIG = '.zcode/cli/config.json';
const install = (home: TemporaryHome) =>
  installer.run(['install', '--harness', 'zcode', '--home', home.path, '--yes', '--url', NO_SERVER]);
const uninstall = (home: TemporaryHome) =>
  installer.run(['uninstall', '--all', '--home', home.path, '--yes', '--purge']);

describe('a receipt that is gone', () => {
  it('does not keep a client in: with --all its wiring, skill, program files and emptied lists go', () =>
    withHome(async (home) => {
      home.write(CONFIG, '{\n  "a": 1,\n  "hooks": {"enabled": true, "events": {"Stop": []}}\n}\n');
      home.makeFolder('.zcode/skills');
      const before = snapshotTree(home.path);
      await install(home);
      rmSync(home.at(RECEIPT));
      const run = await uninstall(home);
      expect(run.code).toBe(0);
      expect(run.stdout).not.toContain('since the installation');
      const left = diffTrees(before, snapshotTree(home.path)).map(({ path }) => path);
      expect(left).toEqual([CONFIG]);
      expect(JSON.parse(home.readText(CONFIG))).toEqual({ a: 1, hooks: { enabled: true } });
    }));

  it('does not keep a file in that holds nothing but what the client demands of every file', () =>
    withHome(async (home) => {
      home.makeFolder('.cursor');
      await installer.run(['install', '--harness', 'cursor', '--home', home.path, '--yes', '--url', NO_SERVER]);
      expect(JSON.parse(home.readText('.cursor/hooks.json'))).toMatchObject({ version: 1 });
      rmSync(home.at('.openviking/install/receipts/cursor.json'));
      expect((await uninstall(home)).code).toBe(0);
      expect(home.has('.cursor/hooks.json')).toBe(false);

      home.write('.cursor/hooks.json', '{"version": 1, "hooks": {"stop": [{"command": "mine"}]}}');
      await installer.run(['install', '--harness', 'cursor', '--home', home.path, '--yes', '--url', NO_SERVER]);
      rmSync(home.at('.openviking/install/receipts/cursor.json'));
      await uninstall(home);
      expect(JSON.parse(home.readText('.cursor/hooks.json'))).toEqual({
        version: 1,
        hooks: { stop: [{ command: 'mine' }] },
      });
    }));

  it('leaves a skill that the user has changed', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode/cli');
      await install(home);
      const skill = home.at('.zcode/skills/openviking-memory/SKILL.md');
      writeFileSync(skill, 'mine');
      rmSync(home.at(RECEIPT));
      await uninstall(home);
      expect(home.readText('.zcode/skills/openviking-memory/SKILL.md')).toBe('mine');
    }));

  it.each([
    ['zcode', ['.zcode/skills']],
    ['claude', ['.claude/settings.json', '.claude.json', '.claude/skills']],
    ['cursor', ['.cursor/mcp.json', '.cursor/skills']],
    ['trae', ['.trae/hooks.json', '.trae/sandbox.json', '.config/Trae/User/mcp.json', '.trae/skills']],
  ] as const)('names what is empty and stays: %s', (client, paths) =>
    withHome(async (home) => {
      await installer.run(['install', '--harness', client, '--home', home.path, '--yes', '--url', NO_SERVER]);
      rmSync(home.at(`.openviking/install/receipts/${client}.json`));
      const run = await uninstall(home);
      expect(run.code).toBe(0);
      const said = run.stdout.split('\n').filter((line) => line.includes('no receipt that tells who made these'));
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(`: ${paths.map((path) => home.at(path)).join(', ')}. Delete`);
      // It is the whole of what stays: no folder and no file is left out.
      const kept = snapshotTree(home.path);
      const innermost = [...kept.keys()].filter(
        (path) => ![...kept.keys()].some((other) => other.startsWith(`${path}/`)),
      );
      expect(innermost.filter((path) => path !== CONFIG && path !== '.').sort()).toEqual([...paths].sort());
      const next = await uninstall(home);
      expect({ code: next.code, isTold: next.stdout.includes('who made these') }).toEqual({ code: 0, isTold: false });
    }),
  );

  it('says of a changed skill that it stays, and why', () =>
    withHome(async (home) => {
      await install(home);
      const skill = home.at('.zcode/skills/openviking-memory/SKILL.md');
      writeFileSync(skill, 'mine');
      rmSync(home.at(RECEIPT));
      expect((await uninstall(home)).stdout).toContain(`${skill} has the name of a file of ours but different content`);
    }));

  it('takes out what only the earlier shell installer had written, and names its skill that stays', () =>
    withHome(async (home) => {
      const folder = '.openviking/agent-integrations/cursor';
      home.write(`${folder}/integration.json`, JSON.stringify({ id: 'openviking-memory', client: 'cursor' }));
      home.write(`${folder}/scripts/auto-recall.mjs`, '// old');
      const script = home.at(folder, 'scripts/auto-recall.mjs');
      const command = `OPENVIKING_INTEGRATION_ID='openviking-memory' '/usr/bin/node' '${script}' # openviking-memory`;
      home.write('.cursor/hooks.json', JSON.stringify({ version: 1, hooks: { stop: [{ command }] } }));
      home.write('.cursor/rules/openviking-memory.mdc', 'use the old tools');
      home.write('.cursor/skills/openviking-memory/SKILL.md', 'of the earlier installer');
      const run = await installer.run(['uninstall', '--harness', 'cursor', '--home', home.path, '--yes']);
      expect(run.code).toBe(0);
      expect([...snapshotTree(home.path).keys()].filter((path) => path.includes('.'))).toEqual(
        expect.arrayContaining(['.cursor/rules', '.cursor/skills/openviking-memory/SKILL.md']),
      );
      expect(home.has('.cursor/rules/openviking-memory.mdc')).toBe(false);
      expect(home.has('.cursor/hooks.json')).toBe(false);
      expect(run.stdout).toContain(`${home.at('.cursor/skills/openviking-memory/SKILL.md')} has the name of`);
      expect(run.stdout).toContain(`nothing left in them: ${home.at('.cursor/rules')}. Delete`);
    }));

  it('with --all, a client that only an earlier installer has wired stays', () =>
    withHome(async (home) => {
      const command = `OPENVIKING_INTEGRATION_ID='openviking-memory' node '/x/scripts/auto-capture.mjs' # openviking-memory`;
      const events = { Stop: [{ hooks: [{ type: 'command', command }] }] };
      home.write(CONFIG, JSON.stringify({ hooks: { enabled: true, events } }));
      const before = snapshotTree(home.path);
      await uninstall(home);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));
});

const DAMAGED = [
  '{"version":1,"kind":"client","configs":5,"payload":[],"folders":"x","owned":null}',
  '{"version":1,"kind":"client"',
  '[]',
];
it.each(DAMAGED)('a receipt that says %s stops no command', (text) =>
  withHome(async (home) => {
    home.makeFolder('.zcode/cli');
    await install(home);
    const commands = [
      ['status'],
      ['doctor'],
      ['doctor', '--fix', '--yes'],
      ['install', '--yes'],
      ['uninstall', '--all'],
    ];
    for (const command of commands) {
      writeFileSync(home.at(RECEIPT), text);
      const run = await installer.run([...command, '--home', home.path]);
      expect([command.join(' '), run.stderr.includes('defect'), run.stderr.includes('    at ')]).toEqual([
        command.join(' '),
        false,
        false,
      ]);
      if (command.join() === 'doctor') expect(run.stdout + run.stderr).toContain('install/broken-receipt');
    }
    expect(home.has(RECEIPT)).toBe(false);
    expect(home.readText(CONFIG)).not.toContain('agent-integrations');
  }),
);

it('a connection receipt and a journal of another shape stop no command', () =>
  withHome(async (home) => {
    home.makeFolder('.zcode/cli');
    await install(home);
    const journal = '.openviking/install/journal.json';
    for (const command of [['status'], ['doctor', '--fix', '--yes'], ['install', '--yes'], ['uninstall', '--all']]) {
      home.write('.openviking/install/receipts/connection.json', '{"version":1,"kind":"connection","added":"x"}');
      home.write(journal, '{"version":1,"steps":[{"kind":"file"}],"begun":3}');
      const run = await installer.run([...command, '--home', home.path]);
      expect([command, run.stderr.match(/defect|TypeError|not iterable|undefined/)]).toEqual([command, null]);
    }
    expect(home.has(journal)).toBe(false);
    expect(home.has(RECEIPT)).toBe(false);
  }));

it.each([[[]], [['.openviking/ovcli.conf']]])('a lock that a killed run has left goes, beside %p', (others) =>
  withHome(async (home) => {
    for (const path of others) home.write(path, '{"url":"http://a.example"}');
    const before = snapshotTree(home.path);
    home.write('.openviking/install/lock', JSON.stringify({ pid: 999_999_999, token: 'gone' }));
    expect((await uninstall(home)).code).toBe(0);
    expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
  }),
);

it.each(['constructor', 'toString', '__proto__'])('--harness %s is an unknown client, and no more', async (name) => {
  const run = await installer.run(['install', '--harness', name, '--dry-run']);
  expect(run.code).toBe(2);
  expect(run.stderr).not.toMatch(/TypeError|defect/);
});
