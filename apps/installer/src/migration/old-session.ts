/** Which client a conversation of the old queue belongs to: its id on the server begins with the client's own letters. */
import type { HarnessDeclaration } from '@openviking/memory-core/full';

/** Of clients that this release does not have. Their conversations are delivered all the same. */
const LATER: Readonly<Record<string, string>> = { 'cx-': 'codex', 'oc-': 'opencode', 'pi-': 'pi', 'dsh-': 'dsh' };

export interface OldSession {
  /** Id of the client; `fallback` where the id tells nothing. */
  readonly harness: string;
  /** The client's own id of the conversation. */
  readonly nativeId: string;
}

/** Undefined for an id that cannot be a folder's name. Pure. */
export function oldSessionOf(
  session: string,
  clients: readonly Pick<HarnessDeclaration, 'id' | 'sessionPrefix'>[],
  fallback: string,
): OldSession | undefined {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(session)) return undefined;
  const prefixes = [...clients.map(({ id, sessionPrefix }) => [sessionPrefix, id] as const), ...Object.entries(LATER)];
  const [prefix, harness] = prefixes.find(([known]) => session.startsWith(known)) ?? ['', fallback];
  return { harness, nativeId: session.slice(prefix.length) };
}
