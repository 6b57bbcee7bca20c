/** Installations of one client, each broken in one way, with what doctor has to say about it. */
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { credentialMark, homePaths, loadSettings, serverStatePath } from '@openviking/memory-core/full';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import type { MemoryServer } from './memory-server.ts';

export interface BrokenSetup {
  readonly name: string;
  readonly code: string;
  readonly severity: 'info' | 'warn' | 'error';
  readonly breaks: (home: TemporaryHome, server: MemoryServer) => void;
  /** `--fix` returns the home to what it was before; absent: `--fix` changes nothing. */
  readonly isFixed?: true;
  readonly env?: (home: TemporaryHome, server: MemoryServer) => Readonly<Record<string, string>>;
  /** Where doctor is started, below the home. */
  readonly cwd?: string;
  /** Below the home. */
  readonly file?: string;
  readonly line?: number;
  /** Part of the text. */
  readonly says?: string;
}

export const CONFIG = '.zcode/cli/config.json';
const LAUNCHER = '.openviking/agent-integrations/zcode/launch';
const RECEIPT = '.openviking/install/receipts/zcode.json';
const CONF = '.openviking/ovcli.conf';
const SKILL = '.zcode/skills/openviking-memory/SKILL.md';
const HOUR = 3_600_000;

interface Config {
  hooks: { enabled: boolean; events: Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]> };
  mcp: { servers: Record<string, Record<string, unknown>> };
  plugins?: object;
}

/** With the permissions that the file has. */
function rewrite(home: TemporaryHome, text: string): void {
  writeFileSync(home.at(CONFIG), text);
}

/** Changes the client's file the way another program does: parsed, changed, written. */
function config(home: TemporaryHome, change: (value: Config) => void): void {
  const value = JSON.parse(home.readText(CONFIG)) as Config;
  change(value);
  rewrite(home, `${JSON.stringify(value, null, 2)}\n`);
}

function plugin(home: TemporaryHome, section: object): void {
  const value = JSON.parse(home.readText(CONF)) as object;
  writeFileSync(home.at(CONF), JSON.stringify({ ...value, plugin: section }));
}

/** The launcher as an installation by another interpreter would have left it. */
export function installedBy(home: TemporaryHome, interpreter: string): void {
  const word = interpreter.replaceAll("'", "'\\''");
  const text = home.readText(LAUNCHER).replace(/^node='.*'$/m, () => `node='${word}'`);
  writeFileSync(home.at(LAUNCHER), text);
  const receipt = JSON.parse(home.readText(RECEIPT)) as { launcher: { left: { hash: string } } };
  receipt.launcher.left.hash = createHash('sha256').update(text).digest('hex');
  writeFileSync(home.at(RECEIPT), JSON.stringify(receipt, null, 2));
}

function beat(home: TemporaryHome, entry: string, agoMs: number, outcome = 'ok'): void {
  const at = new Date(Date.now() - agoMs).toISOString();
  const note = { at, event: entry, durationMs: 41.4, version: '1.0.0', outcome };
  home.write(`.openviking/state/heartbeat/zcode-${entry}.json`, JSON.stringify(note));
}

/** As if the installation had been made some time ago. */
function installedAgo(home: TemporaryHome, ms: number): void {
  const receipt = JSON.parse(home.readText(RECEIPT)) as object;
  const installedAt = new Date(Date.now() - ms).toISOString();
  writeFileSync(home.at(RECEIPT), JSON.stringify({ ...receipt, installedAt }, null, 2));
}

function turn(home: TemporaryHome, seq: number, agoMs: number, text = '', more = {}): void {
  const name = `${String(seq).padStart(12, '0')}.json`;
  const record = {
    version: 1,
    seq,
    session: 'zc-a',
    harness: 'zcode',
    nativeId: 'a',
    createdAt: new Date(Date.now() - agoMs).toISOString(),
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    cursor: { turns: [] },
    ...more,
  };
  home.write(`.openviking/spool/zc-a/records/${name}`, JSON.stringify(record));
}

export const BROKEN_SETUPS: readonly BrokenSetup[] = [
  {
    name: 'the launcher is gone',
    code: 'launcher/missing',
    severity: 'error',
    breaks: (home) => rmSync(home.at(LAUNCHER)),
    isFixed: true,
    file: LAUNCHER,
  },
  {
    name: 'the launcher may not be executed',
    code: 'launcher/not-executable',
    severity: 'error',
    breaks: (home) => chmodSync(home.at(LAUNCHER), 0o644),
    isFixed: true,
  },
  {
    name: 'the launcher was edited',
    code: 'launcher/changed',
    severity: 'warn',
    breaks: (home) => writeFileSync(home.at(LAUNCHER), `${home.readText(LAUNCHER)}\nexit 1\n`),
    isFixed: true,
  },
  {
    name: 'the recorded Node.js was removed by a version manager',
    code: 'node/recorded-gone',
    severity: 'warn',
    breaks: (home) => installedBy(home, home.at(".nvm/versions/node/v20.1.0/it's gone/node")),
    isFixed: true,
    says: "it's gone/node",
    env: (home) => {
      // Another one is on PATH.
      home.write('bin/node', `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, 0o755);
      return { PATH: `${home.at('bin')}:/bin` };
    },
  },
  {
    name: 'the recorded Node.js is too old',
    code: 'node/recorded-too-old',
    severity: 'error',
    breaks: (home) => installedBy(home, home.write('old/node', '#!/bin/sh\necho v18.19.0\n', 0o755)),
    isFixed: true,
    says: '18.19.0',
  },
  {
    name: 'a program file is gone',
    code: 'payload/damaged',
    severity: 'error',
    breaks: (home) => rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs')),
    isFixed: true,
    says: 'stop.cjs',
  },
  {
    name: 'program files and manifest were changed together',
    code: 'payload/damaged',
    severity: 'error',
    breaks: (home) => {
      const folder = '.openviking/agent-integrations/zcode/1.0.0';
      home.write(`${folder}/uri-guard.cjs`, '// another');
      const manifest = JSON.parse(home.readText(`${folder}/manifest.json`)) as { files: Record<string, string> };
      manifest.files['uri-guard.cjs'] = createHash('sha256').update('// another').digest('hex');
      writeFileSync(home.at(folder, 'manifest.json'), JSON.stringify(manifest));
    },
    isFixed: true,
    says: 'uri-guard.cjs',
  },
  {
    name: 'the receipt is cut off',
    code: 'install/broken-receipt',
    severity: 'error',
    breaks: (home) => writeFileSync(home.at(RECEIPT), home.readText(RECEIPT).slice(0, 200)),
    file: RECEIPT,
  },
  {
    name: 'the file with the key is open to everybody',
    code: 'connection/file-open',
    severity: 'warn',
    breaks: (home) => chmodSync(home.at(CONF), 0o644),
    isFixed: true,
    file: CONF,
  },
  {
    name: 'the server refuses the key',
    code: 'server/rejected',
    severity: 'error',
    breaks: (_home, server) => server.setKey('another-key'),
    says: '(401)',
  },
  {
    name: 'the server is ill',
    code: 'server/unhealthy',
    severity: 'error',
    breaks: (_home, server) => server.behave('ill'),
    says: '(500)',
  },
  {
    name: 'nothing answers at the address',
    code: 'server/unreachable',
    severity: 'warn',
    breaks: () => undefined,
    env: () => ({ OPENVIKING_URL: 'http://127.0.0.1:9' }),
    says: 'ECONNREFUSED',
  },
  {
    name: 'the server offers no tools',
    code: 'mcp/no-tools',
    severity: 'warn',
    breaks: (_home, server) => server.behave('without-tools'),
  },
  {
    name: 'the MCP endpoint refuses',
    code: 'mcp/refused',
    severity: 'error',
    breaks: (_home, server) => server.behave('mcp-refuses'),
    says: 'not today',
  },
  {
    name: 'a key would travel unencrypted',
    code: 'connection/plain-http',
    severity: 'warn',
    breaks: () => undefined,
    env: () => ({ OPENVIKING_URL: 'http://memory.invalid:1', OPENVIKING_API_KEY: 'sk-never-shown-1234567' }),
    says: 'OPENVIKING_URL',
  },
  {
    name: 'the file of the certificate authority is not there',
    code: 'connection/ca-file',
    severity: 'error',
    breaks: () => undefined,
    env: (home) => ({ OPENVIKING_CA_FILE: home.at('ca.pem') }),
    file: 'ca.pem',
  },
  {
    name: 'a setting is mistyped',
    code: 'settings/unknown-key',
    severity: 'warn',
    breaks: (home) => plugin(home, { recalLimit: 3 }),
    file: CONF,
    says: 'plugin.recalLimit',
  },
  {
    name: 'a number is out of its bounds',
    code: 'settings/out-of-range',
    severity: 'warn',
    breaks: (home) => plugin(home, { zcode: { recallLimit: 1000 } }),
    says: '100 is used',
  },
  {
    name: 'the connection file does not parse',
    code: 'settings/broken-file',
    severity: 'error',
    breaks: (home) => writeFileSync(home.at(CONF), '{\n  "url": \n'),
    file: CONF,
    line: 3,
  },
  {
    name: 'memory is switched off',
    code: 'settings/memory-off',
    severity: 'info',
    breaks: (home) => plugin(home, { enabled: 'no' }),
    file: CONF,
    says: 'plugin.enabled',
  },
  {
    name: 'a filter does not compile',
    code: 'settings/filter-rule',
    severity: 'warn',
    breaks: (home) => plugin(home, { captureFilters: ['d/fine/', 'd/(?=secret)/'] }),
    file: CONF,
    says: 'Rule 2 of captureFilters',
  },
  {
    name: 'a value is overruled by the environment',
    code: 'settings/shadowed',
    severity: 'info',
    breaks: (home) => plugin(home, { recallLimit: 3 }),
    env: () => ({ OPENVIKING_RECALL_LIMIT: '4' }),
    file: CONF,
    says: 'OPENVIKING_RECALL_LIMIT',
  },
  {
    name: 'the client’s file is cut in the middle',
    code: 'zcode/config-broken',
    severity: 'error',
    breaks: (home) => rewrite(home, '{\n  "hooks": {\n    "enabled": tru'),
    file: CONFIG,
    line: 3,
  },
  {
    name: 'another tool has put an empty matcher into the client’s file',
    code: 'zcode/empty-matcher',
    severity: 'warn',
    breaks: (home) => {
      const text = home
        .readText(CONFIG)
        .replace(
          '"events": {',
          '"events": {\n "PostToolUse": [{"matcher": "",\n "hooks": [{"type": "command", "command": "x"}]}],',
        );
      rewrite(home, text);
    },
    file: CONFIG,
    line: 5,
  },
  {
    name: 'the client’s own page has wiped the hooks',
    code: 'zcode/hooks-wiped',
    severity: 'error',
    breaks: (home) => config(home, ({ hooks }) => (hooks.events = {})),
    isFixed: true,
    file: CONFIG,
    says: 'Hooks page',
  },
  {
    name: 'the MCP server is gone from the client’s file',
    code: 'zcode/entries-missing',
    severity: 'error',
    breaks: (home) => config(home, ({ mcp }) => delete mcp.servers['openviking']),
    isFixed: true,
    says: 'mcp.servers.openviking',
  },
  {
    name: 'the client’s file is gone',
    code: 'zcode/entries-missing',
    severity: 'error',
    breaks: (home) => rmSync(home.at(CONFIG)),
    isFixed: true,
    file: CONFIG,
  },
  {
    name: 'a hook of ours is there twice',
    code: 'zcode/entries-doubled',
    severity: 'error',
    breaks: (home) =>
      config(home, ({ hooks: { events } }) =>
        events['Stop']?.push(structuredClone(events['Stop'][0] ?? { hooks: [] })),
      ),
    isFixed: true,
    says: 'hooks.events.Stop',
  },
  {
    name: 'a hook names the launcher of another home',
    code: 'zcode/other-launcher',
    severity: 'error',
    breaks: (home) => rewrite(home, home.readText(CONFIG).replace(home.path, '/home/somebody-else')),
    isFixed: true,
    file: CONFIG,
  },
  {
    name: 'hooks are switched off in the client’s file',
    code: 'zcode/hooks-disabled',
    severity: 'error',
    breaks: (home) => config(home, ({ hooks }) => (hooks.enabled = false)),
    isFixed: true,
    says: 'hooks.enabled',
  },
  {
    name: 'a hook of the earlier shell installer is still there',
    code: 'zcode/earlier-entries',
    severity: 'warn',
    breaks: (home) =>
      config(home, ({ hooks: { events } }) =>
        events['Stop']?.push({
          hooks: [
            {
              type: 'command',
              command: `OPENVIKING_INTEGRATION_ID='openviking-memory' '/usr/bin/node' '${home.at('.openviking/agent-integrations/zcode/scripts/auto-capture.mjs')}' # openviking-memory`,
            },
          ],
        }),
      ),
    isFixed: true,
  },
  {
    name: 'somebody else’s server has our name',
    code: 'zcode/foreign-entry',
    severity: 'warn',
    breaks: (home) => config(home, ({ mcp }) => (mcp.servers['openviking'] = { type: 'stdio', command: 'other' })),
    says: 'mcp.servers.openviking',
  },
  {
    name: 'the receipt is gone',
    code: 'zcode/no-receipt',
    severity: 'warn',
    breaks: (home) => rmSync(home.at(RECEIPT)),
    file: CONFIG,
  },
  {
    name: 'a hook was given too little time',
    code: 'zcode/short-time-limit',
    severity: 'warn',
    breaks: (home) => rewrite(home, home.readText(CONFIG).replace('"timeout": 20', '"timeout": 1')),
    file: CONFIG,
    says: 'UserPromptSubmit',
  },
  {
    name: 'the skill is gone',
    code: 'zcode/file-missing',
    severity: 'warn',
    breaks: (home) => rmSync(home.at(SKILL)),
    isFixed: true,
    file: SKILL,
  },
  {
    name: 'the skill was edited',
    code: 'zcode/file-changed',
    severity: 'info',
    breaks: (home) => writeFileSync(home.at(SKILL), 'mine'),
    file: SKILL,
  },
  {
    name: 'the client starts our server and never a hook',
    code: 'zcode/never-ran',
    severity: 'warn',
    breaks: (home) => {
      installedAgo(home, HOUR);
      beat(home, 'mcp-proxy', HOUR / 2);
    },
    says: 'started our MCP server 30 min ago',
  },
  {
    name: 'no hook has run for two days',
    code: 'zcode/never-ran',
    severity: 'warn',
    breaks: (home) => installedAgo(home, 50 * HOUR),
    says: '2 days after the installation',
  },
  {
    name: 'prompts are seen and turn ends are not',
    code: 'zcode/hook-silent',
    severity: 'warn',
    breaks: (home) => {
      installedAgo(home, 2 * HOUR);
      beat(home, 'user-prompt-submit', HOUR);
    },
    says: 'stop never has',
  },
  {
    name: 'no hook has run since the last installation',
    code: 'zcode/restart-needed',
    severity: 'info',
    breaks: (home) => beat(home, 'stop', HOUR),
  },
  {
    name: 'a hook ran out of time',
    code: 'zcode/hook-deadline',
    severity: 'warn',
    breaks: (home) => {
      installedAgo(home, HOUR);
      beat(home, 'user-prompt-submit', 180_000, 'deadline');
      beat(home, 'stop', 170_000, 'captured');
    },
    says: 'user-prompt-submit last ran 3 min ago, 41 ms, ran out of time',
  },
  {
    name: 'a hook was refused by the server, which is gone now',
    code: 'zcode/hook-unauthorized',
    severity: 'warn',
    breaks: (home) => {
      installedAgo(home, HOUR);
      beat(home, 'user-prompt-submit', 180_000, 'unauthorized');
    },
    env: () => ({ OPENVIKING_URL: 'http://127.0.0.1:9' }),
  },
  {
    name: 'a hook failed by itself',
    code: 'zcode/hook-error',
    severity: 'error',
    breaks: (home) => beat(home, 'session-start', 0, 'error'),
  },
  {
    name: 'a turn could not be kept',
    code: 'zcode/capture-stopped',
    severity: 'error',
    breaks: (home) => beat(home, 'stop', 0, 'spool-full'),
  },
  {
    name: 'the plugin is switched on as well',
    code: 'zcode/plugin-enabled',
    severity: 'error',
    breaks: (home) => config(home, (value) => (value.plugins = { enabledPlugins: { 'openviking-memory@zai': true } })),
    file: CONFIG,
  },
  {
    name: 'a project has our hooks too',
    code: 'zcode/project-hooks',
    severity: 'warn',
    breaks: (home) => {
      home.makeFolder('project/.git');
      home.makeFolder('project/src');
      home.write('project/.zcode/config.json', `{\n "hooks": "${home.at(LAUNCHER)} stop"\n}`);
    },
    cwd: 'project/src',
    file: 'project/.zcode/config.json',
    line: 2,
  },
  {
    name: 'the server has refused the credentials for good',
    code: 'spool/blocked',
    severity: 'error',
    breaks: (home, { url }) => {
      turn(home, 1, 60_000);
      const { connection } = loadSettings({ harness: 'zcode', home: home.path, cwd: home.path, env: {} });
      const state = {
        failures: 1,
        nextAttemptAt: 0,
        lastError: '401 UNAUTHENTICATED',
        blockedFor: credentialMark(connection),
      };
      home.makeFolder('.openviking/state');
      writeFileSync(serverStatePath(homePaths(home.path), 'delivery', url), JSON.stringify(state));
    },
    says: '1 turn waits',
  },
  {
    name: 'a turn was said where variables name another server',
    code: 'spool/elsewhere',
    severity: 'info',
    breaks: (home) => turn(home, 1, 60_000, 'x', { environment: '5f3a0c11' }),
    says: '1 turn waits for a hook with the environment it was said in',
  },
  {
    name: 'the server does not make memories of a conversation',
    code: 'spool/commit-refused',
    severity: 'warn',
    breaks: (home) => {
      home.makeFolder('.openviking/spool/zc-a/records');
      const cursor = { turns: [], open: { refused: '412 FAILED_PRECONDITION' } };
      home.write('.openviking/spool/zc-a/cursor.json', JSON.stringify({ seq: 3, cursor }));
    },
    says: 'zc-a (412 FAILED_PRECONDITION)',
  },
  {
    name: 'the server fails at two conversations',
    code: 'spool/failing',
    severity: 'warn',
    breaks: (home) => {
      turn(home, 1, HOUR);
      home.write('.openviking/spool/zc-b/records/000000000001.json', '{}');
      const error = { failures: 7, lastError: '500 INTERNAL' };
      for (const [session, minutes] of [
        ['zc-a', 50],
        ['zc-b', 20],
      ] as const) {
        const nextAttemptAt = Date.now() + minutes * 60_000 + 59_000;
        home.write(`.openviking/spool/${session}/back-off.json`, JSON.stringify({ ...error, nextAttemptAt }));
      }
    },
    says: 'zc-b and 1 other conversation (500 INTERNAL); zc-b is tried again in 20 min',
  },
  {
    name: 'messages were refused for good',
    code: 'spool/dead-letters',
    severity: 'warn',
    breaks: (home) => {
      home.makeFolder('.openviking/spool/zc-a/records');
      home.write('.openviking/spool/zc-a/dead/000000000001-0.json', '{}');
    },
    says: '1 message',
  },
  {
    name: 'a turn has waited for days',
    code: 'spool/old',
    severity: 'warn',
    breaks: (home) => turn(home, 1, 72 * HOUR),
    says: '3 days',
  },
  {
    name: 'the queue is full',
    code: 'spool/full',
    severity: 'error',
    breaks: (home) => {
      turn(home, 1, 1000, 'x'.repeat(2_000_000));
      plugin(home, { spoolMaxBytes: 1_048_576 });
    },
    file: '.openviking/spool',
  },
  {
    name: 'a record of the queue is damaged',
    code: 'spool/damaged',
    severity: 'warn',
    breaks: (home) => home.write('.openviking/spool/zc-a/records/000000000001.json', '{"vers'),
    says: 'zc-a',
  },
  {
    name: 'a shell profile has a block of the earlier installer',
    code: 'legacy/shell-profile',
    severity: 'warn',
    breaks: (home) =>
      home.write(
        '.zshrc',
        'export A=1\n# >>> openviking claude-code memory plugin >>>\nclaude() { :; }\n# <<< openviking claude-code memory plugin <<<\n',
      ),
    file: '.zshrc',
    line: 2,
    says: 'Lines 2 to 4',
  },
  {
    name: 'a profile of zsh in another folder has one',
    code: 'legacy/shell-profile',
    severity: 'warn',
    breaks: (home) => home.write('zsh/.zshrc', '# >>> openviking-codex-plugin >>>\ncodex() { :; }\n'),
    env: (home) => ({ ZDOTDIR: home.at('zsh') }),
    file: 'zsh/.zshrc',
    line: 1,
    says: 'is not closed',
  },
  {
    name: 'turns lie in the queue of the earlier installer',
    code: 'legacy/queue',
    severity: 'warn',
    breaks: (home) => {
      home.write('.openviking/pending/ab12_1.json', '{"type":"addMessage"}');
      home.write('.openviking/pending/cd34_0.processing', '{"type":"addMessage"}');
      home.write('.openviking/pending/imported/ef56_0.json', '{"type":"addMessage"}');
    },
    says: '2 entries',
  },
  {
    name: 'programs of the earlier installer are left',
    code: 'legacy/programs',
    severity: 'info',
    breaks: (home) =>
      home.write('.openviking/agent-integrations/trae-cli/integration.json', '{"id":"openviking-memory"}'),
    file: '.openviking/agent-integrations/trae-cli',
  },
  {
    name: 'an MCP file of the earlier installer lies where no client reads it',
    code: 'legacy/unread-file',
    severity: 'info',
    breaks: (home) =>
      home.write(
        '.trae/mcp.json',
        JSON.stringify({
          mcpServers: { openviking: { args: [home.at('.openviking/agent-integrations/trae/servers/mcp-proxy.mjs')] } },
        }),
      ),
    file: '.trae/mcp.json',
  },
  {
    name: 'a hook was told to run in the background',
    code: 'zcode/hook-in-background',
    severity: 'warn',
    breaks: (home) =>
      config(home, ({ hooks: { events } }) =>
        Object.assign(events['UserPromptSubmit']?.[0]?.hooks[0] ?? {}, { async: true }),
      ),
    file: CONFIG,
    says: 'hooks.events.UserPromptSubmit: "async": true',
  },
  {
    name: 'the MCP server was switched off in the client’s file',
    code: 'zcode/server-disabled',
    severity: 'warn',
    breaks: (home) => config(home, ({ mcp }) => Object.assign(mcp.servers['openviking'] ?? {}, { enabled: false })),
    file: CONFIG,
    says: '"enabled": false',
  },
  {
    name: 'a matcher keeps a hook from most conversations',
    code: 'zcode/matcher-narrowed',
    severity: 'warn',
    breaks: (home) =>
      config(home, ({ hooks: { events } }) => Object.assign(events['SessionStart']?.[0] ?? {}, { matcher: 'startup' })),
    file: CONFIG,
    says: '"matcher": "startup"',
  },
  {
    name: 'the MCP server got another name',
    code: 'zcode/server-renamed',
    severity: 'warn',
    breaks: (home) =>
      config(home, ({ mcp }) => {
        mcp.servers['memory'] = mcp.servers['openviking'] ?? {};
        delete mcp.servers['openviking'];
      }),
    file: CONFIG,
    says: '"memory"',
  },
  {
    name: 'the MCP server was copied under another name',
    code: 'zcode/server-copied',
    severity: 'warn',
    breaks: (home) => config(home, ({ mcp }) => (mcp.servers['memory'] = mcp.servers['openviking'] ?? {})),
    file: CONFIG,
    says: 'mcp.servers.memory',
  },
  {
    name: 'the client’s file is a link into a repository that was not fetched',
    code: 'zcode/link-broken',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at(CONFIG));
      symlinkSync(home.at('dotfiles/zcode/config.json'), home.at(CONFIG));
    },
    file: CONFIG,
    says: 'dotfiles/zcode/config.json',
  },
  {
    name: 'everybody may write into the folder of the programs',
    code: 'install/others-can-write',
    severity: 'warn',
    breaks: (home) => {
      chmodSync(home.at('.openviking/agent-integrations/zcode/1.0.0'), 0o702);
      chmodSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs'), 0o602);
    },
    isFixed: true,
    file: '.openviking/agent-integrations/zcode/1.0.0',
    says: 'and 1 more',
  },
  {
    name: 'a file has the place of the folder for notes',
    code: 'install/not-a-folder',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at('.openviking/state'), { recursive: true, force: true });
      home.write('.openviking/state', '');
    },
    file: '.openviking/state',
  },
  {
    name: 'the clock was ahead when a hook ran',
    code: 'install/clock',
    severity: 'warn',
    breaks: (home) => beat(home, 'stop', -30 * 24 * HOUR),
    file: '.openviking/state/heartbeat/zcode-stop.json',
    says: '29 days ahead',
  },
  {
    name: 'a newer release has installed another client',
    code: 'install/unknown-client',
    severity: 'warn',
    breaks: (home) => home.write('.openviking/install/receipts/some-editor.json', '{}'),
    file: '.openviking/install/receipts/some-editor.json',
    says: 'some-editor',
  },
  {
    name: 'the receipt of the connection is cut off',
    code: 'install/broken-receipt',
    severity: 'error',
    breaks: (home) => home.write('.openviking/install/receipts/connection.json', '{"version": 1,'),
    file: '.openviking/install/receipts/connection.json',
    says: 'ovcli.conf',
  },
  {
    name: 'the receipt is of another version',
    code: 'install/broken-receipt',
    severity: 'error',
    breaks: (home) => {
      const receipt = JSON.parse(home.readText(RECEIPT)) as object;
      home.write(RECEIPT, JSON.stringify({ ...receipt, version: 2 }));
    },
    file: RECEIPT,
  },
  {
    name: 'a variable names a connection file that is not there',
    code: 'connection/file-missing',
    severity: 'error',
    breaks: () => undefined,
    env: (home) => ({ OPENVIKING_CLI_CONFIG_FILE: home.at('elsewhere.conf') }),
    file: 'elsewhere.conf',
    says: 'OPENVIKING_CLI_CONFIG_FILE',
  },
  {
    name: 'the connection file is a link that leads nowhere',
    code: 'connection/file-missing',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at(CONF));
      symlinkSync(home.at('dotfiles/ovcli.conf'), home.at(CONF));
    },
    file: CONF,
    says: 'dotfiles/ovcli.conf',
  },
  {
    name: 'the proxy on the way is gone',
    code: 'server/proxy',
    severity: 'warn',
    breaks: () => undefined,
    env: () => ({ OPENVIKING_URL: 'http://memory.invalid:1', HTTP_PROXY: 'http://me:not-shown@127.0.0.1:9' }),
    says: 'the HTTP proxy 127.0.0.1:9',
  },
  {
    name: 'https is asked for where http is spoken',
    code: 'server/no-tls',
    severity: 'error',
    breaks: () => undefined,
    env: (_home, { url }) => ({ OPENVIKING_URL: url.replace('http:', 'https:') }),
  },
  {
    name: 'a web page answers in the place of the server',
    code: 'server/unhealthy',
    severity: 'error',
    breaks: (_home, server) => server.behave('web-page'),
    says: 'a web page, the sign-in page of a network',
  },
  {
    name: 'the way to the server leads to a sign-in page',
    code: 'server/unhealthy',
    severity: 'error',
    breaks: (_home, server) => server.behave('moved'),
    says: 'sends on to another address (302)',
  },
  {
    name: 'the server is asked too often',
    code: 'server/unhealthy',
    severity: 'error',
    breaks: (_home, server) => server.behave('busy'),
    says: 'too often (429)',
  },
  {
    name: 'the file of the certificate authority holds no certificate',
    code: 'connection/ca-file',
    severity: 'error',
    breaks: (home) => home.write('ca.pem', 'not a certificate'),
    env: (home) => ({ OPENVIKING_CA_FILE: home.at('ca.pem') }),
    file: 'ca.pem',
  },
  {
    name: 'the folder of the program files is gone',
    code: 'payload/damaged',
    severity: 'error',
    breaks: (home) => rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0'), { recursive: true }),
    isFixed: true,
    says: 'The folder with the program files',
  },
  {
    name: 'the whole folder of the integration is gone',
    code: 'launcher/missing',
    severity: 'error',
    breaks: (home) => rmSync(home.at('.openviking/agent-integrations/zcode'), { recursive: true }),
    isFixed: true,
    file: LAUNCHER,
  },
  {
    name: 'JSON5 was pasted into the client’s file',
    code: 'zcode/config-broken',
    severity: 'error',
    breaks: (home) => rewrite(home, "{\n  hooks: {'enabled': true},\n}\n"),
    file: CONFIG,
    line: 2,
  },
  {
    name: 'the client’s file got a byte order mark',
    code: 'zcode/byte-order-mark',
    severity: 'warn',
    breaks: (home) => rewrite(home, `\uFEFF${home.readText(CONFIG)}`),
    file: CONFIG,
    line: 1,
  },
  {
    name: 'the client’s file is a list',
    code: 'zcode/config-broken',
    severity: 'error',
    breaks: (home) => rewrite(home, '[]'),
    file: CONFIG,
    says: 'must be an object',
  },
  {
    name: 'a link to nowhere has the place of the launcher',
    code: 'launcher/missing',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at(LAUNCHER));
      symlinkSync(home.at('nowhere/launch'), home.at(LAUNCHER));
    },
    isFixed: true,
    file: LAUNCHER,
  },
  {
    // The skill is a file of the user's home like any other: the repair must not be written into it.
    name: 'a link to another file has the place of the launcher',
    code: 'launcher/not-executable',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at(LAUNCHER));
      symlinkSync(home.at(SKILL), home.at(LAUNCHER));
    },
    isFixed: true,
    file: LAUNCHER,
  },
  {
    name: 'a file has the place of the client’s folder',
    code: 'zcode/repair-refused',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at('.zcode'), { recursive: true });
      home.write('.zcode', '');
    },
    says: '.zcode is a file',
  },
  {
    name: 'a file has the place of a folder in the client’s',
    code: 'zcode/repair-refused',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at('.zcode/skills'), { recursive: true });
      home.write('.zcode/skills', '');
    },
    says: '.zcode/skills is a file',
  },
  {
    name: 'a file has the place of our folder',
    code: 'install/not-a-folder',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at('.openviking'), { recursive: true });
      home.write('.openviking', '');
    },
    file: '.openviking',
  },
  {
    name: 'a file has the place of the folder for receipts',
    code: 'install/not-a-folder',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at('.openviking/install/receipts'), { recursive: true });
      home.write('.openviking/install/receipts', '');
    },
    file: '.openviking/install/receipts',
  },
  {
    name: 'a file has the place of the integration’s folder',
    code: 'install/not-a-folder',
    severity: 'error',
    breaks: (home) => {
      rmSync(home.at('.openviking/agent-integrations/zcode'), { recursive: true });
      home.write('.openviking/agent-integrations/zcode', '');
    },
    file: '.openviking/agent-integrations/zcode',
  },
];
