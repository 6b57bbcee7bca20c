/** A server that comes back must find its port; one that wants a taken port must hear of it instead of waiting for ever. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { build } from 'esbuild';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listenToStay } from './lasting-port.ts';
import { createTemporaryHome } from './temporary-home.ts';

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

  it('gives no port to two processes, also while nobody listens on it', async () => {
    const home = createTemporaryHome();
    try {
      // So many that two who draw from all ports would meet.
      const program = `import { createServer } from 'node:net';
        import { listenToStay } from './lasting-port.ts';
        const ports = [];
        for (let count = 0; count < 300; count += 1) {
          const server = createServer();
          ports.push(await listenToStay(server));
          await new Promise((done) => server.close(done));
        }
        console.log(JSON.stringify(ports));
        process.stdin.resume();`;
      const outfile = home.at('program.mjs');
      const stdin = { contents: program, resolveDir: import.meta.dirname };
      await build({ bundle: true, platform: 'node', format: 'esm', outfile, stdin });
      const draw = async () => {
        const child = spawn(process.execPath, [outfile], { stdio: ['pipe', 'pipe', 'inherit'] });
        const [drawn] = (await once(child.stdout, 'data')) as [Buffer];
        return { child, ports: JSON.parse(String(drawn)) as number[] };
      };
      // Both live until both have drawn.
      const both = await Promise.all([draw(), draw()]);
      for (const { child } of both) child.stdin.end();
      const [one = new Set(), other = new Set()] = both.map(({ ports }) => new Set(ports));
      expect([one.size > 1, other.size > 1]).toEqual([true, true]);
      expect([...one].filter((port) => other.has(port))).toEqual([]);
    } finally {
      home.remove();
    }
  });

  it('finds another port where all of its own are in use', async () => {
    const ports = [];
    for (let count = 0; count < 50; count += 1) ports.push(await listenToStay(server()));
    expect(new Set(ports).size).toBe(50);
  });
});
