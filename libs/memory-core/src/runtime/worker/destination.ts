/**
 * Where turns go. A user may keep the memories of two clients in two accounts, and a shell may name a server of its own: a turn
 * must reach the server it was meant for, whichever worker finds it.
 */
import type { ResolvedSettings } from '../../contract/settings.ts';
import { serverStatePath } from '../../fs/home-paths.ts';
import { keepIfPossible } from '../../fs/keep-if-possible.ts';
import { readJsonObject } from '../../fs/read-json.ts';
import { writeFileAtomic } from '../../fs/write-atomic.ts';
import type { ApiClient } from '../../http/api.ts';
import { loggedClient } from '../../http/logged-client.ts';
import { loadSettings } from '../../settings/load.ts';
import type { DeliverInput } from '../../spool/deliver-input.ts';
import { readServerDelivery, writeServerDelivery } from '../../spool/delivery-state.ts';
import { withoutDestination } from '../../spool/environment-mark.ts';
import type { SpoolRecord } from '../../spool/record.ts';
import { userAgent } from '../connect-through.ts';
import { connect } from '../connect.ts';
import { loadProxy } from '../neighbour.ts';
import type { Worker } from './worker.ts';

/** Where the turns of one harness go that were said in one environment. */
export interface Destination {
  readonly resolved: ResolvedSettings;
  readonly client: ApiClient;
  readonly deliveryPath: string;
}

/** Where a record goes: by the settings of its client, in the environment in which its turn was said. */
export function destinationOf(
  worker: Worker,
  { harness, environment }: Pick<SpoolRecord, 'harness' | 'environment'>,
  mode: 'deliver' | 'sweep',
): Destination {
  const isOurs = (environment ?? '') === worker.environment;
  const name = `${harness} ${isOurs ? 'here' : environment}`;
  const known = worker.destinations.get(name);
  if (known !== undefined) return known;
  const { declaration, version } = worker.harness;
  // What another client's defaults are, only that client's own worker knows.
  const defaults = harness === declaration.id ? declaration.settingDefaults : undefined;
  const load = (env: Worker['env']): ResolvedSettings =>
    loadSettings({ harness, defaults, home: worker.home, cwd: worker.home, env });
  let resolved = load(isOurs ? worker.env : withoutDestination(worker.env));
  // A record of an older program does not tell. Where the files name no server, it can only have been meant for this one.
  if (environment === undefined && resolved.connection.source.url === 'default') resolved = load(worker.env);
  const plain = connect(resolved, userAgent(declaration.id, version), worker.env, loadProxy);
  const client = loggedClient(plain, worker.log);
  const destination = { resolved, client, deliveryPath: serverStatePath(worker.paths, 'delivery', client.baseUrl) };
  if (mode === 'sweep') endPause(destination);
  worker.destinations.set(name, destination);
  return destination;
}

/** For how long a server is taken for one without the batch route, in ms: it may be updated. */
const CAPABILITY_MS = 6 * 60 * 60_000;

/** What is known of the server's batch route, and how to note that it has none. */
export function singleMessageCapability(worker: Worker, destination: Destination): DeliverInput['capability'] {
  const path = serverStatePath(worker.paths, 'capability', destination.client.baseUrl);
  const until = readJsonObject(path)?.['singleMessagesUntil'];
  const now = Date.now();
  return {
    singleMessages: typeof until === 'number' && until > now && until - now <= CAPABILITY_MS,
    noteSingleMessages: () =>
      writeFileAtomic(path, JSON.stringify({ ...readJsonObject(path), singleMessagesUntil: now + CAPABILITY_MS })),
  };
}

/** A new conversation is a good moment to try a server again that did not answer; refused credentials stay refused. */
function endPause({ deliveryPath }: Destination): void {
  const state = readServerDelivery(deliveryPath);
  if (state.failures > 0)
    keepIfPossible(() => writeServerDelivery(deliveryPath, { ...state, failures: 0, nextAttemptAt: 0 }));
}
