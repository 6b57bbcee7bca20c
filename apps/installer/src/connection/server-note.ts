/** What a server's answer, or its silence, means for the user and what to do about it. */
import type { Note } from '../plan/client-plan.ts';
import type { ServerState } from './server-check.ts';

export interface AskedServer {
  /** Fit to be shown. */
  readonly url: string;
  readonly state: ServerState;
  /** Of the embedded server, when that is the one that was asked. */
  readonly launcher?: string;
  /** Where hooks find the address, fit to be shown. */
  readonly ovcli: string;
}

/** What the user should know about the server; undefined when it is fine. */
export function noteOnServer({ url, state, launcher, ovcli }: AskedServer): Note | undefined {
  switch (state.kind) {
    case 'ready':
      return undefined;
    case 'unreachable':
      return {
        code: 'server/unreachable',
        isWarning: true,
        say: (t) => t.serverUnreachable(url, state.code, launcher, ovcli),
      };
    case 'rejected':
      return {
        code: 'server/rejected',
        isWarning: true,
        say: (t) => t.serverRejected(url, state.status, launcher !== undefined),
      };
    case 'unhealthy':
      return { code: 'server/unhealthy', isWarning: true, say: (t) => t.serverUnhealthy(url, state.status) };
  }
}
