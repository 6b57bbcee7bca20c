/**
 * A loopback port that a server finds free again when it comes back. Port 0 and every connection of the machine are given
 * one at random from the same range: a port that was closed a moment ago may be somebody else's when a test wants it again,
 * or when it counts on nobody being there.
 *
 * Tests of other processes take theirs here, too. So whoever uses this file has some ports to itself, for as long as its
 * process lives, and none of these is ever taken by another.
 */
import { createServer, type Server } from 'node:net';
import { systemCode } from '../src/errors/error.ts';

/** Below the first port that systems give away by themselves: 32768 on Linux (man ip(7)), 49152 elsewhere (RFC 6335). */
const [FIRST, SHARES] = [20_000, 600];
/** Ports of one share. Its first is listened on for as long as the share is somebody's, and serves nothing else. */
const SHARE = 20;
/** So many in a row are not taken by chance. */
const ATTEMPTS = 100;

let share: Promise<number> | undefined;
let given = 0;

/**
 * Lets `server` listen, on `port` or on one that nobody else is given; returns which. Rejects with the system's error when
 * `port` is taken.
 */
export async function listenToStay(server: Server, port?: number, host = '127.0.0.1'): Promise<number> {
  if (port !== undefined) return listen(server, port, host);
  for (let attempt = 1; ; attempt += 1) {
    // All of one's own in use: there are more.
    if (attempt % SHARE === 0) share = undefined;
    const first = await (share ??= takeShare());
    const tried = first + 1 + (given++ % (SHARE - 1));
    try {
      return await listen(server, tried, host);
    } catch (error) {
      if (attempt === ATTEMPTS || systemCode(error) !== 'EADDRINUSE') throw error;
    }
  }
}

/** Its first port. */
async function takeShare(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const first = FIRST + SHARE * Math.floor(Math.random() * SHARES);
    const keeper = createServer();
    // It keeps no process from ending.
    keeper.unref();
    try {
      return await listen(keeper, first, '127.0.0.1');
    } catch (error) {
      if (attempt === ATTEMPTS || systemCode(error) !== 'EADDRINUSE') throw error;
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((done, failed) => {
    const listening = (): void => {
      server.off('error', taken);
      done(port);
    };
    const taken = (error: Error): void => {
      server.off('listening', listening);
      failed(error);
    };
    server.once('error', taken);
    server.once('listening', listening);
    server.listen({ port, host, exclusive: true });
  });
}
