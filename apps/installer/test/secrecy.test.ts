/**
 * A key appears in ovcli.conf and nowhere else: not in any output, any other file, or the process list; also when it is
 * typed in the wrong place.
 */
import { readFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { searchTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { shownText } from '../src/plan/shown-text.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

const KEY = 'sk-VerySecret-0123456789-zz';
let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

describe('an API key', () => {
  it.each([
    ['typed', ['--api-key', KEY], {}],
    ['typed with =', [`--api-key=${KEY}`], {}],
    ['from a variable', ['--api-key-env', 'MY_KEY'], { env: { MY_KEY: KEY } }],
    ['from stdin', ['--api-key-stdin'], { stdin: `${KEY}\n` }],
  ])('%s ends in ovcli.conf only', async (_name, args, options) => {
    await withHome(async (home) => {
      const common = ['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];
      for (const extra of [['--dry-run'], ['--dry-run', '--json'], [], ['--json'], []]) {
        const run = await installer.run([...common, ...args, ...extra], options);
        expect(run.code).toBe(extra.includes('--dry-run') ? 0 : 3);
        expect(run.stdout + run.stderr).not.toContain(KEY);
      }
      expect(searchTree(home.path, KEY)).toEqual(['.openviking/ovcli.conf']);
      for (const command of [
        ['status', '--json'],
        ['uninstall', '--purge', '--yes'],
      ]) {
        const run = await installer.run([...command, '--home', home.path]);
        expect(run.stdout + run.stderr).not.toContain(KEY);
      }
      expect(searchTree(home.path, KEY)).toEqual([]);
    });
  });

  it('is replaced, kept for the way back, and never shown', () =>
    withHome(async (home) => {
      const old = '// mine\n{"api_key": "sk-old-secret-abcdefghij", "url": "https://u:pw-hidden@h/x", "output": 1}';
      home.write('.openviking/ovcli.conf', old, 0o644);
      const common = ['--harness', 'zcode', '--home', home.path, '--yes'];
      for (const extra of [['--dry-run'], ['--json']]) {
        const run = await installer.run([...common, '--url', NO_SERVER, '--api-key', KEY, ...extra]);
        expect(run.stdout + run.stderr).not.toMatch(/old-secret|VerySecret/);
      }
      expect(home.readText('.openviking/ovcli.conf')).toContain(KEY);
      expect(searchTree(home.path, 'old-secret')).toEqual(['.openviking/ovcli.conf']);
      await installer.run(['uninstall', '--home', home.path, '--purge', '--yes']);
      expect(home.readText('.openviking/ovcli.conf')).toBe(old);
    }));

  it("is cleared by --api-key '' without a trace", () =>
    withHome(async (home) => {
      const common = ['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];
      await installer.run([...common, '--api-key', KEY]);
      await installer.run([...common, '--api-key', '']);
      expect(searchTree(home.path, KEY)).toEqual([]);
      expect(JSON.parse(home.readText('.openviking/ovcli.conf'))).toMatchObject({ url: NO_SERVER, api_key: '' });
    }));

  it.each([
    ['as a command', [KEY]],
    ['as a second argument', ['install', KEY]],
    ['behind a misspelt option', ['--apikey', KEY]],
    ['behind a misspelt option with =', [`--apikey=${KEY}`]],
    ['as a value of a flag', [`--yes=${KEY}`]],
    ['as an option', [`--${KEY}`]],
    ['as the name of a variable', ['--harness', 'zcode', '--api-key-env', KEY]],
    ['in the URL', ['--harness', 'zcode', '--url', `http://u:${KEY}@h`]],
    ['as the URL', ['--harness', 'zcode', '--url', KEY]],
    ['in the query of the URL', ['--harness', 'zcode', '--url', `http://h/?key=${KEY}`]],
    ['with a line break', ['--harness', 'zcode', '--api-key', `${KEY}\nX: y`]],
    ['together with a mistake', ['--harness', 'emacs', '--api-key', KEY]],
    ['with debugging', ['--harness', 'zcode', '--api-key', KEY, '--url', `nonsense${KEY}`]],
  ])('in the wrong place, %s, is not repeated', async (_name, args) => {
    const run = await installer.run(args, { env: { OPENVIKING_DEBUG: '1' } });
    expect(run.code).toBe(2);
    expect(run.stdout + run.stderr).not.toContain(KEY);
  });

  (existsSync('/proc/self/cmdline') ? it : it.skip)('is not in the process list while the installer runs', async () => {
    // A server that never answers keeps the installer waiting.
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    try {
      await new Promise((done) => server.once('listening', done));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await withHome(async (home) => {
        const asked = new Promise((done) => server.once('request', done));
        let pid = 0;
        const running = installer.run(
          ['--harness', 'zcode', '--home', home.path, '--yes', '--url', url, '--api-key', KEY],
          {
            started: (id) => (pid = id),
          },
        );
        await asked;
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('openviking-install');
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(KEY);
        process.kill(pid, 'SIGINT');
        // Waiting for the server is part of the run: it goes back.
        expect((await running).code).toBe(130);
        expect([home.has('.openviking'), home.has('.zcode')]).toEqual([false, false]);
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("other people's secrets", () => {
  const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
  const PASSWORD = 'correct-horse-battery-7';
  const FOREIGN = `{
  // curl -H "Authorization: Bearer ${TOKEN}"
  "hooks": {"enabled": false},
  "mcp": {
    "servers": {
      "github": {
        "command": "x",
        "env": {
          "DB_PASSWORD":
            "${PASSWORD}",
          "PLAIN": "stays"
        },
        "args": [
          "--token",
          "${TOKEN}"
        ]
      }
    }
  }
}
`;

  it('in the lines around a change are not shown, and are written back untouched', () =>
    withHome(async (home) => {
      home.write('.zcode/cli/config.json', FOREIGN);
      const common = ['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];
      const encoded = Buffer.from(FOREIGN).toString('base64');
      const hidden = (text: string): boolean =>
        ![TOKEN, PASSWORD, encoded, encoded.slice(40, 80)].some((secret) => text.includes(secret));
      for (const extra of [[], ['--json']]) {
        const run = await installer.run([...common, '--dry-run', ...extra]);
        expect(run.code).toBe(0);
        expect(run.stdout).toContain('agent-integrations/zcode/launch');
        // The diff has reached the lines in question.
        expect(run.stdout).toMatch(/Authorization: Bearer \[redacted/);
        expect(hidden(run.stdout + run.stderr)).toBe(true);
      }
      await installer.run(common);
      const written = home.readText('.zcode/cli/config.json');
      expect(written).toContain(PASSWORD);
      expect(written.split(TOKEN)).toHaveLength(3);
      const removal = await installer.run(['uninstall', '--home', home.path, '--dry-run', '--json']);
      expect(hidden(removal.stdout + removal.stderr)).toBe(true);
      await installer.run(['uninstall', '--home', home.path]);
      expect(home.readText('.zcode/cli/config.json')).toBe(FOREIGN);
    }));

  it.each([
    ['a password on the line after its name', `{\n "DB_PASSWORD":\n  "${PASSWORD}"\n}`, PASSWORD],
    ['an argument on the line after its option', `["--password",\n "${PASSWORD}"]`, PASSWORD],
    ['one that is spelled with escapes', '{"password": "correct\\u002dhorse-battery-7"}', 'horse'],
    ['a text that is no JSON', `x\nAuthorization: Bearer ${TOKEN}\n`, TOKEN],
    ['broken JSON', `{\n "token": "${TOKEN}",\n`, TOKEN],
  ])('%s', (_what, text, secret) => {
    const shown = shownText(text, 'f');
    expect(shown).not.toContain(secret);
    expect(shown.split('\n')).toHaveLength(text.split('\n').length);
  });

  it('are the only thing that is changed in what is shown', () => {
    const plain = '\uFEFF{ // mine\r\n\t"a": [1, "b", null,], "version": "1.0"\r\n}\r\n';
    expect(shownText(plain, 'f')).toBe(plain);
  });
});
