/** The connection that the user has now: what a wish is compared with, and what must not be lost to it. */
import { readImage } from '../files/image.ts';
import { ovcliPath } from '../machine/machine.ts';
import { readConnection } from './ovcli-conf.ts';
import type { Machine } from '../machine/machine.ts';

/** Address and key as `ovcli.conf` has them now. */
export function storedConnection(machine: Machine) {
  const path = ovcliPath(machine);
  return readConnection(confText(path), path);
}

/** The file's text; undefined when there is none. */
export function confText(path: string): string | undefined {
  const image = readImage(path);
  return image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8');
}
