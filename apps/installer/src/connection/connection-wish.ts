/**
 * What the user wants the connection to become, from options, variables and standard input. A mistake in it is told before
 * anything is read or written.
 */
import { Refusal } from '../cli/refusal.ts';
import { ovcliPath } from '../machine/machine.ts';
import { readApiKey } from './api-key.ts';
import { readAside } from './ovcli-conf.ts';
import { checkServerUrl } from './server-url.ts';
import { confText } from './stored-connection.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { CommandContext } from '../commands/outcome.ts';
import type { Machine } from '../machine/machine.ts';
import type { ConnectionWish } from './ovcli-conf.ts';

/** What the connection shall become. Everything a user can get wrong here is refused before anything is read or written. */
export async function readWish({ machine, terminal }: CommandContext, invocation: Invocation): Promise<ConnectionWish> {
  const key = await readApiKey(invocation, machine.env, machine.stdin, machine.signal);
  if (key !== undefined && key !== '') terminal.keepSecret(key);
  if (invocation.local && (invocation.url !== undefined || key !== undefined)) {
    throw new Refusal({ code: 'cli/local-and-url', exitCode: 2, say: (t) => t.localAndUrl, next: (t) => t.seeHelp });
  }
  const previous = invocation.previous ? previousPair(machine, invocation, key) : undefined;
  if (previous?.apiKey !== undefined) terminal.keepSecret(previous.apiKey);
  return {
    ...(invocation.url === undefined ? {} : { url: checkServerUrl(invocation.url) }),
    ...(key === undefined ? {} : { apiKey: key }),
    ...previous,
    ...(invocation.account === undefined ? {} : { account: checkIdentity(invocation.account) }),
    ...(invocation.user === undefined ? {} : { user: checkIdentity(invocation.user) }),
  };
}

/** The address and key that were put aside last. Throws a usage refusal when there are none. */
function previousPair(machine: Machine, { url, local }: Invocation, key: string | undefined): ConnectionWish {
  if (local || url !== undefined || key !== undefined) {
    throw new Refusal({
      code: 'cli/previous-and-url',
      exitCode: 2,
      say: (t) => t.previousAlone,
      next: (t) => t.seeHelp,
    });
  }
  const path = ovcliPath(machine);
  const pair = readAside(confText(path), path);
  if (pair?.url !== undefined && pair.apiKey !== undefined) return { url: pair.url, apiKey: pair.apiKey };
  throw new Refusal({
    code: 'connection/no-previous',
    exitCode: 2,
    say: (t) => t.previousMissing(path),
    next: (t) => t.previousMissingNext,
  });
}

/** Goes into a header: no control characters, nothing that a header cannot carry. */
function checkIdentity(typed: string): string {
  const text = typed.trim();
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  throw new Refusal({
    code: 'cli/identity',
    exitCode: 2,
    say: (t) => t.identityCharacters,
    next: (t) => t.identityNext,
  });
}
