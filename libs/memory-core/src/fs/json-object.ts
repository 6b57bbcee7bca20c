/**
 * JSON that others wrote (hosts, servers, files of an earlier version) is an object or is nothing: said once, so that no
 * reader takes an array or `null` for one.
 */

/** True for a plain object, as JSON has them. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a JSON text holds; undefined for any other value and for what is no JSON. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
