/** The type of what `seldom.cjs` exports, so that naming it loads nothing of it. */
import type * as SeldomBundle from './seldom.ts';

export type SeldomModule = typeof SeldomBundle;
