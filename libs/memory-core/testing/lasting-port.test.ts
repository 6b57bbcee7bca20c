/** A server that comes back must find its port; one that wants a taken port must hear of it instead of waiting for ever. */
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listenToStay } from './lasting-port.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
});

function server(): Server {
  const made = createServer();
  servers.push(made);
  return made;
}

describe('listenToStay', () => {
  it('takes a port that the system gives to nobody by itself', async () => {
    const one = server();
    const port = await listenToStay(one);
    expect((one.address() as AddressInfo).port).toBe(port);
    expect(port).toBeGreaterThan(1_023);
    expect(port).toBeLessThan(32_768);
  });

  it('takes the same one again, and rejects while somebody else has it', async () => {
    const one = server();
    const port = await listenToStay(one);
    await expect(listenToStay(server(), port)).rejects.toThrow('EADDRINUSE');
    await new Promise((done) => one.close(done));
    expect(await listenToStay(server(), port)).toBe(port);
  });

  it('passes on what cannot be mended by another port', async () => {
    await expect(listenToStay(server(), undefined, '192.0.2.1')).rejects.toThrow('EADDRNOTAVAIL');
  });
});
