/**
 * One small family of errors. Each has a stable code, says what happened and where, and what to do next, so that no
 * caller has to take a message apart and no user sees a stack trace for a mistake of their own.
 * The brand is a registered symbol: an error from one bundle is recognised in another, where `instanceof` fails.
 */
const BRAND = Symbol.for('openviking.error');

export interface OpenVikingErrorOptions {
  /** Stable, `area/what`. */
  readonly code: string;
  readonly message: string;
  /** What the reader should do now. */
  readonly next?: string;
  readonly cause?: unknown;
}

export class OpenVikingError extends Error {
  readonly code: string;
  readonly next: string | undefined;

  constructor(options: OpenVikingErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OpenVikingError';
    this.code = options.code;
    this.next = options.next;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for an error of this family, whichever copy of this module made it. */
  static is(value: unknown): value is OpenVikingError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/** The `code` of a Node.js system error (`ENOENT`, `ECONNREFUSED`), else undefined. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
