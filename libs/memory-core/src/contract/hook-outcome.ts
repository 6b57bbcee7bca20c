/** How a hook ended, as its heartbeat tells it: who writes one and who puts it into words go by the same list. */
export type HookOutcome =
  | PlainOutcome
  /** The server could not be asked: what became of the request. */
  | `failed-${string}`
  /** Another integration of the same conversation keeps it: its id. */
  | `left-to-${string}`;

/** Those that name nothing. */
export type PlainOutcome =
  | 'ok'
  | 'captured'
  | 'nothing-new'
  | 'delivered'
  | 'left-for-later'
  | 'spool-full'
  | 'recalled-before'
  | 'circuit-open'
  | 'unauthorized'
  | 'deadline'
  | 'error'
  | 'disk-full'
  | 'not-noted'
  | 'no-payload'
  | 'not-for-us';
