/** `--source dev`: the plugin as this checkout has built it. */
import { resolve } from 'node:path';
import type { Machine } from '../machine/machine.ts';

/** Names another folder with a built marketplace. */
export const CHECKOUT_VARIABLE = 'OPENVIKING_DIST_DEV_DIR';

/** Absolute. The program lies in `apps/installer/dist` of the checkout, its payloads below it. */
export function checkoutFolder(client: string, { env, payloadRoot, cwd, home }: Machine): string {
  const named = env[CHECKOUT_VARIABLE]?.trim();
  if (named !== undefined && named !== '') return resolve(cwd ?? home, named);
  return resolve(payloadRoot, '../../../..', 'libs', `harness-${client}`, 'dist/plugin');
}
