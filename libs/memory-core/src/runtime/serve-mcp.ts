/** The MCP server of a harness: settings, identity and log of its client around the proxy. */
import { join } from 'node:path';
import type { Harness } from '../contract/harness.ts';
import type { ResolvedSettings } from '../contract/settings.ts';
import { appendLine } from '../fs/append-line.ts';
import { heartbeatPath, homePaths, type HomePaths } from '../fs/home-paths.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { writeNote } from '../fs/write-note.ts';
import { createLog } from '../log/log.ts';
import { explicitPeer } from '../mcp/explicit-peer.ts';
import { loadSettings } from '../settings/load.ts';
import { credentialFingerprint } from '../settings/watch-key.ts';
import { startedByUs } from './depth-mark.ts';
import { startLocalServer } from './local-server.ts';
import { installerCommand } from './installer-command.ts';
import { fileWithoutHooks } from './lost-hooks.ts';
import { loadProxy } from './neighbour.ts';
import { connect } from './connect.ts';
import { userAgent } from './connect-through.ts';
import { runMcpProxy } from './run-mcp-proxy.ts';
import { homeFolder } from './home-folder.ts';

/** How long a client waits for the local server to come up, in ms. */
const LOCAL_SERVER_WAIT_MS = 5_000;

/** Name of the sign of life that the server leaves at each start, beside those of the hooks. */
const ENTRY = 'mcp-proxy';

/** Serves the client on stdin and stdout until it leaves. Ends the process. */
export function serveMcp(harness: Harness): void {
  const home = homeFolder();
  const { env } = process;
  const { id, settingDefaults: defaults } = harness.declaration;
  const context = { harness: id, defaults, home, cwd: process.cwd(), env };
  const resolve = (): ResolvedSettings => loadSettings(context);
  const { settings } = resolve();
  const agent = userAgent(harness.declaration.id, harness.version);
  const paths = homePaths(home);
  const log = createLog(paths, id, settings);
  // Whoever examines the installation is not the client: nothing is noted, and nothing told twice.
  const isExamined = startedByUs(env);
  if (!isExamined) beat(paths, harness);
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
    notice: () => (isExamined ? undefined : noticeOnHooks(paths, harness)),
  }).catch((error: unknown) => {
    appendLine(join(paths.logs, `${harness.declaration.id}.log`), `${new Date().toISOString()} ${String(error)}`);
    process.exit(1);
  });
}

/** That the client has started us at all tells doctor whether silent hooks were ever given a chance. */
function beat(paths: HomePaths, { declaration, version }: Harness): void {
  const note = { at: new Date().toISOString(), event: ENTRY, version };
  keepIfPossible(() => writeNote(heartbeatPath(paths, declaration.id, ENTRY), JSON.stringify(note)));
}

/** What the model is to tell its user when the client has dropped our hooks. */
function noticeOnHooks(paths: HomePaths, { declaration }: Harness): string | undefined {
  const file = fileWithoutHooks(paths, declaration.id);
  if (file === undefined) return undefined;
  return `OpenViking's hooks are no longer in ${file}: nothing is recalled or captured by itself. Tell the user once, and that \`${installerCommand(paths, declaration.id)} --harness ${declaration.id}\` puts them back.`;
}
