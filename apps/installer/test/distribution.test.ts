/**
 * A plugin from elsewhere: a repository, an archive, this checkout. What is fetched is verified before anything is written,
 * whatever goes wrong leaves all as it was, and what was chosen is remembered and can be taken back.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { createRepository, marketplaceArchive, startPublisher, writeFiles } from './support/publisher.ts';
import { withHome } from './support/scratch.ts';
import { tgzOf } from './support/tar.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { InstallerProcess, Run } from './support/installer-process.ts';
import type { Publisher, Repository } from './support/publisher.ts';
import type { TarEntry } from './support/tar.ts';

let installer: InstallerProcess;
let publisher: Publisher;
let claude: FakeClaude;
let version: string;
beforeAll(async () => {
  installer = buildInstaller();
  version = (await installer.run(['--version'])).stdout.trim();
});
beforeEach(async () => {
  claude = createFakeClaude();
  publisher = await startPublisher();
});
afterEach(async () => {
  claude.remove();
  await publisher.close();
});
afterAll(() => installer.remove());

const SETTINGS = '.claude/settings.json';
const SEED = '{\n\t"model": "opus", "big": 12345678901234567890,\n\t"hooks": {"Stop": []}\n}';
const FOLDER = '.openviking/agent-integrations/claude';
const ARCHIVE = ['--dist', 'github', '--source', 'archive'];
const archivePath = (): string => `/openviking-memory-claude-${version}.tgz`;

type Variables = Readonly<Record<string, string>>;
const variables = (more: Variables = {}): Variables => ({
  PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin`,
  OPENVIKING_DIST_GITHUB_URL: publisher.url,
  OPENVIKING_DIST_GITHUB_GIT_URL: `${publisher.url}/git/plugins.git`,
  ...more,
});
const common = (home: TemporaryHome) => ['--harness', 'claude', '--home', home.path, '--yes'];
const install = (home: TemporaryHome, flags: readonly string[], env: Variables = variables()): Promise<Run> =>
  installer.run(['install', ...common(home), '--url', NO_SERVER, ...flags], { env });
const uninstall = (home: TemporaryHome): Promise<Run> =>
  installer.run(['uninstall', ...common(home), '--purge'], { env: variables() });

const registered = (home: TemporaryHome): unknown =>
  (JSON.parse(home.readText(SETTINGS)) as { extraKnownMarketplaces?: Record<string, { source: unknown }> })
    .extraKnownMarketplaces?.['openviking']?.source;
const trees = (home: TemporaryHome): readonly string[] =>
  readdirSync(home.at(FOLDER)).filter((name) => name.startsWith('plugin-'));

/** What differs, apart from the client's own bookkeeping. */
function differences(before: TreeSnapshot, home: TemporaryHome): readonly string[] {
  const isBookkeeping = (path: string): boolean => /^\.claude(\.json$|\/plugins|$)/.test(path);
  return diffTrees(before, snapshotTree(home.path))
    .filter(({ path }) => !isBookkeeping(path))
    .map(describeDifference);
}

describe('what was typed', () => {
  it.each([
    [['--dist', 'ftp'], '--dist takes one of: npm, github, tos'],
    [['--source', 'there'], '--source takes one of: remote, archive, dev'],
    [['--dist', 'npm', '--source', 'archive'], 'nothing to fetch'],
    [['--dist', 'github', '--source', 'dev'], '--dist does not go with it'],
    [['--dist', 'tos', '--source', 'remote'], 'OPENVIKING_DIST_TOS_GIT_URL'],
    [['--dist', 'github', '--hooks-only'], '--hooks-only needs the plugin that this package carries'],
    [['--source', 'archive', '--mcp-only'], '--mcp-only needs the plugin that this package carries'],
  ])('%j is refused, with what to do instead', (flags, words) =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      const run = await install(home, flags);
      expect({ code: run.code, says: run.stderr.includes(words) }).toEqual({ code: 2, says: true });
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
      expect([claude.calls(), publisher.requests()]).toEqual([[], []]);
    }),
  );

  it.each([
    'http://example.org/x',
    'https://user:hidden-word@example.org/x',
    'https://example.org/x?token=hidden-word',
    'https://example.org/a b',
    'ftp://example.org/x',
    'ssh://git@example.org/x',
    '--upload-pack=x',
    'example.org',
  ])('the address %s is refused and not repeated', (address) =>
    withHome(async (home) => {
      for (const [flags, variable] of [
        [ARCHIVE, 'OPENVIKING_DIST_GITHUB_URL'],
        [['--dist', 'github'], 'OPENVIKING_DIST_GITHUB_GIT_URL'],
        [['--dist', 'tos'], 'OPENVIKING_DIST_TOS_URL'],
      ] as const) {
        const run = await install(home, flags, variables({ [variable]: address }));
        expect(run.code).toBe(2);
        expect(run.stderr).toContain(variable);
        expect(run.stderr).not.toContain('hidden-word');
      }
      expect(home.has('.openviking')).toBe(false);
    }),
  );

  it('has no effect for a client without marketplaces, and for a build without plugins, and that is said', () =>
    withHome(async (home) => {
      claude.behave({ hasPlugins: false, version: '1.0.90' });
      const args = ['--harness', 'claude,zcode,cursor', '--home', home.path, '--url', NO_SERVER, '--yes', '--json'];
      const run = await installer.run([...args, ...ARCHIVE], { env: variables() });
      expect(run.code).toBe(3);
      const { notes } = JSON.parse(run.stdout) as { notes: { code: string }[] };
      expect(notes.map(({ code }) => code).filter((code) => code.includes('distribution'))).toEqual([
        'claude/distribution-without-effect',
        'zcode/distribution-without-effect',
        'cursor/distribution-without-effect',
      ]);
      expect(run.stderr).toMatch(/ZCode: --dist and --source have no effect/);
      expect(publisher.requests()).toEqual([]);
      expect((await install(home, [...ARCHIVE, '--lang', 'zh'])).stdout).toMatch(/不起作用/);
    }));
});

describe('an archive', () => {
  it('is verified, unpacked and registered; a second run asks nobody; everything comes back', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      publisher.publish(archivePath(), marketplaceArchive('7.0.0'));
      const run = await install(home, ARCHIVE);
      expect({ code: run.code, failed: run.stderr.includes('Error') }).toEqual({ code: 3, failed: false });
      const [tree = ''] = trees(home);
      expect(registered(home)).toEqual({ source: 'directory', path: home.at(FOLDER, tree) });
      expect(home.readText(`${FOLDER}/${tree}/plugins/openviking-memory/.claude-plugin/plugin.json`)).toContain(
        '7.0.0',
      );
      expect(statSync(home.at(FOLDER, tree)).mode & 0o022).toBe(0);
      expect(home.has(`${FOLDER}/marketplace`)).toBe(false);
      expect(publisher.requests()).toEqual([`${archivePath()}.sha256`, archivePath()]);

      const installed = snapshotTree(home.path);
      claude.calls();
      // Neither flags nor variables: it is remembered.
      await install(home, [], { PATH: variables()['PATH'] ?? '' });
      await install(home, ARCHIVE);
      expect([claude.calls(), publisher.requests()]).toEqual([[], []]);
      expect(diffTrees(installed, snapshotTree(home.path))).toEqual([]);

      expect(await uninstall(home)).toMatchObject({ code: 0, stderr: '' });
      expect(differences(before, home)).toEqual([]);
    }));

  it('takes the place of the carried plugin and of another archive, and gives it back; one before it is kept', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      await install(home, []);
      expect(registered(home)).toEqual({ source: 'directory', path: home.at(FOLDER, 'marketplace') });
      const places: string[] = [];
      for (const number of [1, 2, 3]) {
        publisher.publish(`/${number}${archivePath()}`, marketplaceArchive(`7.0.${number}`));
        const env = variables({ OPENVIKING_DIST_GITHUB_URL: `${publisher.url}/${number}/` });
        expect((await install(home, ARCHIVE, env)).code).toBe(3);
        const { path } = registered(home) as { path: string };
        places.push(path);
        expect(existsSync(join(path, 'manifest.json'))).toBe(true);
      }
      expect(new Set(places).size).toBe(3);
      expect(places.map((path) => existsSync(path))).toEqual([false, true, true]);
      expect(home.has(`${FOLDER}/marketplace`)).toBe(false);

      await install(home, ['--dist', 'npm']);
      expect(registered(home)).toEqual({ source: 'directory', path: home.at(FOLDER, 'marketplace') });
      const carried = snapshotTree(home.path);
      claude.calls();
      await install(home, []);
      expect(claude.calls()).toEqual([]);
      expect(diffTrees(carried, snapshotTree(home.path))).toEqual([]);
      await uninstall(home);
      expect(differences(before, home)).toEqual([]);
    }));

  it('shows what it would do with --dry-run, and writes nothing', () =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      publisher.publish(archivePath(), marketplaceArchive('7.0.0'));
      const run = await install(home, [...ARCHIVE, '--dry-run']);
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/place program files in .*plugin-[0-9a-f]{12}/);
      expect(run.stdout).toMatch(/plugin marketplace add .*plugin-[0-9a-f]{12}/);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));

  it('that was damaged is named by the doctor and fetched anew by the next run', () =>
    withHome(async (home) => {
      publisher.publish(archivePath(), marketplaceArchive('7.0.0'));
      await install(home, ARCHIVE);
      const file = home.at(FOLDER, trees(home)[0] ?? '', 'plugins/openviking-memory/runtime/launch.sh');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, 'rm -rf /');
      const doctor = await installer.run(['doctor', '--json', '--home', home.path], { env: variables() });
      expect(doctor.stdout).toContain('is missing or damaged');
      publisher.requests();
      expect((await install(home, [])).code).toBe(3);
      expect(publisher.requests()).toHaveLength(2);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(
        (await installer.run(['doctor', '--json', '--home', home.path], { env: variables() })).stdout,
      ).not.toContain('is missing or damaged');
    }));

  it('leads to another one by a redirection on its own host only', () =>
    withHome(async (home) => {
      publisher.publish('/moved.tgz', marketplaceArchive('7.0.0'));
      const other = await startPublisher();
      try {
        other.publish(archivePath(), marketplaceArchive('6.6.6'));
        publisher.publish(archivePath(), marketplaceArchive('6.6.6'));
        publisher.put(archivePath(), (_request, response) =>
          response.writeHead(302, { location: `${other.url}${archivePath()}` }).end(),
        );
        const run = await install(home, ARCHIVE);
        expect(run.code).toBe(1);
        expect(run.stderr).toContain(`leads to ${other.host}`);
        expect(run.stderr).toContain('OPENVIKING_DIST_HOSTS');
        expect([home.has('.openviking'), other.requests()]).toEqual([false, []]);

        const allowed = variables({ OPENVIKING_DIST_HOSTS: `example.org, ${other.host}` });
        expect((await install(home, ARCHIVE, allowed)).code).toBe(3);
        expect(other.requests()).toEqual([archivePath()]);
      } finally {
        await other.close();
      }
    }));

  it('follows its own host, and not for ever', () =>
    withHome(async (home) => {
      publisher.publish(archivePath(), marketplaceArchive('7.0.0'));
      publisher.put('/moved.tgz', marketplaceArchive('7.0.0'));
      publisher.put(archivePath(), (_request, response) => response.writeHead(307, { location: '/moved.tgz' }).end());
      expect((await install(home, [...ARCHIVE, '--dry-run'])).code).toBe(0);
      publisher.put('/moved.tgz', (_request, response) => response.writeHead(301, { location: '/moved.tgz' }).end());
      const run = await install(home, ARCHIVE);
      expect({ code: run.code, says: run.stderr.includes('redirections') }).toEqual({ code: 1, says: true });
    }));
});

describe('a download that goes wrong says why, asks no client and writes nothing:', () => {
  const whole = marketplaceArchive('7.0.0');
  const large = Buffer.alloc(33 * 1024 * 1024);
  it.each<readonly [string, (at: string) => void, RegExp]>([
    ['nothing there', () => undefined, /sha256 could not be downloaded: HTTP 404/],
    [
      'no archive',
      (at) => publisher.put(`${at}.sha256`, `${'0'.repeat(64)}\n`),
      /tgz could not be downloaded: HTTP 404/,
    ],
    [
      'a page instead of a checksum',
      (at) => {
        publisher.publish(at, whole);
        publisher.put(`${at}.sha256`, '<html>welcome</html>');
      },
      /holds no checksum/,
    ],
    [
      'a checksum of another file',
      (at) => {
        publisher.publish(at, whole);
        publisher.put(`${at}.sha256`, `${'0'.repeat(64)}  other.tgz\n`);
      },
      /holds no checksum/,
    ],
    [
      'a wrong checksum',
      (at) => {
        publisher.publish(at, whole);
        publisher.put(at, marketplaceArchive('6.6.6'));
      },
      /is not what its checksum says/,
    ],
    [
      'a connection that breaks in the middle',
      (at) => {
        publisher.publish(at, whole);
        publisher.put(at, (_request, response) => {
          response.writeHead(200, { 'content-length': whole.length });
          response.write(whole.subarray(0, 100), () => response.destroy());
        });
      },
      /could not be downloaded: ECONNRESET/,
    ],
    [
      'an end without a length',
      (at) => {
        publisher.publish(at, whole);
        publisher.put(at, (_request, response) => {
          response.socket?.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${'x'.repeat(100)}`);
        });
      },
      /is not what its checksum says/,
    ],
    ['more than there may be', (at) => publisher.publish(at, large), /longer than 33554432 bytes/],
    [
      'a checksum without end',
      (at) => {
        publisher.publish(at, whole);
        publisher.put(`${at}.sha256`, Buffer.alloc(5000, 'a'));
      },
      /longer than 4096 bytes/,
    ],
    [
      'a link in the archive',
      (at) => publisher.publish(at, tgzOf([{ name: 'x', type: '2', link: '/etc' }])),
      /refused: it holds a link.*\(x\)/,
    ],
    [
      'a way out in the archive',
      (at) => publisher.publish(at, tgzOf([{ name: '../../.bashrc', content: 'x' }])),
      /refused: a path in it leads out.*\(\.\.\/\.\.\/\.bashrc\)/,
    ],
    [
      'a manifest in the archive',
      (at) => publisher.publish(at, tgzOf([{ name: 'manifest.json', content: '{}' }])),
      /refused: two of its entries/,
    ],
    ['no archive but text', (at) => publisher.publish(at, Buffer.from('hello')), /refused: it is no gzip/],
  ])('%s', (_what, publish, words) =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      publish(archivePath());
      const run = await install(home, ARCHIVE);
      expect(run.stderr).toMatch(words);
      expect(run.stderr).toContain('--dist npm');
      expect(run.code).toBe(1);
      expect(claude.calls()).toEqual([]);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }),
  );

  it('Ctrl+C while it waits', () =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      const silent = createServer(() => undefined);
      await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
      try {
        const asked = new Promise((done) => silent.once('request', done));
        const { port } = silent.address() as AddressInfo;
        let pid = 0;
        const env = variables({ OPENVIKING_DIST_GITHUB_URL: `http://127.0.0.1:${port}` });
        const running = installer.run(['install', ...common(home), ...ARCHIVE], { env, started: (id) => (pid = id) });
        await asked;
        process.kill(pid, 'SIGINT');
        expect((await running).code).toBe(130);
        expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
      } finally {
        silent.closeAllConnections();
        silent.close();
      }
    }));
});

describe('a change of the place that goes wrong', () => {
  it('leaves the plugin registered from where it was', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      await install(home, []);
      const before = snapshotTree(home.path);
      const text = home.readText(SETTINGS);
      // It holds no plugin of ours: the client refuses it.
      publisher.publish(
        archivePath(),
        tgzOf([
          {
            name: '.claude-plugin/marketplace.json',
            content: '{"name":"openviking","owner":{"name":"Nobody"},"plugins":[]}',
          },
        ]),
      );
      const run = await install(home, ARCHIVE);
      expect({ code: run.code, says: run.stderr.includes('plugin install') }).toEqual({ code: 1, says: true });
      expect(home.readText(SETTINGS)).toBe(text);
      expect(registered(home)).toEqual({ source: 'directory', path: home.at(FOLDER, 'marketplace') });
      expect(differences(before, home)).toEqual([]);
      claude.calls();
      await install(home, []);
      expect(claude.calls()).toEqual([]);
    }));

  it.each([6, 10, 12, 14, 16, 18])('killed at point %i: the next run ends it, and everything comes back', (point) =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      await install(home, []);
      publisher.publish(archivePath(), marketplaceArchive('7.0.0'));
      const args = ['install', ...common(home), '--url', NO_SERVER, ...ARCHIVE];
      await installer.runStopped(point, 'kill', args, { env: variables() });
      expect((await install(home, ARCHIVE)).code).toBe(3);
      expect(registered(home)).toEqual({ source: 'directory', path: home.at(FOLDER, trees(home)[0] ?? '') });
      await uninstall(home);
      expect(differences(before, home)).toEqual([]);
    }),
  );
});

describe('a repository', () => {
  let repository: Repository;
  beforeEach(() => {
    repository = createRepository('8.0.0');
  });
  afterEach(() => repository.remove());

  it('is given to the client by its address; a second run asks nothing, also after an update; everything comes back', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      publisher.serveGit(repository.folder);
      const run = await install(home, ['--dist', 'github']);
      expect({ code: run.code, failed: run.stderr.includes('Error') }).toEqual({ code: 3, failed: false });
      const url = `${publisher.url}/git/plugins.git`;
      expect(registered(home)).toEqual({ source: 'git', url });
      expect(claude.calls().join('\n')).toContain(`plugin marketplace add ${url}`);
      expect(run.stdout).toContain(`hooks      ${url}`);
      expect(home.readText(SETTINGS)).toContain('\t"model": "opus", "big": 12345678901234567890,');

      const installed = snapshotTree(home.path);
      publisher.requests();
      // The client takes a new version by itself.
      const list = '.claude/plugins/installed_plugins.json';
      const updated = home.readText(list).replaceAll('"version": "8.0.0"', '"version": "8.1.0"');
      home.write(list, updated);
      await install(home, [], { PATH: variables()['PATH'] ?? '' });
      expect([claude.calls(), publisher.requests(), home.readText(list)]).toEqual([[], [], updated]);
      expect(diffTrees(installed, snapshotTree(home.path)).map(({ path }) => path)).toEqual([list]);

      expect(await uninstall(home)).toMatchObject({ code: 0, stderr: '' });
      expect(differences(before, home)).toEqual([]);
      expect(home.has('.claude/plugins/marketplaces/openviking')).toBe(false);
    }));

  it('on a server of plain files cannot be cloned by the client: its words are shown, and all is as before', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      await install(home, []);
      const text = home.readText(SETTINGS);
      const before = snapshotTree(home.path);
      const walk = (below: string): void => {
        for (const entry of readdirSync(join(repository.folder, below), { withFileTypes: true })) {
          const path = `${below}/${entry.name}`;
          if (entry.isDirectory()) walk(path);
          else publisher.put(`/git/${path}`, readFileSync(join(repository.folder, path)));
        }
      };
      walk('plugins.git');
      const run = await install(home, ['--dist', 'github']);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('dumb http transport does not support shallow capabilities');
      expect(home.readText(SETTINGS)).toBe(text);
      expect(differences(before, home)).toEqual([]);
    }));

  it('takes the place of an archive, and the other way round', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      publisher.serveGit(repository.folder);
      publisher.publish(archivePath(), marketplaceArchive('7.0.0'));
      await install(home, ARCHIVE);
      await install(home, ['--source', 'remote']);
      expect(registered(home)).toEqual({ source: 'git', url: `${publisher.url}/git/plugins.git` });
      await install(home, ['--source', 'archive']);
      expect(registered(home)).toEqual({ source: 'directory', path: home.at(FOLDER, trees(home)[0] ?? '') });
      await uninstall(home);
      expect(differences(before, home)).toEqual([]);
    }));
});

describe('this checkout', () => {
  it('is registered where it lies, and stays when the plugin goes', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const folder = home.makeFolder('checkout/dist/plugin');
      writeFiles(folder, '9.0.0');
      const before = snapshotTree(home.path);
      const env = variables({ OPENVIKING_DIST_DEV_DIR: folder });
      expect((await install(home, ['--source', 'dev'], env)).code).toBe(3);
      expect(registered(home)).toEqual({ source: 'directory', path: folder });
      claude.calls();
      await install(home, []);
      expect(claude.calls()).toEqual([]);
      await uninstall(home);
      expect(differences(before, home)).toEqual([]);
    }));

  it('without a built plugin is refused', () =>
    withHome(async (home) => {
      const run = await install(home, ['--source', 'dev']);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('libs/harness-claude/dist/plugin');
      expect(run.stderr).toContain('npm run build');
      expect(home.has('.openviking')).toBe(false);
    }));
});

const REAL = process.env['OPENVIKING_TEST_CLAUDE'] ?? '';
(REAL === '' ? describe.skip : describe)('the real client', () => {
  it('takes the built plugin from archive, repository, checkout and package in turn, and gives its settings back', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const built = join(import.meta.dirname, '../../../libs/harness-claude/dist/plugin');
      publisher.publish(archivePath(), tgzOf(filesOf(built)));
      const repository = createRepository('8.0.0');
      try {
        publisher.serveGit(repository.folder);
        const env = variables({ PATH: `${dirname(REAL)}:/usr/bin:/bin`, OPENVIKING_DIST_DEV_DIR: built });
        for (const [flags, place] of [
          [ARCHIVE, { source: 'directory', path: expect.stringContaining('/plugin-') as unknown }],
          [['--dist', 'github'], { source: 'git', url: `${publisher.url}/git/plugins.git` }],
          [['--source', 'dev'], { source: 'directory', path: built }],
          [['--dist', 'npm'], { source: 'directory', path: home.at(FOLDER, 'marketplace') }],
        ] as const) {
          const run = await install(home, flags, env);
          expect({ code: run.code, failed: run.stderr.includes('Error') }).toEqual({ code: 3, failed: false });
          expect(registered(home)).toEqual(place);
          expect((await install(home, [], env)).stdout).toContain('nothing changed');
        }
        await installer.run(['uninstall', ...common(home), '--purge'], { env });
        expect(home.readText(SETTINGS)).toBe(SEED);
      } finally {
        repository.remove();
      }
    }));
});

function filesOf(folder: string): readonly TarEntry[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? [{ name: path.slice(folder.length + 1), content: readFileSync(path) }] : [];
  });
}
