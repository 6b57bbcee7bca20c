import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Database } from '../src/store/database.ts';
import { BUNDLE, TOKEN, removeHome, runToEnd, startServer, temporaryHome, turn } from './running-server.ts';
import type { RunningServer } from './running-server.ts';

let home: string;
const servers: RunningServer[] = [];
beforeEach(() => {
  home = temporaryHome();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.end('SIGKILL');
  removeHome(home);
});

async function start(bundle?: string): Promise<RunningServer> {
  const server = await startServer(home, bundle);
  servers.push(server);
  return server;
}

describe('the bundle', () => {
  it('runs from a folder with spaces and Chinese in its name, without node_modules', async () => {
    const folder = join(home, '安装 目录 (1)', 'server');
    mkdirSync(folder, { recursive: true });
    cpSync(dirname(BUNDLE), folder, { recursive: true });
    const server = await start(join(folder, 'main.mjs'));
    expect((await server.call('GET', '/ready')).body.status).toBe('ready');
    // MCP is loaded late: it must be inside the bundle as well.
    const tools = await server.call(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { accept: 'application/json, text/event-stream' },
    );
    expect(tools.body.result.tools).toHaveLength(7);
  });

  it('names the licences of what it contains', () => {
    const notices = readFileSync(join(dirname(BUNDLE), 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['fastify', 'node-sqlite3-wasm', '@modelcontextprotocol/sdk', 'zod'])
      expect(notices).toContain(`\n${name} `);
  });

  it('says what to do when it was not built', async () => {
    const bin = join(home, 'bin', 'openviking-local.mjs');
    mkdirSync(dirname(bin));
    cpSync(join(dirname(BUNDLE), '..', 'bin', 'openviking-local.mjs'), bin);
    const result = await runToEnd(['--version'], {}, bin);
    expect(result.status).toBe(1);
    expect(result.stderr).toContain('npm run build');
  });

  it('starts through its bin', async () => {
    const bin = join(dirname(BUNDLE), '..', 'bin', 'openviking-local.mjs');
    const { version } = JSON.parse(readFileSync(join(dirname(BUNDLE), '..', 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await runToEnd(['--version'], {}, bin)).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect((await runToEnd(['--help'], {}, bin)).stdout).toContain('--port');
  });
});

describe('the token', () => {
  it('is required: without one the server does not start and says what to do', async () => {
    const result = await runToEnd(['--home', home, '--port', '0'], {});
    expect(result.status).toBe(2);
    expect(result.stderr).toContain(join(home, '.openviking', 'ovcli.conf'));
    expect(existsSync(join(home, '.openviking', 'local'))).toBe(false);
  });

  it('is not taken from the command line', async () => {
    const result = await runToEnd(['--home', home, '--port', '0', '--token', 'x'], {});
    expect(result.status).toBe(2);
    expect(result.stderr).toContain('--help');
  });

  it('is read from ovcli.conf with BOM and comments, and never printed', async () => {
    mkdirSync(join(home, '.openviking'));
    writeFileSync(
      join(home, '.openviking', 'ovcli.conf'),
      '\uFEFF{\n  // the key, see http://example.invalid/\n  "api_key": "from-the-file//not-a-comment", /* more */\n}\n',
    );
    const child = spawn(process.execPath, [BUNDLE, '--port', '0', '--home', home], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const url = /http:\S+\d/.exec(String(line))?.[0] ?? '';
      const status = async (token: string): Promise<number> =>
        (await fetch(`${url}/api/v1/system/status`, { headers: { authorization: `Bearer ${token}` } })).status;
      expect(await status('from-the-file//not-a-comment')).toBe(200);
      expect(await status('from-the-file')).toBe(401);
      expect(String(line)).not.toContain('from-the-file');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  it('is not quoted when ovcli.conf is broken', async () => {
    const file = join(home, 'conf.json');
    writeFileSync(file, '{"api_key": "sk-broken-secret" "x"}');
    const result = await runToEnd(['--home', home, '--port', '0'], { OPENVIKING_CLI_CONFIG_FILE: file });
    expect(result.status).toBe(2);
    expect(result.stderr).toContain(file);
    expect(result.stderr).not.toContain('sk-broken');
  });
});

describe('one server per folder', () => {
  it('a second start finds the first, prints its address and succeeds', async () => {
    const first = await start();
    const second = await runToEnd(['--home', home, '--port', '0'], { OPENVIKING_LOCAL_TOKEN: TOKEN });
    expect(second.status).toBe(0);
    expect(second.stdout).toContain(first.url);
    expect((await first.call('GET', '/health')).status).toBe(200);
  });

  it('of many that start at once exactly one serves', async () => {
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [BUNDLE, '--port', '0', '--home', home], {
        env: { PATH: process.env['PATH'] ?? '', OPENVIKING_LOCAL_TOKEN: TOKEN },
      }),
    );
    try {
      const lines = await Promise.all(
        children.map(async (child) => String(((await once(child.stdout, 'data')) as [Buffer])[0])),
      );
      expect(lines.filter((line) => line.startsWith('Listening'))).toHaveLength(1);
      expect(new Set(lines.map((line) => /http:\S+\d/.exec(line)?.[0])).size).toBe(1);
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  });

  it('says so when another program has the port, and gives the folder free again', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const result = await runToEnd(['--home', home, '--port', port], { OPENVIKING_LOCAL_TOKEN: TOKEN });
    other.close();
    expect(result.status).toBe(1);
    expect(result.stderr).toContain(port);
    await start();
  });
});

describe('files', () => {
  it('belong to the user alone, and a clean stop leaves only the database', async () => {
    // Other users' rights on the folder are taken away even when it was there before.
    mkdirSync(join(home, '.openviking', 'local'), { recursive: true, mode: 0o755 });
    const server = await start();
    await server.call('POST', '/api/v1/sessions/s/messages', { role: 'user', content: 'hello' });
    expect(statSync(server.dataFolder).mode & 0o777).toBe(0o700);
    const modes = readdirSync(server.dataFolder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, statSync(join(server.dataFolder, entry.name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      'memory.db': 0o600,
      'memory.db-wal': 0o600,
      'server.json': 0o600,
      'server.lock': 0o600,
    });
    const record = JSON.parse(readFileSync(join(server.dataFolder, 'server.json'), 'utf8')) as Record<string, unknown>;
    expect(record).toMatchObject({ pid: server.process.pid, port: Number(new URL(server.url).port) });

    expect(await server.end('SIGTERM')).toBe(0);
    expect(readdirSync(server.dataFolder).filter((name) => !name.startsWith('memory.db'))).toEqual([]);
    expect(existsSync(join(server.dataFolder, 'memory.db.lock'))).toBe(false);
  });

  it('keep what was stored across a restart', async () => {
    const first = await start();
    await first.call('POST', '/api/v1/sessions/s/messages/batch', {
      messages: turn('t', 'The staging host is called bluebird.', 'Noted.'),
    });
    await first.call('POST', '/api/v1/sessions/s/commit', {});
    expect(await first.end('SIGINT')).toBe(0);
    const second = await start();
    const found = await second.call('POST', '/api/v1/search/find', { query: 'bluebird' });
    expect(found.body.result.memories).toHaveLength(1);
  });
});

describe('a killed server', () => {
  it('loses nothing it had acknowledged and starts again at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const server = await start();
      const before = Number(
        (await server.call('GET', '/api/v1/sessions/s?auto_create=true')).body.result.total_message_count,
      );
      expect(before % 60).toBe(0);
      const acknowledged: number[] = [];
      let sent = 0;
      let hasEnded = false;
      // Big batches and commits, one after another: most of the time a transaction is being written.
      const writing = (async (): Promise<void> => {
        for (;;) {
          sent += 1;
          const messages = Array.from({ length: 30 }, (_, index) =>
            turn(`${round}-${sent}-${index}`, `Fact ${round}-${sent}-${index}: ${'word '.repeat(200)}`, 'ok'),
          ).flat();
          const stored = await server.call('POST', '/api/v1/sessions/s/messages/batch', { messages });
          if (stored.status !== 200) return;
          acknowledged.push(stored.body.result.added);
          await server.call('POST', '/api/v1/sessions/s/commit', {});
        }
      })()
        .catch(() => undefined)
        .finally(() => (hasEnded = true));
      while (acknowledged.length < 3 && !hasEnded) await new Promise((done) => setTimeout(done, 5));
      expect(acknowledged.length).toBeGreaterThanOrEqual(3);
      await server.end('SIGKILL');
      await writing;
      expect(existsSync(join(server.dataFolder, 'memory.db.lock'))).toBe(true);

      const again = await start();
      const session = (await again.call('GET', '/api/v1/sessions/s')).body.result;
      const stored = acknowledged.reduce((total, count) => total + count, 0);
      // The batch under way may or may not have made it; half of it never has.
      expect([before + stored, before + stored + 60]).toContain(session.total_message_count);
      await again.call('POST', '/api/v1/sessions/s/commit', {});
      const listed = await again.call(
        'GET',
        '/api/v1/fs/ls?uri=viking://~/memories/events&recursive=true&node_limit=100000',
      );
      const files = (listed.body.result as { isDir: boolean }[]).filter((entry) => !entry.isDir);
      expect(files).toHaveLength(session.total_message_count / 2);
      expect(await again.end('SIGTERM')).toBe(0);
    }
    const database = new Database(join(home, '.openviking', 'local', 'memory.db'));
    try {
      expect(database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
      expect(() => database.run("INSERT INTO memory_words (memory_words) VALUES ('integrity-check')")).not.toThrow();
    } finally {
      database.close();
    }
  });

  it('in the middle of a transaction leaves half of it on disk, which the next start leaves out', async () => {
    const first = await start();
    await first.call('POST', '/api/v1/sessions/s/messages/batch', { messages: turn('t', 'kept', 'kept') });
    expect(await first.end('SIGTERM')).toBe(0);
    const file = join(first.dataFolder, 'memory.db');
    // The same engine, with a cache so small that the transaction has to write to disk before it is committed.
    const killed = spawn(process.execPath, [
      '-e',
      `const { Database } = require(${JSON.stringify(createRequire(import.meta.url).resolve('node-sqlite3-wasm'))});
       const database = new Database(${JSON.stringify(file)});
       for (const pragma of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'cache_size = 5']) database.all('PRAGMA ' + pragma);
       database.exec("BEGIN IMMEDIATE; UPDATE session SET total_messages = 999; UPDATE message SET body = '{}'");
       for (let index = 0; index < 2000; index += 1)
         database.run("INSERT INTO message (session_id, role, created_at, tokens, body) VALUES ('s', 'user', 0, 0, ?)", 'x'.repeat(500));
       process.kill(process.pid, 'SIGKILL');`,
    ]);
    await once(killed, 'close');
    expect(killed.signalCode).toBe('SIGKILL');
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(500_000);
    expect(existsSync(`${file}.lock`)).toBe(true);

    const second = await start();
    expect((await second.call('GET', '/api/v1/sessions/s')).body.result.total_message_count).toBe(2);
    const { messages } = (await second.call('GET', '/api/v1/sessions/s/context')).body.result;
    expect(messages.map((one: { parts: unknown[] }) => one.parts)).toEqual([
      [{ type: 'text', text: 'kept' }],
      [{ type: 'text', text: 'kept' }],
    ]);
  });
});
