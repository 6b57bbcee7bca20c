/**
 * How fast waiting goes by. The fault tests need thousands of failures and the pauses after them; they bundle the product
 * with pauses that are a fraction as long, so that it is the real code that waits, and nothing in the product can be told to
 * hurry by its environment.
 */

/** Set by the bundler: 1 in the product, less in the build that the fault tests run. */
declare const TIME_SCALE: number;

const SCALE = typeof TIME_SCALE === 'number' ? TIME_SCALE : 1;

/** A pause or time limit of delivery, in ms, as this build takes it. */
export function paced(ms: number): number {
  return ms * SCALE;
}
