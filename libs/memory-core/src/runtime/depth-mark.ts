/**
 * A worker or digest of ours may start an agent, whose hooks would start us again, without end. Everything we start
 * carries this mark, and every hook that finds it leaves at once.
 */
export const DEPTH_MARK = 'OPENVIKING_HOOK_DEPTH';
const WORKER_MARK = 'OPENVIKING_WORKER';

export function startedByUs(env: Readonly<Record<string, string | undefined>>): boolean {
  return isSet(env[DEPTH_MARK]) || isSet(env[WORKER_MARK]);
}

/** The environment for a process that we start. */
export function marked(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return { ...env, [DEPTH_MARK]: String((Number(env[DEPTH_MARK]) || 0) + 1) };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
