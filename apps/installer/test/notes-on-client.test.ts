/** What an installation says about a client beside its files: that it is not there, that its plugin is not used, what else it got. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createFakeClaude } from './support/fake-client.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import type { FakeClaude } from './support/fake-client.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
let claude: FakeClaude;
beforeAll(() => {
  installer = buildInstaller();
  claude = createFakeClaude();
});
afterAll(() => {
  installer.remove();
  claude.remove();
});

const install = async (home: TemporaryHome, client: string, env?: Readonly<Record<string, string>>) =>
  (
    await installer.run(
      ['--harness', client, '--home', home.path, '--url', NO_SERVER, '--yes'],
      env === undefined ? {} : { env },
    )
  ).stdout;
const withClaude = () => ({ PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin` });

describe('a client that', () => {
  it('was not found is wired, and told about once: the run makes its folder', () =>
    withHome(async (home) => {
      expect(await install(home, 'cursor')).toContain(
        'Cursor was not found on this machine; it is wired all the same.',
      );
      expect(home.has('.cursor/hooks.json')).toBe(true);
      expect(await install(home, 'cursor')).not.toContain('was not found');
    }));

  it('was found is no news', () =>
    withHome(async (home) => {
      home.makeFolder('.cursor');
      expect(await install(home, 'cursor')).not.toContain('was not found');
    }));

  it('has a file of ours for neither hooks nor server: it has its row', () =>
    withHome(async (home) => {
      expect(await install(home, 'trae')).toContain(`  setting    ${home.at('.trae/sandbox.json')}\n`);
      const run = await installer.run(['--harness', 'trae', '--home', home.path, '--yes', '--lang', 'zh']);
      expect(run.stdout).toContain(`  设置       ${home.at('.trae/sandbox.json')}\n`);
    }));
});

describe('Claude Code without its plugin', () => {
  it('because its command is not on PATH: the reason, and no advice that only a plugin obeys', () =>
    withHome(async (home) => {
      home.makeFolder('.claude');
      const said = await install(home, 'claude');
      expect(said).toContain('not as a plugin: on PATH there is no claude. Name the command with --claude-bin');
      expect(said).toContain('Start Claude Code anew.\n');
      expect(said).not.toContain('/reload-plugins');
      claude.behave({});
      const mended = await install(home, 'claude', withClaude());
      expect(mended).toContain('/reload-plugins');
      expect(mended).not.toContain('not as a plugin');
    }));

  it.each([{ version: '2.0.11' }, { hasPlugins: false }])('because its build has none: %j', (behaviour) =>
    withHome(async (home) => {
      claude.behave(behaviour);
      const said = await install(home, 'claude', withClaude());
      expect(said).toContain('not as a plugin: this build of claude has no plugins.');
      expect(said).not.toContain('/reload-plugins');
      expect(said).not.toContain('was not found');
    }),
  );
});
