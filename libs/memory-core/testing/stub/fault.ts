/**
 * The ways in which a server misbehaves. Each is one that a client has met or will meet; naming them makes a test say
 * which failure it survives.
 */

/** What happens to a request that a fault applies to. */
export type Fault =
  /** Handled as usual, `ms` later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Handled as usual once the promise is resolved: the test decides when, however slow the machine is. */
  | { readonly kind: 'held'; readonly until: Promise<unknown> }
  /** Accepted, read, never answered. */
  | { readonly kind: 'silence' }
  /** Handled, then answered byte by byte with `ms` between. */
  | { readonly kind: 'slow-bytes'; readonly ms: number }
  /** Not handled; answered with this status. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Default: a failure envelope. */
      readonly body?: string;
    }
  /** Not handled; the connection is reset. */
  | { readonly kind: 'drop' }
  /** Handled (the data is stored), then the connection is reset before the answer: the client cannot know. */
  | { readonly kind: 'store-then-drop' }
  /** Handled, then never answered: whoever waits can be killed at the worst moment. */
  | { readonly kind: 'store-then-silence' }
  /** Handled, then answered with this status, as a gateway does that gave up waiting. */
  | { readonly kind: 'store-then-status'; readonly status: number }
  /** The first `messages` of a batch are stored, then it fails with 500; anything that is no batch fails unhandled. */
  | { readonly kind: 'store-part'; readonly messages: number }
  /** Handled, then the connection is reset in the middle of the answer. */
  | { readonly kind: 'truncate' }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: 301 | 302 | 307 | 308 }
  /** 200 and a body of this many bytes that never forms a JSON value. */
  | { readonly kind: 'huge-body'; readonly bytes: number }
  /** 200 and something that is not JSON, or claims to be gzip and is not. */
  | { readonly kind: 'garbage'; readonly gzip?: boolean }
  /** 200 whose envelope says `error`. */
  | { readonly kind: 'error-in-ok'; readonly code?: string };

/** Which requests a fault applies to. */
export interface FaultRule {
  readonly method?: string;
  /** Tested against the path without query; absent: every path. */
  readonly path?: RegExp;
  readonly fault: Fault;
  /** How many matching requests pass untouched first; 0 by default. */
  readonly skip?: number;
  /** How many requests it then applies to; unlimited by default. */
  readonly times?: number;
}
