/** Session ids come from hosts and become part of an address. */
import { Failure } from './failure.ts';

/** `id` when it can be part of an address; throws INVALID_ARGUMENT. */
export function requireSessionId(id: string): string {
  if (id === '' || id.length > 500 || /[/\\\p{Cc}]/u.test(id) || id === '.' || id === '..')
    throw new Failure(
      'INVALID_ARGUMENT',
      'A session id is 1 to 500 characters without "/", "\\" and control characters.',
    );
  return id;
}
