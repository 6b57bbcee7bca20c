/** Reading our own small state files: a missing or torn one is the same as none. */
import { existsSync } from 'node:fs';
import { parseObject } from './json-object.ts';
import { readOwn } from './read-own.ts';

/** The parsed object at `path`, or undefined when it is missing or not a JSON object. */
export function readJsonObject(path: string): Record<string, unknown> | undefined {
  // Mostly there is none: to ask costs less than an error that is thrown and caught.
  if (!existsSync(path)) return undefined;
  try {
    return parseObject(readOwn(path));
  } catch {
    return undefined;
  }
}
