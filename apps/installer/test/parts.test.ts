/** `--hooks-only` and `--mcp-only` for the clients whose declarations say nothing about it, and the way back to all of it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

/** Client → a file with hooks, one with the server, and the skill. */
const FILES = {
  zcode: ['.zcode/cli/config.json', '.zcode/cli/config.json', '.zcode/skills/openviking-memory/SKILL.md'],
  claude: ['.claude/settings.json', '.claude.json', '.claude/skills/openviking-memory/SKILL.md'],
  cursor: ['.cursor/hooks.json', '.cursor/mcp.json', '.cursor/skills/openviking-memory/SKILL.md'],
  trae: ['.trae/hooks.json', '.config/Trae/User/mcp.json', '.trae/skills/openviking-memory/SKILL.md'],
  'trae-cn': ['.trae-cn/hooks.json', '.config/Trae CN/User/mcp.json', '.trae-cn/skills/openviking-memory/SKILL.md'],
} as const;

describe.each(Object.entries(FILES))('%s', (client, [hooks, server, skill]) => {
  const parts = (home: TemporaryHome) => {
    const text = (path: string) => (home.has(path) ? home.readText(path) : '');
    return {
      hooks: /launch'? (session-start|stop)/.test(text(hooks)),
      server: text(server).includes('mcp-proxy'),
      skill: home.has(skill),
    };
  };

  it('gets exactly what is asked for, in any order, and goes without a trace', () =>
    withHome(async (home) => {
      for (const path of [hooks, server]) home.write(path, '{\n  "mine": 1\n}\n');
      const before = snapshotTree(home.path);
      const install = (...flags: readonly string[]) =>
        installer.run(['install', '--harness', client, '--home', home.path, '--url', NO_SERVER, '--yes', ...flags]);
      for (const [flags, wanted] of [
        [['--hooks-only'], { hooks: true, server: false, skill: false }],
        [[], { hooks: true, server: true, skill: true }],
        [['--mcp-only'], { hooks: false, server: true, skill: false }],
        [['--hooks-only'], { hooks: true, server: false, skill: false }],
      ] as const) {
        expect((await install(...flags)).code).toBe(3);
        expect(parts(home)).toEqual(wanted);
      }
      await installer.run(['uninstall', '--harness', client, '--home', home.path, '--purge', '--yes']);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));
});
