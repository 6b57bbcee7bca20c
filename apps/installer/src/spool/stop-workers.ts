/**
 * Ends the delivery workers of a home. One that is in the middle of a request when its spool is removed would write its
 * notes again, into a home that is to be left without a trace; killing it loses nothing, as nothing is to be kept.
 */
import { allSessions, Conversation, livingOwner } from '@openviking/memory-core/full';

/** How long a worker may take to end, in ms, before it is killed. */
const END_MS = 2_000;

/** Ends every process that holds a conversation's lock in one of the spools, and waits until it is gone. */
export async function stopWorkers(spools: readonly string[]): Promise<void> {
  let signal: NodeJS.Signals = 'SIGTERM';
  const until = performance.now() + END_MS;
  for (let owners = owningProcesses(spools); owners.length > 0; owners = owningProcesses(spools)) {
    for (const pid of owners) {
      try {
        process.kill(pid, signal);
      } catch {
        // Gone between the look and the signal.
      }
    }
    if (performance.now() > until) {
      if (signal === 'SIGKILL') return;
      signal = 'SIGKILL';
    }
    await new Promise((done) => setTimeout(done, 30));
  }
}

function owningProcesses(spools: readonly string[]): number[] {
  const owners = spools.flatMap((spool) =>
    allSessions(spool).map((session) => livingOwner(new Conversation(spool, session).lockFile)),
  );
  return [...new Set(owners.filter((pid) => pid !== undefined))];
}
