/**
 * What one question to a server costs a process that has read its stdin, as a hook has: with Node's HTTP client, and
 * straight on a socket, both as the core does it.
 *
 *   node docs/decisions/measurements/socket-request.mjs
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { interleaved } from './interleaved.mjs';

const HTTP = resolve(import.meta.dirname, '../../../libs/memory-core/src/http');
const folder = mkdtempSync(join(tmpdir(), 'ov-socket-request-'));
const program = join(folder, 'server.cjs');
writeFileSync(
  program,
  `require('node:http').createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end('{}'), 1));
  }).listen(0, '127.0.0.1', function () { process.send(this.address().port); });`,
);
const server = fork(program);
const port = await new Promise((done) => server.once('message', done));

const asking = (/** @type {string} */ name, /** @type {string} */ file) => `
  import { ${name} } from '${join(HTTP, file)}';
  process.stdin.once('data', async () => {
    const url = 'http://127.0.0.1:${port}/api/v1/search/search';
    const { kind } = await ${name}({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: 5000 });
    process.exit(kind === 'response' ? 0 : 1);
  });`;
try {
  await interleaved({
    'reads stdin': `process.stdin.once('data', () => process.exit(0));`,
    'and asks with node:http': asking('requestOnce', 'request.ts'),
    'and asks on a socket': asking('requestOnSocket', 'socket-request.ts'),
  });
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}
