/** Reading our own small state files: a missing or torn one is the same as none. */
import { readFileSync } from 'node:fs';

/** The parsed object at `path`, or undefined when it is missing or not a JSON object. */
export function readJsonObject(path: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
