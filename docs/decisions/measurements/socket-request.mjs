/**
 * What one question to a server costs a process that has read its stdin, as a hook has: with Node's HTTP client, and
 * straight on a socket, both as the core does it.
 *
 *   node docs/decisions/measurements/socket-request.mjs
 */
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const RUNS = 41;
const HTTP = resolve(import.meta.dirname, '../../../libs/memory-core/src/http');
const folder = mkdtempSync(join(tmpdir(), 'ov-socket-request-'));
const at = (/** @type {string} */ name) => join(folder, name);

writeFileSync(
  at('server.cjs'),
  `require('node:http').createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end('{}'), 1));
  }).listen(0, '127.0.0.1', function () { process.send(this.address().port); });`,
);
const server = fork(at('server.cjs'));
const port = await new Promise((done) => server.once('message', done));

const asking = (/** @type {string} */ name, /** @type {string} */ file) => `
  import { ${name} } from '${join(HTTP, file)}';
  process.stdin.once('data', async () => {
    const url = 'http://127.0.0.1:${port}/api/v1/search/search';
    const { kind } = await ${name}({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: 5000 });
    process.exit(kind === 'response' ? 0 : 1);
  });`;
const programs = {
  'reads stdin': `process.stdin.once('data', () => process.exit(0));`,
  'and asks with node:http': asking('requestOnce', 'request.ts'),
  'and asks on a socket': asking('requestOnSocket', 'socket-request.ts'),
};
for (const [name, contents] of Object.entries(programs)) {
  const stdin = { contents, resolveDir: import.meta.dirname };
  await build({ stdin, outfile: at(`${name}.cjs`), bundle: true, minify: true, platform: 'node', format: 'cjs' });
}

/** @type {Record<string, number[]>} */
const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
for (let run = 0; run < RUNS; run += 1) {
  for (const name of Object.keys(programs)) {
    const started = performance.now();
    const child = spawn(process.execPath, [at(`${name}.cjs`)], { stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.end('{}\n');
    const status = await new Promise((done) => child.once('close', done));
    if (status !== 0) throw new Error(`"${name}" failed`);
    times[name]?.push(performance.now() - started);
  }
}
server.kill();
rmSync(folder, { recursive: true });
for (const [name, taken] of Object.entries(times)) {
  taken.sort((a, b) => a - b);
  console.log(`${name.padEnd(24)} ${(taken[(RUNS - 1) / 2] ?? 0).toFixed(1)} ms`);
}
