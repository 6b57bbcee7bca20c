/**
 * What a module costs a process that lives for one request: `node docs/decisions/measurements/start-up.mjs`.
 * Interleaved runs and medians, because a machine's speed drifts while it measures; read the ratios, not the times.
 */
import { fork, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

const RUNS = 41;
const ROOT = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'ov-start-up-'));
const at = (name) => join(folder, name);

writeFileSync(
  at('server.cjs'),
  `require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1', function () { process.send(this.address().port); });`,
);
const server = fork(at('server.cjs'));
const port = await new Promise((done) => server.once('message', done));

const post = `{ host: '127.0.0.1', port: ${port}, method: 'POST', agent: false }`;
const url = `'http://127.0.0.1:${port}'`;
const validate = (from) => `import * as z from '${from}'; z.object({ a: z.string() }).safeParse({ a: 'b' });`;
const programs = {
  'empty.cjs': '',
  'empty.mjs': '',
  'node-http.cjs': `require('node:http').request(${post}, (r) => r.resume()).end('{}');`,
  'fetch.cjs': `fetch(${url}, { method: 'POST', body: '{}' }).then((r) => r.text());`,
  'undici.cjs': bundled(
    `import { request } from 'undici';
     request(${url}, { method: 'POST', body: '{}' }).then((r) => r.body.text()).then(() => process.exit(0));`,
  ),
  'zod-mini.cjs': bundled(validate('zod/mini')),
  'zod.cjs': bundled(`import { z } from 'zod'; z.object({ a: z.string() }).safeParse({ a: 'b' });`),
};
for (const [name, text] of Object.entries(programs)) writeFileSync(at(name), text);

const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
for (let run = 0; run < RUNS; run += 1) {
  for (const name of Object.keys(programs)) {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, [at(name)], { stdio: 'ignore' });
    if (status !== 0) throw new Error(`${name} failed`);
    times[name].push(performance.now() - start);
  }
}
const median = (values) => values.sort((a, b) => a - b)[(RUNS - 1) / 2];
const base = median(times['empty.cjs']);
for (const [name, values] of Object.entries(times)) {
  const value = median(values);
  const size = (statSync(at(name)).size / 1024).toFixed(0);
  console.log(
    `${name.padEnd(14)} ${value.toFixed(1).padStart(6)} ms  ${(value / base).toFixed(2)} ×  ${size.padStart(4)} KB`,
  );
}
server.kill();
rmSync(folder, { recursive: true, force: true });

function bundled(contents) {
  const options = { bundle: true, platform: 'node', format: 'cjs', minify: true, write: false };
  return buildSync({ stdin: { contents, resolveDir: ROOT }, ...options }).outputFiles[0].text;
}
