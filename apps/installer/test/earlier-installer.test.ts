/** What the earlier shell installer had wired into Cursor and TRAE is recognised and replaced; the user's own stays. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
let later: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
  later = buildInstaller('1.1.0');
});
afterAll(() => {
  installer.remove();
  later.remove();
});

/** A command line as that installer wrote it. */
const oldCommand = (home: TemporaryHome, client: string, script: string): string =>
  `OPENVIKING_INTEGRATION_ID='openviking-memory' OPENVIKING_INTEGRATION_VERSION='0.4.1' OPENVIKING_HOOK_SOURCE='${client}' ` +
  `'/usr/bin/node' '${home.path}/.openviking/agent-integrations/${client}/scripts/${script}.mjs' # openviking-memory`;
const oldServer = (home: TemporaryHome, client: string) => ({
  command: '/usr/bin/node',
  args: [`${home.path}/.openviking/agent-integrations/${client}/servers/mcp-proxy.mjs`],
  env: { OPENVIKING_INTEGRATION_ID: 'openviking-memory' },
});
const MINE = { command: 'echo mine' };

const CLIENTS = [
  {
    client: 'cursor',
    hooks: '.cursor/hooks.json',
    servers: '.cursor/mcp.json',
    old: (home: TemporaryHome) => ({
      beforeSubmitPrompt: [{ command: oldCommand(home, 'cursor', 'auto-recall') }, MINE],
      stop: [{ command: oldCommand(home, 'cursor', 'auto-capture') }],
      beforeShellExecution: [{ command: oldCommand(home, 'cursor', 'cursor-hook') }],
    }),
    left: { beforeSubmitPrompt: [MINE] },
  },
  ...(['trae', 'trae-cn'] as const).map((client) => ({
    client,
    hooks: `.${client}/hooks.json`,
    servers: `.config/${client === 'trae' ? 'Trae' : 'Trae CN'}/User/mcp.json`,
    old: (home: TemporaryHome) => ({
      UserPromptSubmit: [
        {
          matcher: '',
          hooks: [
            { type: 'command', command: oldCommand(home, client, 'trae-hook') },
            { type: 'command', ...MINE },
          ],
        },
      ],
      Stop: [{ matcher: '', hooks: [{ type: 'command', command: oldCommand(home, client, 'trae-auto-capture') }] }],
    }),
    left: { UserPromptSubmit: [{ matcher: '', hooks: [{ type: 'command', ...MINE }] }] },
  })),
];

describe.each(CLIENTS)('$client', ({ client, hooks, servers, old, left }) => {
  it('one set of hooks and one server, no stale path, and afterwards only what is the user’s', () =>
    withHome(async (home) => {
      home.write(hooks, JSON.stringify({ version: 1, hooks: old(home) }, null, 2));
      home.write(
        servers,
        JSON.stringify({
          mcpServers: {
            openviking: oldServer(home, client),
            'ov-mcp-server': { url: 'http://127.0.0.1:1933/mcp' },
            other: { url: 'https://elsewhere.example/mcp' },
          },
        }),
      );
      const args = ['--harness', client, '--home', home.path, '--url', NO_SERVER, '--yes'];
      const run = await installer.run(['install', ...args]);
      expect(run.code).toBe(3);
      expect(run.stdout).toMatch(/entr(y|ies) of an earlier installer gives? way to ours/);
      for (const path of [hooks, servers])
        expect(home.readText(path)).not.toMatch(/\/(scripts|servers)\/|INTEGRATION_ID/);
      const wired = JSON.parse(home.readText(hooks)) as { hooks: Record<string, unknown[]> };
      for (const [event, handlers] of Object.entries(wired.hooks)) {
        expect([event, JSON.stringify(handlers).match(/agent-integrations/g)]).toEqual([event, ['agent-integrations']]);
      }
      expect(Object.keys((JSON.parse(home.readText(servers)) as { mcpServers: object }).mcpServers).sort()).toEqual([
        'openviking',
        'other',
      ]);

      await installer.run(['uninstall', '--harness', client, '--home', home.path, '--purge', '--yes']);
      expect((JSON.parse(home.readText(hooks)) as { hooks: object }).hooks).toEqual(left);
      expect(JSON.parse(home.readText(servers))).toEqual({
        mcpServers: { other: { url: 'https://elsewhere.example/mcp' } },
      });
    }));

  it('what the user has set in the old server’s entry is in the new one, and stays there', () =>
    withHome(async (home) => {
      const users = { disabled: true, autoApprove: ['find'], env: { OPENVIKING_RECALL_LIMIT: '3' } };
      const earlier = oldServer(home, client);
      const entry = { ...earlier, ...users, env: { ...earlier.env, ...users.env } };
      home.write(servers, JSON.stringify({ mcpServers: { openviking: entry } }, null, 2));
      const args = ['--harness', client, '--home', home.path, '--url', NO_SERVER, '--yes'];
      const now = (): Record<string, unknown> => {
        const { mcpServers } = JSON.parse(home.readText(servers)) as {
          mcpServers: Record<string, Record<string, unknown>>;
        };
        return mcpServers['openviking'] ?? {};
      };
      await installer.run(['install', ...args]);
      expect(now()).toMatchObject({ ...users, env: users.env });
      expect(JSON.stringify(now())).not.toMatch(/INTEGRATION_ID|servers\/mcp-proxy/);
      const first = home.readText(servers);
      await later.run(['install', ...args]);
      expect(home.readText(servers)).toBe(first);
    }));
});
