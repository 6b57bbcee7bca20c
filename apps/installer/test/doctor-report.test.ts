/** The reports of doctor and status as people see them: both languages, 80 columns, with injected streams. */
import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { displayWidth } from '../src/cli/display-width.ts';
import { wrap } from '../src/cli/wrap.ts';
import { runProgram } from '../src/program.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const NOW = Date.parse('2026-11-30T12:00:00Z');

interface Seen {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  /** Of a terminal; absent: everything goes into pipes. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly types?: string;
}

async function run(
  home: TemporaryHome,
  args: readonly string[],
  { columns, env = {}, types }: RunOptions = {},
): Promise<Seen> {
  const stream = () => Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  const [out, err, stdin] = [stream(), stream(), stream()];
  if (types !== undefined) stdin.write(types);
  const code = await runProgram({
    args: [...args, '--home', home.path],
    home: home.path,
    platform: 'linux',
    env: { PATH: '/bin', ...env },
    interpreter: process.execPath,
    payloadRoot: join(installer.folder, 'dist/payload'),
    version: '1.0.0',
    nodeVersion: process.versions.node,
    loadProxy: () => {
      throw new Error('no proxy is named here');
    },
    stdin,
    out,
    err,
    signal: new AbortController().signal,
    now: () => new Date(NOW),
    cwd: home.path,
  });
  const read = (from: PassThrough): string => (from.read() as Buffer | null)?.toString('utf8') ?? '';
  const plain = (text: string): string =>
    text.replaceAll(home.path, '/home/user').replaceAll(process.versions.node, 'N.N.N');
  return { code, out: plain(read(out)), err: plain(read(err)) };
}

/** An installation that much has happened to. */
async function trouble(home: TemporaryHome): Promise<void> {
  home.makeFolder('.zcode');
  await run(home, ['install', '--harness', 'zcode', '--url', NO_SERVER, '--yes']);
  rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs'));
  const config = home.at('.zcode/cli/config.json');
  writeFileSync(config, '{"hooks":{"enabled":true,"events":{"Stop":[{"matcher":"","hooks":[]}]}}}');
  const conf = JSON.parse(home.readText('.openviking/ovcli.conf')) as object;
  const plugin = { recalLimit: 3, zcode: { recallLimit: 500, autoRecall: false } };
  writeFileSync(home.at('.openviking/ovcli.conf'), JSON.stringify({ ...conf, plugin }), { mode: 0o600 });
  const beat = { at: '2026-11-30T11:57:00Z', durationMs: 41, outcome: 'captured' };
  home.write('.openviking/state/heartbeat/zcode-stop.json', JSON.stringify({ ...beat, at: '2026-11-30T12:00:00Z' }));
  home.write(
    '.openviking/state/heartbeat/zcode-user-prompt-submit.json',
    JSON.stringify({ ...beat, outcome: 'deadline' }),
  );
  home.write('.bashrc', '# >>> openviking-codex-plugin >>>\nx\n# <<< openviking-codex-plugin <<<\n');
}

const widest = (text: string): number => Math.max(...text.split('\n').map(displayWidth));

describe.each(['en', 'zh'])('in %s', (language) => {
  it.each(['doctor', 'status'])('%s of a home in trouble', (command) =>
    withHome(async (home) => {
      await trouble(home);
      const seen = await run(home, [command, '--lang', language]);
      expect(seen.code).toBe(command === 'doctor' ? 1 : 3);
      expect(seen).toMatchSnapshot();
      if (command === 'doctor') expect(widest(seen.out)).toBeLessThanOrEqual(80);
    }),
  );

  it.each(['doctor', 'status'])('%s of a home without anything', (command) =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      const seen = await run(home, [command, '--lang', language], { env: { OPENVIKING_URL: NO_SERVER } });
      expect(seen).toMatchObject({ code: 0, err: '' });
      expect(seen.out).toMatchSnapshot();
    }),
  );

  it('doctor --fix says what it repaired', () =>
    withHome(async (home) => {
      await trouble(home);
      const seen = await run(home, ['doctor', '--fix', '--yes', '--lang', language]);
      expect(seen.out).toMatchSnapshot();
    }));
});

describe('a terminal', () => {
  it('gets colours and its own width; NO_COLOR and a pipe get plain text', () =>
    withHome(async (home) => {
      await trouble(home);
      const escapes = /\u001b\[\d+m/g;
      const coloured = await run(home, ['doctor'], { columns: 60 });
      expect(coloured.out).toMatch(escapes);
      const unbreakable = coloured.out
        .replaceAll(escapes, '')
        .split('\n')
        .filter((line) => displayWidth(line) > 60);
      // A path or an address is not cut.
      for (const line of unbreakable) expect(line.trim().replace(/^-> |^(warn|error) +/, '')).not.toContain(' ');
      const plain = await run(home, ['doctor'], { columns: 60, env: { NO_COLOR: '1' } });
      expect(plain.out).toBe(coloured.out.replaceAll(escapes, ''));
      expect((await run(home, ['doctor'])).out).not.toMatch(escapes);
    }));

  it('is asked before anything is repaired, and no leaves everything', () =>
    withHome(async (home) => {
      await trouble(home);
      const before = snapshotTree(home.path);
      const seen = await run(home, ['doctor', '--fix'], { columns: 80, types: 'n\n' });
      expect(seen.code).toBe(0);
      expect(seen.out).toContain('[Y/n]');
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
      await run(home, ['doctor', '--fix'], { columns: 80, types: 'y\n' });
      expect(home.has('.openviking/agent-integrations/zcode/1.0.0/stop.cjs')).toBe(true);
    }));
});

describe('wrap', () => {
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['a verylongwordthatfitsnowhere b', 8, ['a', 'verylongwordthatfitsnowhere', 'b']],
    ['', 10, ['']],
    ['记忆已经关闭。', 8, ['记忆已经', '关闭。']],
    ['记忆已经，关闭', 8, ['记忆已', '经，关闭']],
    ['运行 openviking-install 即可', 12, ['运行', 'openviking-install', '即可']],
  ])('%j at %i', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  it('loses no character but blanks at line ends, and keeps lines short', () => {
    const text =
      '服务器 http://127.0.0.1:1933 没有响应（ECONNREFUSED）。会话保存在本机 waiting for the server，无法召回。'.repeat(
        3,
      );
    for (let width = 12; width < 100; width += 7) {
      const lines = wrap(text, width);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      for (const line of lines)
        if (displayWidth(line) > width) expect(line).not.toMatch(/ |\p{Script=Han}.*\p{Script=Han}/u);
    }
  });
});
