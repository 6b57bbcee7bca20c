/**
 * Captures what no hook saw: a client that was killed, a turn whose end has no event, a conversation that was never ended.
 * Without it these would stay in the client's own record and never become memory.
 */
import { join } from 'node:path';
import { captureTurns } from '../../capture/capture-turns.ts';
import { commitAll } from '../../capture/commit-all.ts';
import { hasUnseen } from '../../capture/unseen.ts';
import type { Settings } from '../../contract/settings.ts';
import { claimedAgo } from '../../fs/claim.ts';
import { isBypassed } from '../../privacy/bypass.ts';
import { allSessions } from '../../spool/conversation-folder.ts';
import { Conversation } from '../../spool/conversation.ts';
import { isElsewhere, withoutSettings } from '../../spool/environment-mark.ts';
import { firstSeen } from '../../spool/first-seen.ts';
import { dropPrompt, pendingPrompts } from '../../spool/journal.ts';
import { isSpoolFull } from '../../spool/measure-spool.ts';
import { isLeftOut, isSwitchedOff } from '../open-session.ts';
import { captureSettings } from './capture-settings.ts';
import type { Worker } from './worker.ts';

/** A prompt without an end is given up after this time, in ms: no agent's turn lasts longer. */
const ABANDONED_MS = 12 * 60 * 60_000;
/** A commit that the server refused is asked for once more after this time, in ms, where no other is set. */
const REFUSED_COMMIT_MS = 60 * 60_000;

/**
 * Turns whose end no hook saw, and conversations whose end none saw: of this client only, for only it can read its
 * transcripts.
 */
export async function captureMissed(worker: Worker, mode: 'deliver' | 'sweep'): Promise<void> {
  const { first } = worker;
  if (isSpoolFull(worker.paths.spool, worker.spoolMaxBytes)) return;
  const sessions = mode === 'sweep' ? allSessions(worker.paths.spool) : first === undefined ? [] : [first];
  for (const session of sessions) {
    try {
      await catchUp(worker, new Conversation(worker.paths.spool, session), mode);
    } catch (error) {
      worker.log.error(`catching up ${session}`, error);
    }
  }
}

async function catchUp(worker: Worker, conversation: Conversation, mode: 'deliver' | 'sweep'): Promise<void> {
  const prompts = pendingPrompts(conversation);
  const known = prompts.at(-1) ?? firstSeen(conversation);
  if (known === undefined || known.harness !== worker.harness.declaration.id) return;
  const { harness, home, env } = worker;
  // Its settings may lie in files that only its own environment names.
  if (isElsewhere(known, worker.environment)) return;
  const { nativeId, subagentId, transcriptPath, cwd, peer, environment } = known;
  const source = {
    nativeId,
    ...(subagentId === undefined ? {} : { subagentId }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
  };
  const isOver = mode === 'sweep' && prompts.length === 0 && mayBeOver(worker, conversation);
  const hasMore = prompts.length > 0 || (mode === 'sweep' && hasUnseen(harness, source, conversation, { home, env }));
  if (!isOver && !hasMore) return;
  const { settings, rules } = captureSettings(worker, cwd);
  const place = { session: conversation.session, nativeId, cwd, home };
  const isOff = (by: Settings): boolean =>
    !by.autoCapture || isSwitchedOff(by, place, () => isBypassed) || isLeftOut(subagentId, by);
  if (isOff(settings)) {
    // A variable of the shell that started this worker switches nothing off in the conversations of others.
    const isOwn = conversation.session === worker.first;
    if (!isOwn && !isOff(captureSettings(worker, cwd, withoutSettings(env)).settings)) return;
    // Switched off since: what was noted before is not kept either.
    for (const prompt of prompts) dropPrompt(conversation, prompt);
    return;
  }
  const common = { harness, conversation, source };
  if (hasMore) {
    const abandonedBefore = new Date(Date.now() - ABANDONED_MS).toISOString();
    await captureTurns({
      ...common,
      origin: () => ({ peer, environment }),
      settings,
      rules,
      home,
      cwd,
      env,
      abandonedBefore,
      now: Date.now(),
    });
  }
  // What the server refused had been asked for: whoever wants no commit of idle conversations wants this one all the same.
  const isRefused = conversation.deliveredCursor().cursor.open?.refused !== undefined;
  const idleMs = settings.commitIdleTimeoutSeconds * 1000 || (isRefused ? REFUSED_COMMIT_MS : 0);
  if (isOver && idleMs > 0 && claimedAgo(join(conversation.folder, 'cursor.json')) >= idleMs) await commitAll(common);
}

/**
 * The client was killed, or its end has no event that reaches us, or the server refused to commit: what was captured would
 * never become memory.
 */
function mayBeOver({ harness }: Worker, conversation: Conversation): boolean {
  const { open } = conversation.deliveredCursor().cursor;
  const isOwed = open?.refused !== undefined || (open !== undefined && harness.declaration.commitAt === 'session-end');
  return isOwed && !conversation.hasRecords();
}
