/**
 * What in an entry of the earlier shell installer is the user's: a server that was switched off, tools that were allowed, an
 * environment. The entry itself is replaced; without this, an upgrade would switch the server on again and ask about every
 * tool anew.
 */
import { isObject } from '@openviking/memory-core/full';
import type { JsonObject, JsonValue } from '@openviking/memory-core/full';

/** How a server or a marketplace is reached: that was the earlier installer's to say, and is ours now. */
const CONNECTION_KEYS = new Set(['command', 'args', 'type', 'transport', 'url', 'headers', 'cwd', 'source']);
/** What that installer put into the environment. */
const OWN_VARIABLE = /^OPENVIKING_(INTEGRATION_\w+|HOOK_SOURCE)$/;

/** The members of an earlier entry that ours gets as well; empty for most. Pure. */
export function userSettingsOf(earlier: JsonValue): JsonObject {
  if (!isObject(earlier)) return {};
  const kept = Object.entries(earlier as JsonObject).flatMap(([key, value]): [string, JsonValue][] => {
    if (CONNECTION_KEYS.has(key)) return [];
    if (key !== 'env' || !isObject(value)) return [[key, value]];
    const variables = Object.entries(value as JsonObject).filter(([name]) => !OWN_VARIABLE.test(name));
    return variables.length === 0 ? [] : [[key, Object.fromEntries(variables)]];
  });
  return Object.fromEntries(kept);
}

/** Ours with the user's: what both have stays ours, and an environment is joined. Pure. */
export function withUserSettings(ours: JsonObject, users: JsonObject): JsonObject {
  const joined = Object.entries(users).map(([key, value]): [string, JsonValue] => {
    const own = ours[key];
    if (own === undefined) return [key, value];
    return [key, isObject(own) && isObject(value) ? ({ ...value, ...own } as JsonObject) : own];
  });
  return { ...ours, ...Object.fromEntries(joined) };
}
