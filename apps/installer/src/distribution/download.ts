/**
 * Fetches one file whole, or nothing: over TLS, within a time and a size, and from nobody but the host that was asked and
 * those that its distribution names. What is cut short is never taken for the file.
 */
import { requestOnce, selectTransport, throughProxy } from '@openviking/memory-core/full';
import { interrupted } from '../cli/interruption.ts';
import { Refusal } from '../cli/refusal.ts';
import { mayAnswer } from './addresses.ts';
import { isLoopback } from './loopback.ts';
import type { Machine } from '../machine/machine.ts';
import type { Distribution } from './plugin-source.ts';

export interface DownloadLimits {
  readonly maxBytes: number;
  /** For the whole of it, in ms. */
  readonly timeoutMs: number;
}

/** How many redirections are followed. */
const MOST_HOPS = 5;

type DownloadMachine = Pick<Machine, 'env' | 'loadProxy' | 'signal' | 'version'>;

/** The bytes. Throws a refusal with the reason; nothing was written. */
export async function download(
  address: string,
  dist: Distribution,
  { maxBytes, timeoutMs }: DownloadLimits,
  machine: DownloadMachine,
): Promise<Buffer> {
  const { env, loadProxy, signal, version } = machine;
  const until = performance.now() + timeoutMs;
  let url = address;
  for (let hop = 0; hop <= MOST_HOPS; hop += 1) {
    const transport = isLoopback(new URL(url).hostname)
      ? requestOnce
      : selectTransport(url, env, { loadProxy, loadSeldom: () => ({ throughProxy }) }, requestOnce);
    const outcome = await transport({
      method: 'GET',
      url,
      headers: { accept: '*/*', 'user-agent': `openviking-memory-installer/${version}` },
      timeoutMs: Math.max(1, until - performance.now()),
      maxBytes,
      encoding: 'latin1',
      signal,
    });
    if (signal.aborted) throw interrupted();
    if (outcome.kind === 'failure') {
      const { code, message } = outcome;
      throw failed(address, code === 'TOO_LARGE' || code === 'TIMEOUT' ? message : `${code}: ${message}`);
    }
    const { status, headers, body } = outcome;
    if (status === 200) return complete(address, Buffer.from(body, 'latin1'), headers['content-length']);
    const location = headers['location'];
    if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string')
      throw failed(address, `HTTP ${status}`);
    url = nextHop(url, location, address, dist, env);
  }
  throw failed(address, `more than ${MOST_HOPS} redirections`);
}

/** A connection that ends early may look like the end of the file. */
function complete(address: string, bytes: Buffer, length: string | string[] | undefined): Buffer {
  if (typeof length === 'string' && Number(length) !== bytes.length) {
    throw failed(address, `${bytes.length} of ${length} bytes`);
  }
  return bytes;
}

function nextHop(url: string, location: string, address: string, dist: Distribution, env: Machine['env']): string {
  const from = new URL(url);
  const to = URL.canParse(location, url) ? new URL(location, url) : undefined;
  const isSafe = to?.protocol === 'https:' || (to?.protocol === 'http:' && isLoopback(to.hostname));
  // Not from TLS to something that anybody could answer.
  if (to === undefined || !isSafe || (from.protocol === 'https:' && to.protocol !== 'https:')) {
    throw failed(address, 'it leads to an address that is not safe');
  }
  if (to.host === from.host || mayAnswer(to.host, dist, env)) return to.href;
  const { host } = to;
  throw new Refusal({
    code: 'dist/other-host',
    say: (t) => t.downloadElsewhere(address, host),
    next: (t) => t.downloadElsewhereNext(host),
  });
}

function failed(url: string, reason: string): Refusal {
  return new Refusal({
    code: 'dist/download',
    say: (t) => t.downloadFailed(url, reason),
    next: (t) => t.downloadFailedNext,
  });
}
