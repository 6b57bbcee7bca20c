/** Something doctor or the installer has to tell. Codes are stable: scripts and documentation name them. */
export type Severity = 'ok' | 'info' | 'warn' | 'error';

export interface Finding {
  /** `area/what`, for example `<client>/hooks-disabled` or `settings/unknown-key`. */
  readonly code: string;
  readonly severity: Severity;
  readonly client?: string;
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  readonly column?: number;
  /** What is the case, and why it matters. */
  readonly message: string;
  /** What to do next. */
  readonly fix?: string;
}
