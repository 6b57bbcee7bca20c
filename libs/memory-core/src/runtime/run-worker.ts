/**
 * The delivery worker: a process of its own that outlives the hook which started it. It captures what the hooks missed,
 * delivers what lies in the spool – of any client, any conversation – and is gone within a minute or so.
 */
import { existsSync } from 'node:fs';
import type { Harness } from '../contract/harness.ts';
import { homePaths } from '../fs/home-paths.ts';
import { logUncaught } from '../log/log-uncaught.ts';
import { createLog, type Log } from '../log/log.ts';
import { loadSettings } from '../settings/load.ts';
import { environmentMark } from '../spool/environment-mark.ts';
import { expireOld } from '../spool/expire.ts';
import { keepMeasured } from '../spool/measure-spool.ts';
import { paced } from '../spool/pace.ts';
import { homeFolder } from './home-folder.ts';
import { captureMissed } from './worker/capture-missed.ts';
import { closeOwnFiles } from './worker/close-own-files.ts';
import { deliverAll } from './worker/deliver-rounds.ts';
import { forgetInterrupted, forgetOldState } from './worker/forget-leftovers.ts';
import type { Worker } from './worker/worker.ts';

/** How long a worker stays to try again, in ms. */
const LIFE_MS = 60_000;

/**
 * `deliver <session>`: this conversation first, then whatever is marked. `sweep <session>`: every conversation, the
 * back-off forgotten. Ends the process.
 */
export function runWorker(harness: Harness, args: readonly string[]): void {
  let log: Log | undefined;
  const failed = (error: unknown): never => {
    logUncaught('worker', error, log, homePaths(homeFolder()), harness.declaration.id);
    process.exit(1);
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  const mode = args[0] === 'sweep' ? 'sweep' : 'deliver';
  void work(harness, mode, args[1], (chosen) => (log = chosen)).then(() => process.exit(0));
}

async function work(
  harness: Harness,
  mode: 'deliver' | 'sweep',
  first: string | undefined,
  useLog: (log: Log) => void,
): Promise<void> {
  const home = homeFolder();
  const { env } = process;
  const { id, settingDefaults: defaults } = harness.declaration;
  const { settings } = loadSettings({ harness: id, defaults, home, cwd: home, env });
  const paths = homePaths(home, settings.spoolDir);
  const worker: Worker = {
    harness,
    home,
    env,
    paths,
    first,
    log: createLog(paths, id, settings),
    until: performance.now() + paced(LIFE_MS),
    spoolMaxBytes: settings.spoolMaxBytes,
    environment: environmentMark(env),
    destinations: new Map(),
  };
  useLog(worker.log);
  closeOwnFiles(worker, mode);
  await captureMissed(worker, mode);
  const hasDelivered = await deliverAll(worker, mode);
  // Uninstalled meanwhile: nothing of ours may come back into this home.
  if (existsSync(paths.spool)) keepMeasured(paths.spool, hasDelivered);
  if (mode === 'sweep') {
    const { spoolMaxAgeDays: maxAgeDays } = settings;
    expireOld({ spool: paths.spool, maxAgeDays, log: worker.log, now: Date.now() });
    forgetOldState(worker);
    forgetInterrupted(worker);
  }
}
