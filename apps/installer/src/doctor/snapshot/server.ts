/** Asks each server that the clients talk to: once per place and credentials, the way that hooks ask. */
import { connect, credentialMark, isObject } from '@openviking/memory-core/full';
import type { ResolvedSettings } from '@openviking/memory-core/full';
import { checkServer } from '../../connection/server-check.ts';
import { displayUrl } from '../../connection/server-url.ts';
import type { ServerState } from '../../connection/server-check.ts';
import type { Machine } from '../../machine/machine.ts';

export interface ServerSnapshot {
  /** Fit to be shown. */
  readonly url: string;
  readonly clients: readonly string[];
  readonly state: ServerState;
  /** Of the answer to a question that needs no key, in ms. */
  readonly answeredInMs?: number;
  readonly version?: string;
  /** The proxy on the way to it, without credentials. */
  readonly proxy?: string;
  readonly source: { readonly url: string; readonly apiKey: string };
}

/** How long a server may take for an answer, in ms. */
const CHECK_MS = 3_000;

/** `settings` by client. Never throws. */
export async function readServers(
  machine: Machine,
  settings: ReadonlyMap<string, ResolvedSettings>,
): Promise<readonly ServerSnapshot[]> {
  const groups = new Map<string, { resolved: ResolvedSettings; clients: string[] }>();
  for (const [client, resolved] of settings) {
    const mark = credentialMark(resolved.connection);
    const group = groups.get(mark) ?? { resolved, clients: [] };
    group.clients.push(client);
    groups.set(mark, group);
  }
  return Promise.all([...groups.values()].map((group) => readServer(machine, group)));
}

async function readServer(
  machine: Machine,
  { resolved, clients }: { readonly resolved: ResolvedSettings; readonly clients: readonly string[] },
): Promise<ServerSnapshot> {
  const { baseUrl, source } = resolved.connection;
  const url = displayUrl(baseUrl);
  const start = performance.now();
  const agent = `openviking-memory-installer/${machine.version}`;
  const health = await connect(resolved, agent, machine.env, machine.loadProxy).call({
    method: 'GET',
    path: '/health',
    timeoutMs: CHECK_MS,
    signal: machine.signal,
  });
  const answeredInMs = performance.now() - start;
  const state: ServerState =
    !health.ok && health.failure.status === 0
      ? { kind: 'unreachable', code: health.failure.code }
      : await checkServer(machine, resolved, CHECK_MS);
  const version = health.ok && isObject(health.value) ? health.value['version'] : undefined;
  return {
    url,
    clients,
    state,
    source,
    ...proxyOn(baseUrl, machine),
    ...(health.ok ? { answeredInMs } : {}),
    // Foreign text that is shown: a version looks like one.
    ...(typeof version === 'string' && /^[\w.+-]{1,40}$/.test(version) ? { version } : {}),
  };
}

/** Asked only where a proxy is named: the module that knows is slow to load. */
function proxyOn(url: string, { env, loadProxy }: Machine): { readonly proxy?: string } {
  if (!Object.entries(env).some(([name, value]) => /^(https?|all)_proxy$/i.test(name) && value?.trim())) return {};
  try {
    const proxy = loadProxy().proxyFor(url, env);
    if (proxy === undefined) return {};
    return { proxy: URL.canParse(proxy) ? new URL(proxy).host : '?' };
  } catch {
    return {};
  }
}
