/** Reading our own small state files: a missing or torn one is the same as none. */
import { existsSync, readFileSync } from 'node:fs';
import { parseObject } from './json-object.ts';

/** The parsed object at `path`, or undefined when it is missing or not a JSON object. */
export function readJsonObject(path: string): Record<string, unknown> | undefined {
  // Mostly there is none: to ask costs less than an error that is thrown and caught.
  if (!existsSync(path)) return undefined;
  try {
    return parseObject(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
