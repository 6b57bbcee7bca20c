/**
 * What a hook needs in few conversations of few users, or once in each: old servers, an embedded server that is down,
 * a private certificate authority, folders to leave alone, a turn whose prompt nobody noted, memory that is switched
 * off, trouble to tell, the end of a conversation, turns that wait. A bundle of its own, loaded where the case occurs: every other
 * hook would start later for it.
 */
export { commitAll } from '../capture/commit-all.ts';
export { authorities } from '../http/authorities.ts';
export { throughProxy } from '../http/proxied-transport.ts';
export { isBypassed } from '../privacy/bypass.ts';
export { legacyRecall } from '../recall/legacy-recall.ts';
export { startLocalServer } from './local-server.ts';
export { beganUnseen, passOver } from './pass-over.ts';
export { noteAnsweredTurn } from './note-answered-turn.ts';
export { noticeOf } from './notice.ts';
export { writeCodeCache } from './write-code-cache.ts';
export { isSpoolFull } from '../spool/measure-spool.ts';
export { hasWorkHere } from '../spool/waiting.ts';
export { originOf } from './origin-of.ts';
export { loggedClient } from '../http/logged-client.ts';
