/**
 * A loopback port that a server finds free again when it comes back. Port 0 and every connection of the machine are given
 * one at random from the same range: a port that was closed a moment ago may be somebody else's when a test wants it again,
 * or when it counts on nobody being there.
 */
import type { Server } from 'node:net';
import { systemCode } from '../src/errors/error.ts';

/** Below the first port that systems give away by themselves: 32768 on Linux (man ip(7)), 49152 elsewhere (RFC 6335). */
const [FIRST, COUNT] = [20_000, 12_000];
/** So many in a row are not taken by chance. */
const ATTEMPTS = 100;

/**
 * Lets `server` listen, on `port` or on one that nobody is given by chance; returns which. Rejects with the system's error
 * when `port` is taken.
 */
export async function listenToStay(server: Server, port?: number, host = '127.0.0.1'): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const tried = port ?? FIRST + Math.floor(Math.random() * COUNT);
    try {
      await listen(server, tried, host);
      return tried;
    } catch (error) {
      if (port !== undefined || attempt === ATTEMPTS || systemCode(error) !== 'EADDRINUSE') throw error;
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen({ port, host, exclusive: true }, () => {
      server.off('error', failed);
      done();
    });
  });
}
