/**
 * What the MCP proxy costs: the same call made directly and through the proxy, in pairs, against a server in a process of
 * its own. Prints the paired difference, the delay of the first streamed event, and the proxy's resident memory, each
 * with its budget.
 *
 *   node e2e/bench/mcp-proxy.mjs [--runs 400] [--gate]     (--gate: exit 1 when a budget is missed)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '400' }, gate: { type: 'boolean' } } });
const runs = Number(values.runs);
const WARM_UP = 50;

/** A server with the least work of its own: one JSON tool, one tool that streams a progress event before its answer. */
const STUB = `
import http from 'node:http';
const server = http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    if (text === '') return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) return response.writeHead(202).end();
    if (params?.name === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":' + id + '}}\\n\\n');
      return setTimeout(() => response.end('data: {"jsonrpc":"2.0","id":' + id + ',"result":{}}\\n\\n'), 5);
    }
    if (params?.name === 'big') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end('{"jsonrpc":"2.0","id":' + id + ',"result":"' + 'x'.repeat(20 * 1024 * 1024) + '"}');
    }
    const result = method === 'initialize'
      ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'stub', version: '1' } }
      : { content: [{ type: 'text', text: 'x'.repeat(2000) }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

const folder = mkdtempSync(join(tmpdir(), 'ov-bench-mcp-'));
const children = [];
try {
  const core = join(import.meta.dirname, '..', '..', 'libs', 'memory-core');
  await build({
    entryPoints: [join(core, 'testing', 'mcp', 'proxy-entry.ts')],
    outfile: join(folder, 'proxy.cjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
  writeFileSync(join(folder, 'stub.mjs'), STUB);
  const stub = spawn(process.execPath, [join(folder, 'stub.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(stub);
  const port = Number(String((await once(stub.stdout, 'data'))[0]));
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ mcpUrl: `http://127.0.0.1:${port}/mcp`, apiKey: 'k' }));
  const started = performance.now();
  const proxy = spawn(process.execPath, [join(folder, 'proxy.cjs'), join(folder, 'settings.json')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  children.push(proxy);

  const waiting = new Map();
  createInterface({ input: proxy.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    const key = message.id ?? `progress ${message.params.progressToken}`;
    waiting.get(key)?.();
    waiting.delete(key);
  });
  const arrival = (key) => new Promise((resolve) => waiting.set(key, resolve));
  const say = (message) => proxy.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const opened = arrival(0);
  say({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } });
  await opened;
  const startup = performance.now() - started;
  say({ method: 'notifications/initialized' });

  const agent = new http.Agent({ keepAlive: true });
  const call = (id, name) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
  /** Times a direct call: until the first bytes of the body, or until its end. */
  const direct = (id, name, first) =>
    new Promise((resolve, reject) => {
      const body = call(id, name);
      const begin = performance.now();
      const request = http.request({
        host: '127.0.0.1',
        port,
        path: '/mcp',
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: 'application/json, text/event-stream',
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        let firstAt;
        response.setEncoding('utf8').on('data', (chunk) => {
          firstAt ??= performance.now();
          text += chunk;
        });
        response.on('end', () => {
          if (!first) JSON.parse(text);
          resolve((first ? firstAt : performance.now()) - begin);
        });
      });
      request.end(body);
    });
  const through = async (id, name, first) => {
    const answered = arrival(id);
    const progressed = first ? arrival(`progress ${id}`) : undefined;
    const begin = performance.now();
    proxy.stdin.write(`${call(id, name)}\n`);
    await (progressed ?? answered);
    const took = performance.now() - begin;
    await answered;
    return took;
  };

  let id = 1;
  const differences = async (name, first, count) => {
    const found = [];
    for (let run = -WARM_UP; run < count; run++) {
      // The order alternates, so that neither side always meets the warmer cache.
      const pair = {};
      for (const side of run % 2 === 0 ? ['direct', 'through'] : ['through', 'direct']) {
        pair[side] = await (side === 'direct' ? direct(id++, name, first) : through(id++, name, first));
      }
      if (run >= 0) found.push(pair);
    }
    return found;
  };
  const quantile = (list, part) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * part)];
  const memory = (field) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${proxy.pid}/status`, 'utf8'))[1]) /
    1024;

  const calls = await differences('find', false, runs);
  const streams = await differences('stream', true, Math.ceil(runs / 2));
  const resident = process.platform === 'linux' ? memory('VmHWM') : Number.NaN;
  for (let count = 0; count < 3; count++) await through(id++, 'big', false);
  const residentBig = process.platform === 'linux' ? memory('VmHWM') : Number.NaN;

  const rows = [];
  const row = (what, value, unit, budget) =>
    rows.push({ what, value, unit, budget, ok: budget === undefined || !(value > budget) });
  const difference = (list) => list.map((pair) => pair.through - pair.direct);
  row('start until initialize is answered', startup, 'ms');
  row(
    'direct call, p50',
    quantile(
      calls.map((pair) => pair.direct),
      0.5,
    ),
    'ms',
  );
  row('paired difference, p50', quantile(difference(calls), 0.5), 'ms', 1);
  row('paired difference, p95', quantile(difference(calls), 0.95), 'ms');
  row(
    'first SSE event, direct, p50',
    quantile(
      streams.map((pair) => pair.direct),
      0.5,
    ),
    'ms',
  );
  row('first SSE event, paired difference, p50', quantile(difference(streams), 0.5), 'ms', 2);
  row('peak resident memory', resident, 'MB', 110);
  row('the same after three results of 20 MB', residentBig, 'MB', 110);
  for (const { what, value, unit, budget, ok } of rows) {
    const limit = budget === undefined ? '' : `  budget ${budget} ${unit}  ${ok ? 'ok' : 'MISSED'}`;
    console.log(`${what.padEnd(42)} ${value.toFixed(2).padStart(8)} ${unit}${limit}`);
  }
  agent.destroy();
  if (values.gate && rows.some(({ ok }) => !ok)) process.exitCode = 1;
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
