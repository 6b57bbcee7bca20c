/** Single handlers of ours in an event's list, found by what they are: for formats whose text has no one place for a list. */
import { isObject } from '@openviking/memory-core/full';
import type { ConfigFile, JsonValue } from '@openviking/memory-core/full';
import type { HandlerOperation } from './handlers.ts';

export interface HandlerPlace {
  /** Below the list: the position of the handler, or of its group, then `hooks`, then its position there. */
  readonly path: readonly (string | number)[];
  /** What goes with it: the group, where nobody else is in it. */
  readonly removal: readonly (string | number)[];
  readonly value: JsonValue;
  readonly owner: 'current' | 'earlier';
}

/** In the order of the list. See `ownedHandlers` for what counts as an earlier installer's. */
export function handlersIn(
  list: JsonValue | undefined,
  kind: HandlerOperation['kind'],
  owns: ConfigFile['owns'],
): readonly HandlerPlace[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).flatMap((element, position): readonly HandlerPlace[] => {
    if (kind === 'item' || !isObject(element)) {
      const owner = kind === 'item' && typeof element === 'string' ? owns(element) : undefined;
      return owner === undefined ? [] : [{ path: [position], removal: [position], value: element, owner }];
    }
    const hooks = element['hooks'];
    if (Array.isArray(hooks) && hooks.length > 0) {
      return (hooks as readonly JsonValue[]).flatMap((value, index) => {
        const owner = owns(value);
        if (owner === undefined) return [];
        const path = [position, 'hooks', index];
        const isAlone = hooks.length === 1;
        return [{ path, removal: isAlone ? [position] : path, value, owner: kind === 'handler' ? owner : 'earlier' }];
      });
    }
    const owner = owns(element);
    if (owner === undefined) return [];
    return [
      {
        path: [position],
        removal: [position],
        value: element,
        owner: kind === 'flat-handler' ? owner : 'earlier',
      },
    ];
  });
}
