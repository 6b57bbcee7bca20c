/**
 * The connection as the settings have it now. A key that the user corrects works at the next call, without restarting
 * the client; a call costs no reading of settings as long as their files stay as they are.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from '../contract/settings.ts';

/** Where to send, and in whose name. */
export interface Target {
  readonly connection: Connection;
  readonly peer: string | undefined;
}

export class ConnectionSource {
  private known: { readonly target: Target; readonly fingerprint: string } | undefined;

  constructor(
    private readonly resolve: () => Target,
    private readonly fingerprint: () => string,
    private readonly onChange: (connection: Connection) => void,
  ) {}

  /** Throws what resolving the settings throws. */
  current(): Target {
    const fingerprint = this.fingerprint();
    if (this.known?.fingerprint === fingerprint) return this.known.target;
    return this.load(fingerprint);
  }

  /** Resolves the settings whether or not their files look changed; true when the target differs from `used`. */
  reload(used: Target): boolean {
    return !isDeepStrictEqual(this.load(this.fingerprint()), used);
  }

  /** A value that changes whenever the files of the settings do. */
  mark(): string {
    return this.fingerprint();
  }

  private load(fingerprint: string): Target {
    const target = this.resolve();
    const changed = this.known !== undefined && !isDeepStrictEqual(this.known.target, target);
    this.known = { target, fingerprint };
    if (changed) this.onChange(target.connection);
    return target;
  }
}
