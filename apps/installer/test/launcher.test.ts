/** The launcher as clients run it: in real shells, in homes with names that break quoting, and when Node.js is gone. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ODD_NAMES } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { declaration } from '@openviking/harness-zcode/harness';
import { renderLauncher } from '../src/payload/launcher.ts';
import { withHome } from './support/scratch.ts';

const SHELLS = ['/bin/sh', '/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell));

const ALLOWED = '{"permission":"allow","reason":"it\'s fine"}';

/** Puts a launcher with one entry, `stop`, into a home; the entry tells its arguments and its input. */
function place(home: TemporaryHome, interpreter = process.execPath, starts: 'entries' | 'program' = 'entries'): string {
  const folder = home.at('.openviking/agent-integrations/zcode');
  const script =
    'process.stdout.write(JSON.stringify({args:process.argv.slice(2),input:require("fs").readFileSync(0,"utf8")}))';
  home.write('.openviking/agent-integrations/zcode/1.0.0/stop.cjs', script);
  home.write('.openviking/agent-integrations/zcode/1.0.0/mcp-proxy.cjs', script);
  return home.write(
    '.openviking/agent-integrations/zcode/launch',
    renderLauncher({
      platform: 'linux',
      home: home.path,
      interpreter,
      folder,
      version: '1.0.0',
      starts:
        starts === 'entries'
          ? 'entries'
          : { file: 'stop.cjs', args: ['--data', home.at("it's data")], variables: { OV_FILE: home.at("it's here") } },
      silences: { 'uri-guard': ALLOWED },
    }),
    0o755,
  );
}

const run = (file: string, args: readonly string[], env: Record<string, string> = { PATH: '/usr/bin:/bin' }) => {
  // SHLVL: with a socket for stdin bash believes to be a remote shell and reads the tester's own profile.
  const { status, stdout, stderr } = spawnSync(file, args, {
    timeout: 240_000,
    input: '{"a":1}',
    env: { SHLVL: '3', ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

describe.each(Object.entries({ ...ODD_NAMES, long: 'x'.repeat(220) }))('in a home with %s', (_name, name) => {
  it.each(SHELLS)('the command line of a hook works in %s', async (shell) => {
    await withHome(async (home) => {
      const launcher = place(home);
      const wiring = declaration.wiring({ home: home.path, platform: 'linux', env: {}, launcher });
      const operation = wiring.files[0]?.operations.findLast(({ kind }) => kind === 'handler');
      if (operation?.kind !== 'handler') throw new Error('no handler');
      const line = String(operation.handler['command']);
      expect(line.endsWith(' stop')).toBe(true);
      expect(run(shell, ['-c', line])).toEqual({ status: 0, stdout: '{"args":[],"input":"{\\"a\\":1}"}', stderr: '' });
    }, name);
  });

  it.each(SHELLS)('the launcher itself runs in %s, and passes on what it is given', async (shell) => {
    await withHome(async (home) => {
      const launcher = place(home);
      const output = JSON.parse(run(shell, [launcher, 'stop', 'a b', '', '$x']).stdout) as { args: string[] };
      expect(output.args).toEqual(['a b', '', '$x']);
      const program = place(home, process.execPath, 'program');
      const started = JSON.parse(run(shell, [program, '--more']).stdout) as { args: string[] };
      expect(started.args).toEqual(['--data', home.at("it's data"), '--more']);
      home.write(
        '.openviking/agent-integrations/zcode/1.0.0/stop.cjs',
        'process.stdout.write(String(process.env.OV_FILE))',
      );
      expect(run(shell, [program], { PATH: '/bin', OV_FILE: 'of somebody else' }).stdout).toBe(home.at("it's here"));
    }, name);
  });
});

describe('NODE_OPTIONS of somebody else', () => {
  it.each(['--require /gone/hook.js', '--no-such-flag', '--inspect-brk=0'])('%s does not reach the hook', (options) =>
    withHome(async (home) => {
      const env = { PATH: '/usr/bin:/bin', NODE_OPTIONS: options };
      for (const interpreter of [process.execPath, '/gone/node']) {
        const found = { ...env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
        const result = run(place(home, interpreter), ['stop'], found);
        expect(result).toEqual({ status: 0, stdout: '{"args":[],"input":"{\\"a\\":1}"}', stderr: '' });
      }
      expect(run(place(home, process.execPath, 'program'), [], env)).toMatchObject({ status: 0, stderr: '' });
    }),
  );
});

describe('when something is gone', () => {
  const log = '.openviking/logs/launcher.log';

  it('the interpreter: the one on PATH is taken', () =>
    withHome(async (home) => {
      const launcher = place(home, '/gone/node');
      const result = run(launcher, ['stop'], { PATH: `${dirname(process.execPath)}:/bin:/usr/bin` });
      expect(result).toMatchObject({ status: 0, stdout: expect.stringContaining('"args":[]') as unknown });
    }));

  it.each([
    '.nvm/versions/node/v20.1.0/bin',
    '.local/share/fnm/node-versions/v22.0.0/installation/bin',
    '.volta/bin',
    '.asdf/installs/nodejs/20.0.0/bin',
    '.local/share/mise/installs/node/20.0.0/bin',
  ])('the interpreter, and none on PATH: the one in %s is taken', (folder) =>
    withHome(async (home) => {
      const launcher = place(home, '/gone/node');
      mkdirSync(home.at(folder), { recursive: true });
      // Shows that this one was used: the real interpreter with a mark.
      writeFileSync(home.at(folder, 'node'), `#!/bin/sh\nOV_MARK=here exec '${process.execPath}' "$@"\n`);
      chmodSync(home.at(folder, 'node'), 0o755);
      home.write(
        '.openviking/agent-integrations/zcode/1.0.0/stop.cjs',
        'process.stdout.write(String(process.env.OV_MARK))',
      );
      symlinkSync('/bin/sh', home.at('sh'));
      expect(run('/bin/sh', [launcher, 'stop'], { PATH: home.path })).toEqual({
        status: 0,
        stdout: 'here',
        stderr: '',
      });
    }, "it's a home"),
  );

  /** A real interpreter that says it is another version. */
  function disguised(home: TemporaryHome, version: string, hasBuiltins: boolean): void {
    const patch = home.write(
      `disguise-${version}.cjs`,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
       process.env.OV_MARK = '${version}';
       if (!${hasBuiltins}) process.getBuiltinModule = undefined;`,
    );
    home.write('path/node', `#!/bin/sh\nexec '${process.execPath}' -r '${patch}' "$@"\n`, 0o755);
  }

  it.each([
    ['18.20.4', false],
    ['20.9.0', false],
    ['20.17.0', true],
    ['21.7.3', false],
    ['22.2.0', false],
  ])('Node.js %s is too old and passed over for one that fits', (version, hasBuiltins) =>
    withHome(async (home) => {
      const launcher = place(home, '/gone/node');
      disguised(home, version, hasBuiltins);
      mkdirSync(home.at('.volta/bin'), { recursive: true });
      symlinkSync(process.execPath, home.at('.volta/bin/node'));
      home.write(
        '.openviking/agent-integrations/zcode/1.0.0/stop.cjs',
        'process.stdout.write(String(process.env.OV_MARK))',
      );
      expect(run(launcher, ['stop'], { PATH: `${home.at('path')}:/bin` }).stdout).toBe('undefined');
    }),
  );

  it.each(['20.18.0', '22.3.0', '23.0.0', '24.1.0', '100.0.0'])('Node.js %s is taken', (version) =>
    withHome(async (home) => {
      const launcher = place(home, '/gone/node');
      disguised(home, version, true);
      home.write(
        '.openviking/agent-integrations/zcode/1.0.0/stop.cjs',
        'process.stdout.write(String(process.env.OV_MARK))',
      );
      expect(run(launcher, ['stop'], { PATH: `${home.at('path')}:/bin` }).stdout).toBe(version);
    }),
  );

  it('the payload: a hook stays silent and one line is logged; the MCP proxy says why it ends', () =>
    withHome(async (home) => {
      const launcher = place(home);
      expect(run(launcher, ['session-start'])).toEqual({ status: 0, stdout: '', stderr: '' });
      expect(home.readText(log).trim().split('\n')).toEqual([
        expect.stringMatching(/session-start\.cjs is missing: run openviking-install/),
      ]);
      execFileSync('rm', [join(dirname(launcher), '1.0.0/mcp-proxy.cjs')]);
      const proxy = run(launcher, ['mcp-proxy']);
      expect(proxy).toMatchObject({ status: 127, stdout: '' });
      expect(proxy.stderr).toContain('mcp-proxy.cjs is missing');
    }));

  it.each(SHELLS)('what is logged in %s is private, and begins anew before it gets long', (shell) =>
    withHome(async (home) => {
      const launcher = place(home);
      const silent = { status: 0, stdout: '', stderr: '' };
      // A folder that no hook has made yet, under the mask that most users have.
      expect(run(shell, ['-c', `umask 022; exec ${shell} '${launcher}' session-start`])).toEqual(silent);
      const modeOf = (path: string): number => statSync(home.at(path)).mode & 0o777;
      expect([modeOf('.openviking/logs'), modeOf(log)]).toEqual([0o700, 0o600]);
      home.write(log, 'x'.repeat(65_536), 0o600);
      expect(run(shell, [launcher, 'session-start'])).toEqual(silent);
      expect(home.readText(log).length).toBeGreaterThan(65_536);
      expect(run(shell, [launcher, 'session-start'])).toEqual(silent);
      expect(home.readText(log)).toMatch(/^\S+ \S+session-start\.cjs is missing[^\n]*\n$/);
    }),
  );

  it('the payload of a gate: its answer is given all the same', () =>
    withHome(async (home) => {
      expect(run(place(home), ['uri-guard'])).toEqual({ status: 0, stdout: ALLOWED, stderr: '' });
    }));

  it.each(['', '../../evil', 'a/b', 'A', '.'])('an entry named %j is not started', (entry) =>
    withHome(async (home) => {
      expect(run(place(home), [entry])).toEqual({ status: 0, stdout: '', stderr: '' });
      expect(run(place(home), [])).toEqual({ status: 0, stdout: '', stderr: '' });
    }),
  );
});

describe('on Windows', () => {
  const text = renderLauncher({
    platform: 'win32',
    home: 'C:\\Users\\张三 & 100%',
    interpreter: 'C:\\Program Files\\100% node\\node.exe',
    folder: 'C:\\Users\\张三 & 100%\\.openviking\\agent-integrations\\zcode',
    version: '1.0.0',
    starts: 'entries',
  });

  it('has Windows line ends and no path of the user in its text: cmd reads it in another encoding', () => {
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(text).not.toContain('张三');
    expect(text).toContain('"%~dp01.0.0\\%~1.cjs"');
  });

  it('begins its log anew before it gets long', () => {
    const log = '"%~dp0..\\..\\logs\\launcher.log"';
    const lines = text.split('\r\n');
    const written = lines.findIndex((line) => line.startsWith(`>>${log}`));
    expect(lines[written - 1]).toBe(`if exist ${log} for %%I in (${log}) do if %%~zI gtr 65536 del "%%~fI" >nul 2>nul`);
  });

  it('doubles percent signs and quotes what it starts', () => {
    expect(text).toContain('set "OV_NODE=C:\\Program Files\\100%% node\\node.exe"');
    expect(text).toContain('"%OV_NODE%" "%~dp01.0.0\\%~1.cjs"');
  });

  it('takes NODE_OPTIONS away before anything is started', () => {
    const lines = text.split('\r\n');
    const cleared = lines.indexOf('set "NODE_OPTIONS="');
    expect(cleared).toBeGreaterThan(lines.findIndex((line) => line.startsWith('setlocal')));
    expect(cleared).toBeLessThan(lines.findIndex((line) => line.includes('OV_NODE')));
  });

  it('ends a hook with 0 and the MCP proxy with 127 when nothing can be started', () => {
    const lines = text.split('\r\n');
    const end = lines.indexOf(':fits');
    expect(lines.slice(end - 2, end)).toEqual(['if "%~1"=="mcp-proxy" exit /b 127', 'exit /b 0']);
  });

  it('asks every interpreter but its own for its version before it starts it', () => {
    const lines = text.split('\r\n');
    const found = lines.filter((line) => line.startsWith('set "OV_NODE=') || line.startsWith('for %%I'));
    expect(found.length).toBeGreaterThan(5);
    for (const line of found.slice(1)) {
      expect(lines[lines.indexOf(line) + 1]).toBe('call :fits && goto run');
    }
    // The question holds nothing that cmd would read inside double quotes, and leaves the hook's input alone.
    const question = lines[lines.indexOf(':fits') + 2] ?? '';
    expect(question).toMatch(/^"%OV_NODE%" -e "[^"%!]+" <nul >nul 2>nul$/);
  });

  it('names what lies below the home from its own folder, in arguments and variables too', () => {
    const home = 'C:\\Users\\张三 & 100%';
    const program = renderLauncher({
      platform: 'win32',
      home,
      interpreter: `${home}\\AppData\\node.exe`,
      folder: `${home}\\.openviking\\agent-integrations\\local-server`,
      version: '1.0.0',
      starts: {
        file: 'main.mjs',
        args: ['--port', '1933', '--data', `${home}\\.openviking\\local`, '--home', home],
        variables: { OPENVIKING_CLI_CONFIG_FILE: `${home}\\.openviking\\ovcli.conf`, OTHER: 'D:\\100%\\x' },
      },
    });
    expect(program).not.toContain('张三');
    const up = '%~dp0..\\..\\..';
    expect(program).toContain(`set "OV_NODE=${up}\\AppData\\node.exe"`);
    expect(program).toContain(`set "OPENVIKING_CLI_CONFIG_FILE=${up}\\.openviking\\ovcli.conf"`);
    expect(program).toContain('set "OTHER=D:\\100%%\\x"');
    expect(program).toContain(`"--data" "${up}\\.openviking\\local" "--home" "${up}" %*`);
  });
});
