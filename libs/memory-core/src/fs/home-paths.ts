/** Where things lie under `~/.openviking`: said once, for hooks, worker, installer and doctor alike. */
import { shortHash } from '../session/short-hash.ts';
import { absolute, inside } from './path.ts';

/** Folder of V8's code caches, below `state`. */
export const CODE_CACHE = 'code-cache';

export interface HomePaths {
  readonly root: string;
  readonly spool: string;
  readonly state: string;
  readonly logs: string;
}

export function homePaths(home: string, spoolDir?: string): HomePaths {
  const root = inside(absolute(home), '.openviking');
  return { root, spool: spoolDir ?? inside(root, 'spool'), state: inside(root, 'state'), logs: inside(root, 'logs') };
}

/** State that belongs to one server: circuit, capabilities, back-off. */
export function serverStatePath(
  paths: HomePaths,
  what: 'circuit' | 'capability' | 'delivery',
  baseUrl: string,
): string {
  return inside(paths.state, `${what}-${shortHash(baseUrl, 12)}.json`);
}

export function heartbeatPath(paths: HomePaths, harness: string, entry: string): string {
  return inside(paths.state, 'heartbeat', `${harness}-${entry}.json`);
}

/** Per conversation, droppable at any time: blocks already recalled, the time of the last start. */
export function sessionStateFolder(paths: HomePaths, session: string): string {
  return inside(paths.state, 'sessions', session);
}
