/** A whole home as the earlier shell installer left it: moved to ours by one run, with what is the user's as it was. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller } from './support/installer-process.ts';
import { startMemoryServer } from './support/memory-server.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';
import type { MemoryServer } from './support/memory-server.ts';

let installer: InstallerProcess;
let later: InstallerProcess;
let server: MemoryServer;
beforeAll(async () => {
  installer = buildInstaller();
  later = buildInstaller('1.1.0');
  server = await startMemoryServer();
});
afterAll(async () => {
  installer.remove();
  later.remove();
  await server.stop();
});

const KEY = 'sk-of-the-user-0123456789';
const CONF = '.openviking/ovcli.conf';
const RULE = '.cursor/rules/openviking-memory.mdc';
const SKILL = '.cursor/skills/openviking-memory/SKILL.md';
const PROFILE = [
  'export EDITOR=vi',
  '# >>> openviking claude-code memory plugin >>>',
  'claude() { command claude "$@"; }',
  '# <<< openviking claude-code memory plugin <<<',
  '',
].join('\n');

/** What the user has, and what that installer has made of it. */
function leave(home: TemporaryHome): void {
  const integration = `.openviking/agent-integrations/cursor`;
  const script = (name: string): string => home.at(integration, 'scripts', `${name}.mjs`);
  const command = (name: string): string =>
    `OPENVIKING_INTEGRATION_ID='openviking-memory' OPENVIKING_HOOK_SOURCE='cursor' '/usr/bin/node' '${script(name)}' # openviking-memory`;
  home.write(
    CONF,
    `{\n  // mine\n  "url": "${server.url}",\n  "api_key": "${KEY}",\n  "plugin": { "recallLimit": 3 }\n}\n`,
    0o600,
  );
  home.write(`${integration}/integration.json`, JSON.stringify({ id: 'openviking-memory', client: 'cursor' }));
  for (const name of ['auto-recall', 'auto-capture']) home.write(`${integration}/scripts/${name}.mjs`, '// old');
  home.write(`${integration}/servers/mcp-proxy.mjs`, '// old');
  const hooks = {
    beforeSubmitPrompt: [{ command: command('auto-recall') }, { command: 'echo mine' }],
    stop: [{ command: command('auto-capture') }],
  };
  home.write('.cursor/hooks.json', JSON.stringify({ version: 1, hooks }, null, 2));
  home.write('.cursor/hooks.json.bak', '{}');
  home.write(
    '.cursor/mcp.json',
    JSON.stringify({
      mcpServers: { openviking: { command: '/usr/bin/node', args: [home.at(integration, 'servers/mcp-proxy.mjs')] } },
    }),
  );
  home.write(RULE, 'use the old tools');
  home.write(SKILL, '---\nname: openviking-memory\n---\nof the earlier installer\n');
  home.write('.zshrc', PROFILE);
  home.write(
    '.openviking/pending/ab12_0.json',
    JSON.stringify({
      type: 'addMessage',
      sessionId: 'cu-1',
      payload: { role: 'user', content: 'a question' },
      createdAt: 1_700_000_000_000,
      retries: 0,
      dedupKey: 'ab12',
    }),
    0o600,
  );
}

const run = (program: InstallerProcess, home: TemporaryHome, ...args: readonly string[]) =>
  program.run([...args, '--home', home.path]);
const codesOf = (stdout: string): readonly string[] =>
  (JSON.parse(stdout) as { findings: { code: string; file?: string; line?: number }[] }).findings.map(
    ({ code }) => code,
  );

describe('a home that the shell installer has left', () => {
  it('has one set of everything after one run, and its user’s things as they were', () =>
    withHome(async (home) => {
      leave(home);
      const before = codesOf((await run(installer, home, 'doctor', '--json')).stdout);
      expect(before).toEqual(expect.arrayContaining(['legacy/queue', 'legacy/programs', 'legacy/shell-profile']));
      const conf = home.readText(CONF);

      const moved = await run(installer, home, 'install', '--harness', 'cursor', '--yes');
      expect(moved).toMatchObject({ code: 0, stderr: '' });
      expect(home.readText(CONF)).toBe(conf);
      expect(home.readText('.zshrc')).toBe(PROFILE);
      expect(home.readText('.cursor/hooks.json')).toContain('echo mine');
      for (const path of ['.cursor/hooks.json', '.cursor/mcp.json', SKILL]) {
        expect(home.readText(path)).not.toMatch(/INTEGRATION_ID|\.mjs|earlier installer/);
      }
      expect(home.has(RULE)).toBe(false);
      expect(home.has('.openviking/spool/cu-1/records/000000000001.json')).toBe(true);

      const doctor = await run(installer, home, 'doctor', '--json');
      const findings = (JSON.parse(doctor.stdout) as { findings: { code: string; line?: number; file?: string }[] })
        .findings;
      expect(findings.filter(({ code }) => code.startsWith('legacy/'))).toMatchObject([
        { code: 'legacy/shell-profile', file: home.at('.zshrc'), line: 2 },
      ]);
      expect(codesOf(doctor.stdout).filter((code) => code.startsWith('cursor/earlier'))).toEqual([]);

      const after = snapshotTree(home.path);
      expect((await run(installer, home, 'install', '--harness', 'cursor', '--yes')).code).toBe(0);
      expect(diffTrees(after, snapshotTree(home.path))).toEqual([]);
      // A conversation that began before may run the old scripts until the version after.
      expect(home.has('.openviking/agent-integrations/cursor/scripts')).toBe(true);
      await run(later, home, 'install', '--harness', 'cursor', '--yes');
      expect(home.has('.openviking/agent-integrations/cursor/scripts')).toBe(false);

      await run(later, home, 'uninstall', '--harness', 'cursor', '--purge', '--yes');
      expect(JSON.parse(home.readText('.cursor/hooks.json'))).toMatchObject({
        hooks: { beforeSubmitPrompt: [{ command: 'echo mine' }] },
      });
      expect(home.readText(CONF)).toBe(conf);
      expect(home.readText('.zshrc')).toBe(PROFILE);
      expect(home.readText('.cursor/hooks.json.bak')).toBe('{}');
      expect(home.has('.openviking/pending/imported/ab12_0.json')).toBe(true);
    }));

  it('killed at any point of the run is as it was, or moved, after the next', () =>
    withHome(async (reference) => {
      leave(reference);
      await run(installer, reference, 'install', '--harness', 'cursor', '--yes');
      const wired = reference.readText('.cursor/hooks.json');
      let killed = 0;
      for (let point = 0; ; point += 1) {
        const signal = await withHome(async (home) => {
          leave(home);
          const args = ['install', '--harness', 'cursor', '--yes', '--home', home.path];
          const stopped = await installer.runStopped(point, 'kill', args);
          // Until the clients are wired nothing is taken out of the queue.
          if (stopped.signal !== null) expect(home.has('.openviking/pending/ab12_0.json')).toBe(true);
          const next = await run(installer, home, 'install', '--harness', 'cursor', '--yes');
          expect(next.code).toBe(0);
          expect(home.readText('.cursor/hooks.json').replaceAll(home.path, '')).toBe(
            wired.replaceAll(reference.path, ''),
          );
          expect(home.has(RULE)).toBe(false);
          expect(home.has('.openviking/pending/imported/ab12_0.json')).toBe(true);
          return stopped.signal;
        });
        if (signal === null) break;
        killed += 1;
      }
      expect(killed).toBeGreaterThan(8);
    }));

  it('keeps a skill of the same name where that installer was not', () =>
    withHome(async (home) => {
      home.write(SKILL, 'my own');
      const refused = await run(installer, home, 'install', '--harness', 'cursor', '--url', server.url, '--yes');
      expect(refused.code).toBe(3);
      expect(home.readText(SKILL)).toBe('my own');
    }));
});
