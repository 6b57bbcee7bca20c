/**
 * The process that tests start: the real runtime on a JSON file in place of the settings. `argv[2]` names the file, which
 * is read again whenever it changes.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Connection } from '../../src/contract/settings.ts';
import { OpenVikingError } from '../../src/errors/error.ts';
import { runMcpProxy } from '../../src/runtime/run-mcp-proxy.ts';
import type { Timing } from '../../src/mcp/timing.ts';
import type { ProxyDispatch } from '../../src/mcp/transport.ts';

export interface EntrySettings {
  readonly mcpUrl: string;
  readonly apiKey?: string;
  readonly caFile?: string;
  readonly extraHeaders?: Record<string, string>;
  readonly peer?: string;
  readonly notice?: string;
  readonly timing?: Partial<Timing>;
  /** Resolving the connection fails with this message. */
  readonly broken?: string;
  /** On SIGUSR2 a library prints, and something fails where nobody catches it. */
  readonly misbehave?: 'print' | 'throw' | 'reject';
}

const file = process.argv[2] ?? '';
const read = (): EntrySettings => JSON.parse(readFileSync(file, 'utf8')) as EntrySettings;
const start = read();

function connection(): Connection {
  const settings = read();
  if (settings.broken !== undefined) {
    throw new OpenVikingError({ code: 'settings/broken', message: settings.broken, next: 'Correct the file.' });
  }
  return {
    baseUrl: settings.mcpUrl.replace(/\/mcp$/, ''),
    mcpUrl: settings.mcpUrl,
    authMode: 'api_key',
    extraHeaders: settings.extraHeaders ?? {},
    source: { url: 'the test file', apiKey: 'the test file' },
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
    ...(settings.caFile === undefined ? {} : { caFile: settings.caFile }),
  };
}

if (start.misbehave !== undefined) {
  process.once('SIGUSR2', () => {
    console.log('a library prints');
    console.table(['and prints']);
    if (start.misbehave === 'throw') throw new Error('nobody catches this');
    if (start.misbehave === 'reject') void Promise.reject(new Error('nobody awaits this'));
  });
}

void runMcpProxy({
  connection,
  credentialFingerprint: () => readFileSync(file, 'utf8'),
  userAgent: 'openviking-memory-test/0.0.1',
  log: (level, text) => process.stderr.write(`[${level}] ${text}\n`),
  peer: () => read().peer,
  notice: () => read().notice,
  loadProxyDispatch: () => createRequire(__filename)('./proxy.cjs') as ProxyDispatch,
  ...(start.timing === undefined ? {} : { timing: start.timing }),
});
