// Measures the built server as a process of its own: node benchmark.mjs [memories, default 5000]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const memories = Number(process.argv[2] ?? 5_000);
const bundle = fileURLToPath(new URL('dist/main.mjs', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'ov-bench-'));
const agent = new Agent({ keepAlive: true });
const token = 'benchmark';

try {
  const starts = [];
  for (let run = 0; run < 10; run += 1) {
    const server = await start();
    starts.push(server.ms);
    await server.stop();
  }
  const server = await start();
  const idle = server.memoryMb();
  await fill(server, memories);
  const appends = await timed(200, (index) =>
    server.call('POST', `/sessions/append/messages/batch`, { messages: turn(`t${index}`, 1_000_000 + index) }),
  );
  const commits = await timed(100, async (index) => {
    await server.call('POST', '/sessions/commit/messages/batch', { messages: turn(`t${index}`, 2_000_000 + index) });
    const from = performance.now();
    await server.call('POST', '/sessions/commit/commit', {});
    return performance.now() - from;
  });
  const questions = [
    ['rare word', 'Which ticket was fact4321 about?'],
    ['usual words', 'What package manager do we use for the deployment of the service?'],
    ['Chinese', '我们项目用什么包管理器部署服务'],
    ['pasted log, 20 KB', `Why does this fail? ${sentence(7).repeat(200)}`],
  ];
  const table = [
    ['start until it says so (10 runs)', starts],
    ['append of one turn', appends],
    ['commit of one turn', commits],
  ];
  for (const [name, query] of questions)
    table.push([
      `search, ${name}`,
      await timed(100, () =>
        server.call('POST', '/search/search', { query, mode: 'context', score_threshold: 0.35, max_tokens: 1_600 }),
      ),
    ]);
  console.log(
    `${memories} memories, database ${Math.round(statSync(join(home, '.openviking/local/memory.db')).size / 1e6)} MB`,
  );
  for (const [name, times] of table)
    console.log(`${name.padEnd(36)} p50 ${percentile(times, 0.5)} ms   p95 ${percentile(times, 0.95)} ms`);
  console.log(`resident memory                      ${idle} MB after start, ${server.memoryMb()} MB now`);
  await server.stop();
} finally {
  agent.destroy();
  rmSync(home, { recursive: true, force: true });
}

async function start() {
  const from = performance.now();
  const child = spawn(process.execPath, [bundle, '--port', '0', '--home', home], {
    env: { PATH: process.env.PATH, OPENVIKING_LOCAL_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const ms = performance.now() - from;
  const port = Number(/:(\d+),/.exec(String(line))?.[1]);
  return {
    ms,
    memoryMb: () => {
      if (process.platform !== 'linux') return NaN;
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024);
    },
    call: (method, path, body) =>
      new Promise((done, fail) => {
        const sent = request(
          {
            port,
            host: '127.0.0.1',
            method,
            path: `/api/v1${path}`,
            agent,
            headers: { authorization: `Bearer ${token}` },
          },
          (response) => {
            let text = '';
            response.on('data', (data) => (text += data));
            response.on('end', () => {
              if (response.statusCode === 200) done(JSON.parse(text).result);
              else fail(new Error(`${response.statusCode} ${text}`));
            });
          },
        );
        sent.on('error', fail);
        sent.end(JSON.stringify(body));
      }),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

async function fill(server, count) {
  for (let at = 0; at < count; at += 50) {
    const messages = Array.from({ length: Math.min(50, count - at) }, (_, index) =>
      turn(`t${at + index}`, at + index),
    ).flat();
    await server.call('POST', `/sessions/fill-${at}/messages/batch`, { messages });
    await server.call('POST', `/sessions/fill-${at}/commit`, {});
  }
}

/** Runs `work` one after another; a number it returns counts instead of the whole time. */
async function timed(count, work) {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const from = performance.now();
    const own = await work(index);
    times.push(typeof own === 'number' ? own : performance.now() - from);
  }
  return times;
}

function percentile(times, part) {
  const sorted = [...times].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(1).padStart(7);
}

function turn(id, seed) {
  return [
    { role: 'user', turn_id: id, parts: [{ type: 'text', text: `About fact${seed}: ${sentence(seed)}` }] },
    { role: 'assistant', turn_id: id, parts: [{ type: 'text', text: `${sentence(seed + 1)} ${sentence(seed * 7)}` }] },
  ];
}

/** The same pseudo-random sentence for the same seed; frequent words are frequent, as in speech. */
function sentence(seed) {
  const words =
    'service deployment test project build package manager config database user login page error request cache queue ' +
    '部署 服务 项目 配置 数据库 测试 包管理器 登录页面';
  const list = words.split(' ');
  let state = (seed + 1) * 2_654_435_761;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return Array.from({ length: 15 }, () =>
    next() < 0.4 ? `term${Math.floor(next() ** 3 * 3_000)}` : list[Math.floor(next() ** 2 * list.length)],
  ).join(' ');
}
