/** How the API says no: one envelope for everything but invalid bodies, which have the shape FastAPI gives them. */
import type { z } from 'zod';

export type FailureCode =
  | 'INVALID_ARGUMENT'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'METHOD_NOT_ALLOWED'
  | 'INTERNAL';

const STATUS: Readonly<Record<FailureCode, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  INTERNAL: 500,
};

/** Thrown by a handler; becomes the failure envelope with the status of its code. */
export class Failure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.name = 'Failure';
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** One item of a 422 answer. */
export interface ValidationDetail {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Thrown for a body or query that does not have the documented shape; becomes 422 `{"detail":[…]}`. */
export class ValidationFailure extends Error {
  readonly detail: readonly ValidationDetail[];

  constructor(detail: readonly ValidationDetail[]) {
    super('The request does not have the documented shape.');
    this.name = 'ValidationFailure';
    this.detail = detail;
  }
}

/** What `schema` makes of `value`; throws ValidationFailure. `where` is the first element of each location. */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: 'body' | 'query',
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ValidationFailure(result.error.issues.flatMap((issue) => detailsOf(issue, where)));
}

function detailsOf(issue: z.core.$ZodIssue, where: string): ValidationDetail[] {
  const location = [where, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      // FastAPI's own type and words: clients tell an old server from a new one by them.
      type: 'extra_forbidden',
      loc: [...location, key],
      msg: 'Extra inputs are not permitted',
    }));
  return [{ type: issue.code, loc: location, msg: issue.message }];
}

export function envelope(result: unknown): { status: 'ok'; result: unknown } {
  return { status: 'ok', result };
}

export function failureEnvelope(
  code: FailureCode,
  message: string,
): { status: 'error'; error: { code: FailureCode; message: string } } {
  return { status: 'error', error: { code, message } };
}
