/** The guided run as somebody at a terminal of 80 columns sees it, in both languages; and every way out of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { displayWidth } from '../src/cli/display-width.ts';
import { drawnOutput } from '../src/guided/drawn-output.ts';
import { fit } from '../src/guided/fit.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { KEYS, openScreen } from './support/screen.ts';
import { withHome } from './support/scratch.ts';
import { sitDown } from './support/terminal-session.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const KEY = 'sk-guided-0123456789';

const widest = (text: string): number => Math.max(...text.split('\n').map(displayWidth));

const WORDS = {
  en: { clients: 'Which clients', where: 'Where shall', url: 'Address of', key: 'API key', sure: 'Do this now?' },
  zh: { clients: '为哪些客户端', where: '记忆保存在哪里', url: '服务器地址', key: 'API 密钥', sure: '现在执行吗' },
} as const;

describe.each(['en', 'zh'] as const)('in %s', (language) => {
  const words = WORDS[language];

  it('asks for clients and server, shows the plan, and installs', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      home.makeFolder('.trae-cn');
      const seen = await sitDown(installer, home, {
        env: { LANG: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8' },
        script: [
          [words.clients, KEYS.enter],
          [words.where, `${KEYS.down}${KEYS.enter}`],
          [words.url, `${NO_SERVER}${KEYS.enter}`],
          [words.key, `${KEY}${KEYS.enter}`],
          [words.sure, KEYS.enter],
        ],
      });
      expect(seen.questions.join('\n')).toMatchSnapshot('questions');
      expect(seen.screen).toMatchSnapshot('screen');
      expect(seen.err).toMatchSnapshot('warnings');
      expect(widest(seen.screen)).toBeLessThanOrEqual(80);
      expect(seen.code).toBe(3);
      expect(home.readText('.openviking/ovcli.conf')).toContain(KEY);
      expect(home.has('.zcode/cli/config.json') && home.has('.trae-cn/hooks.json')).toBe(true);
      expect(home.has('.cursor')).toBe(false);
      // Hidden while it is typed, and masked in the report.
      expect(seen.raw).not.toContain(KEY);
    }));

  it('keeps the present connection, and knows what is installed', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      await sitDown(installer, home, {
        args: ['--harness', 'zcode', '--url', NO_SERVER, '--api-key', KEY, '--yes'],
        script: [],
      });
      home.makeFolder('.cursor');
      const before = home.readText('.openviking/ovcli.conf');
      const seen = await sitDown(installer, home, {
        args: ['--lang', language],
        script: [
          [words.clients, KEYS.enter],
          [words.where, KEYS.enter],
          [words.sure, KEYS.enter],
        ],
      });
      expect(seen.questions.slice(0, 2).join('\n')).toMatchSnapshot('questions');
      expect(seen.screen).toMatchSnapshot('screen');
      expect(home.readText('.openviking/ovcli.conf')).toBe(before);
      expect(home.has('.cursor/hooks.json')).toBe(true);
      expect(seen.raw).not.toContain(KEY);
    }));
});

describe('a question', () => {
  it('about the language comes first where nothing tells it, and the rest is asked in the answer', () =>
    withHome(async (home) => {
      const seen = await sitDown(installer, home, {
        args: ['--url', NO_SERVER],
        env: { LANG: 'C.UTF-8' },
        script: [
          ['语言', `${KEYS.down}${KEYS.enter}`],
          [WORDS.zh.clients, `${KEYS.space}${KEYS.enter}`],
          [WORDS.zh.sure, `${KEYS.down}${KEYS.enter}`],
        ],
      });
      expect(seen.code).toBe(0);
      expect(seen.screen).toContain('未做任何改动。');
      expect(seen.questions[0]).toMatchSnapshot('question');
      expect(seen.screen).toMatchSnapshot('screen');
    }));

  it('is repeated until a client is marked, and shows what is wrong with an address or a key', () =>
    withHome(async (home) => {
      const seen = await sitDown(installer, home, {
        script: [
          ['Which clients', KEYS.enter],
          ['at least one', `${KEYS.down}${KEYS.space}${KEYS.enter}`],
          ['Where shall', `${KEYS.down}${KEYS.enter}`],
          ['Address of', `localhost${KEYS.enter}`],
          ['Write the base address', `${'\b'.repeat(9)}${NO_SERVER}${KEYS.enter}`],
          ['API key', `my key${KEYS.enter}`],
          ['A key has no spaces', KEYS.interrupt],
        ],
      });
      expect(seen.code).toBe(130);
      expect(seen.questions.join('\n')).toMatchSnapshot('questions');
      expect(seen.screen).toMatchSnapshot('screen');
    }));

  it.each([
    ['--harness', ['--harness', 'zcode'], 'Where shall'],
    ['--all', ['--all'], 'Where shall'],
    ['--local', ['--local'], 'Which clients'],
    ['--url', ['--url', NO_SERVER], 'Which clients'],
    ['--api-key', ['--api-key', KEY], 'Which clients'],
  ])('that %s answers is not asked', (_flag, args, first) =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      const seen = await sitDown(installer, home, { args, script: [[first, KEYS.escape]] });
      expect(seen.code).toBe(130);
      expect(seen.screen.match(/Which clients|Where shall/g)).toEqual([first]);
    }),
  );

  it('is not asked when the clients are named and there is a connection', () =>
    withHome(async (home) => {
      home.write('.openviking/ovcli.conf', `{ "url": "${NO_SERVER}" }`);
      const seen = await sitDown(installer, home, { args: ['--harness', 'zcode'], script: [['[Y/n]', 'n\r']] });
      expect(seen.prompted).toBe(false);
      expect(seen.screen).toContain('Nothing was changed.');
    }));

  it.each([
    ['everything is given', ['--harness', 'zcode', '--url', NO_SERVER], {}],
    ['--yes is given', ['--yes', '--url', NO_SERVER], {}],
    ['--json is given', ['--json', '--url', NO_SERVER], {}],
    ['nothing is to be written', ['--dry-run'], {}],
    ['the terminal cannot move its cursor', ['--url', NO_SERVER], { TERM: 'dumb' }],
  ])('is not asked when %s', (_case, args, env) =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      const seen = await sitDown(installer, home, {
        args,
        env: env as Record<string, string>,
        script: [['[Y/n]', 'n\r']],
      });
      expect(seen.prompted).toBe(false);
    }),
  );
});

describe('leaving', () => {
  const STEPS: readonly (readonly [string, string])[] = [
    ['Which clients', KEYS.enter],
    ['Where shall', `${KEYS.down}${KEYS.enter}`],
    ['Address of', `${NO_SERVER}${KEYS.enter}`],
    ['API key', KEYS.enter],
    ['Do this now?', ''],
  ];
  const WAYS = [
    ['Esc', KEYS.escape],
    ['Ctrl+C', KEYS.interrupt],
    ['Ctrl+D', KEYS.end],
  ] as const;

  it.each(STEPS.flatMap((_step, index) => WAYS.map(([name, key]) => [name, STEPS[index]?.[0], index, key] as const)))(
    'with %s at "%s" writes nothing, and says so in one line',
    (_name, _where, index, key) =>
      withHome(async (home) => {
        home.makeFolder('.zcode');
        const before = snapshotTree(home.path);
        const last = STEPS[index]?.[0] ?? '';
        const seen = await sitDown(installer, home, { script: [...STEPS.slice(0, index), [last, key]] });
        expect(seen).toMatchObject({ code: 130, err: 'Error: Interrupted. Everything is as it was before.\n' });
        expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
        // The cursor is there again.
        expect(seen.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(seen.raw.lastIndexOf('\u001b[?25l'));
      }),
  );

  it.each(['the end of input', 'a signal'] as const)('by %s from outside is the same', (thenComes) =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      const seen = await sitDown(installer, home, { script: [['Which clients', '']], thenComes });
      expect(seen.questions).toHaveLength(1);
      expect(seen.code).toBe(130);
    }),
  );
});

describe('the shipped program', () => {
  it('carries what draws the questions apart, and asks nothing without a terminal', () =>
    withHome(async (home) => {
      expect(existsSync(join(installer.folder, 'dist/guided.mjs'))).toBe(true);
      const run = await installer.run(['--home', home.path], { stdin: '\r\r\r' });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain('Name one with --harness');
    }));
});

describe('what the prompt library draws', () => {
  const drawn = '\u001b[36m│\u001b[39m  \u001b[2mnone\u001b[22m\n\u001b[36m│\u001b[39m  none of these\u001b[2B';

  it.each([
    [true, '\u001b[36m│\u001b[39m  \u001b[2m–\u001b[22m\n\u001b[36m│\u001b[39m  none of these\u001b[2B'],
    [false, '│  –\n│  none of these\u001b[2B'],
  ])('comes out with colours: %p, moves of the cursor always, and no English word for nothing', (colours, text) => {
    const { out, raw } = openScreen(72);
    const output = drawnOutput(out, colours);
    output.write(drawn);
    expect(raw()).toBe(text);
    expect([output.columns, output.isTTY]).toEqual([72, true]);
  });
});

describe('a terminal', () => {
  it.each([60, 80, 120])('of %i columns shows no line that wraps', (columns) =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      await sitDown(installer, home, {
        args: ['--harness', 'zcode', '--yes', '--api-key', KEY, '--url', `https://${'a-long-name.'.repeat(9)}example`],
        script: [],
      });
      const seen = await sitDown(installer, home, {
        columns,
        script: [
          ['Which clients', KEYS.enter],
          ['Where shall', KEYS.escape],
        ],
      });
      expect(widest(seen.screen)).toBeLessThanOrEqual(columns);
      expect(seen.questions[1]).toContain('sk-g…6789)');
      for (const question of seen.questions) expect(widest(question)).toBeLessThanOrEqual(columns);
    }),
  );
});

describe('a path that is too long', () => {
  it.each([
    ['/home/user/.zcode', 80, '/home/user/.zcode'],
    ['/home/user/somewhere/far/away/.zcode', 20, '/home/user…ay/.zcode'],
    ['/家/目录/很长的路径/.zcode', 14, '/家/目录…zcode'],
    ['/abc', 0, '…'],
  ])('%s in %i columns is %s', (path, width, shown) => {
    expect(fit(path, width)).toBe(shown);
    expect(displayWidth(fit(path, width))).toBeLessThanOrEqual(Math.max(1, width));
  });
});
