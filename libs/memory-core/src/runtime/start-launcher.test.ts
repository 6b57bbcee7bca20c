import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '../../testing/wait-until.ts';
import { launcherCall, startLauncher } from './start-launcher.ts';

describe('a launcher', () => {
  it('is called as it is where the system can start it', () => {
    const options = { platform: 'linux', home: '/home/it’s me' } as const;
    expect(launcherCall('/home/it’s me/launch', ['worker', 'sweep'], options)).toEqual({
      file: '/home/it’s me/launch',
      args: ['worker', 'sweep'],
      cwd: '/home/it’s me',
    });
  });

  it('is called through cmd.exe on Windows, with no path on the command line', () => {
    const launcher = 'C:\\Users\\张三 & (100%)\\.openviking\\agent-integrations\\local-server\\launch.cmd';
    expect(launcherCall(launcher, ['a'], { platform: 'win32', home: 'C:\\Users\\张三 & (100%)' })).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/c', '.\\launch.cmd', 'a'],
      cwd: 'C:\\Users\\张三 & (100%)\\.openviking\\agent-integrations\\local-server',
    });
  });

  it('runs apart from us, in the given home and environment, marked as started by us', async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "ov-launcher it's ")));
    try {
      const launcher = join(home, 'launch');
      const seen = join(home, 'seen');
      writeFileSync(
        launcher,
        `#!/bin/sh\nprintf '%s|%s|%s|%s' "$PWD" "$1" "$ONLY" "$OPENVIKING_HOOK_DEPTH" >seen.part\nmv seen.part seen\n`,
      );
      chmodSync(launcher, 0o755);
      const child = startLauncher(launcher, ['a b'], { home, env: { PATH: process.env['PATH'], ONLY: 'mine' } });
      expect(child?.pid).toBeGreaterThan(0);
      await waitUntil('the launcher to run', () => existsSync(seen));
      expect(readFileSync(seen, 'utf8')).toBe(`${home}|a b|mine|1`);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('that is not there is no error', () => {
    expect(() => startLauncher('/no/such/launch', [], { home: '/', env: {} })).not.toThrow();
  });
});
