/** Bundle, scratch home, servers and proxies of one test file, and the certainty that all of them are gone after it. */
import { renameSync } from 'node:fs';
import { createTemporaryHome, homeEnvironment, type TemporaryHome } from '../temporary-home.ts';
import type { EntrySettings } from './proxy-entry.ts';
import { bundleProxy, ProxyProcess } from './proxy-process.ts';
import { startRawServer, type RawServer } from './raw-server.ts';
import { startSdkServer, type SdkServer, type SdkServerOptions } from './sdk-server.ts';

/** In ms. */
const PATIENT = { connectMs: 60_000, handshakeMs: 60_000 };

export class Workshop {
  readonly home: TemporaryHome = createTemporaryHome();
  private files = 0;
  private readonly steps: (() => unknown)[] = [];

  private constructor() {}

  static async open(): Promise<Workshop> {
    const workshop = new Workshop();
    await bundleProxy(workshop.home.path);
    return workshop;
  }

  /**
   * Writes settings for `proxy-entry.ts`; the path of the file. Unless they say otherwise the proxy has patience with the
   * server: what it does without one is a matter of the tests that are about it, not of how busy the machine is. A proxy
   * that runs reads the whole file, before or after.
   */
  settings({ timing, ...settings }: EntrySettings, name = `settings-${++this.files}.json`): string {
    const fresh = this.home.write(`${name}.new`, JSON.stringify({ ...settings, timing: { ...PATIENT, ...timing } }));
    const file = this.home.at(name);
    renameSync(fresh, file);
    return file;
  }

  /** Starts a proxy on settings, or on a file that `settings` wrote. */
  proxy(settings: EntrySettings | string, env: Record<string, string> = {}): ProxyProcess {
    const file = typeof settings === 'string' ? settings : this.settings(settings);
    const proxy = new ProxyProcess(this.home.path, file, homeEnvironment(this.home.path, env));
    this.after(() => proxy.end());
    return proxy;
  }

  async sdkServer(options: SdkServerOptions): Promise<SdkServer> {
    const server = await startSdkServer(options);
    this.after(() => server.stop());
    return server;
  }

  async rawServer(...args: Parameters<typeof startRawServer>): Promise<RawServer> {
    const server = await startRawServer(...args);
    this.after(() => server.stop());
    return server;
  }

  /** To be done at the end of the test, last registered first. */
  after(step: () => unknown): void {
    this.steps.push(step);
  }

  async endTest(): Promise<void> {
    for (const step of this.steps.splice(0).reverse()) await step();
  }

  close(): void {
    this.home.remove();
  }
}
