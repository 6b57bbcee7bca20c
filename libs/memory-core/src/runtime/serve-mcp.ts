/** The MCP server of a harness: settings, identity and log of its client around the proxy. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Harness } from '../contract/harness.ts';
import type { ResolvedSettings } from '../contract/settings.ts';
import { appendLine } from '../fs/append-line.ts';
import { homePaths } from '../fs/home-paths.ts';
import { createLog } from '../log/log.ts';
import { explicitPeer } from '../mcp/explicit-peer.ts';
import { loadSettings } from '../settings/load.ts';
import { credentialFingerprint } from '../settings/watch-key.ts';
import { startLocalServer } from './local-server.ts';
import { loadProxy } from './neighbour.ts';
import { connect, userAgent } from './connect.ts';
import { runMcpProxy } from './run-mcp-proxy.ts';

/** How long a client waits for the local server to come up, in ms. */
const LOCAL_SERVER_WAIT_MS = 5_000;

/** Serves the client on stdin and stdout until it leaves. Ends the process. */
export function serveMcp(harness: Harness): void {
  const home = homedir();
  const { env } = process;
  const context = { harness: harness.declaration.id, home, cwd: process.cwd(), env };
  const resolve = (): ResolvedSettings => loadSettings(context);
  const { settings } = resolve();
  const agent = userAgent(harness.declaration.id, harness.version);
  const paths = homePaths(home);
  const log = createLog(paths, settings);
  void runMcpProxy({
    env,
    connection: () => resolve().connection,
    credentialFingerprint: () => credentialFingerprint(context),
    userAgent: agent,
    peer: () => explicitPeer(resolve()),
    log: (level, text) => (level === 'error' ? log.error(text) : log.info(text)),
    startLocalServer: async () => {
      const client = connect(resolve(), agent, env, loadProxy);
      return (await startLocalServer({ client, paths }, { home }, LOCAL_SERVER_WAIT_MS)) === 'answers';
    },
    loadProxyDispatch: loadProxy,
  }).catch((error: unknown) => {
    appendLine(join(paths.logs, `${harness.declaration.id}.log`), `${new Date().toISOString()} ${String(error)}`);
    process.exit(1);
  });
}
