/**
 * The connection as the settings have it now. A key that the user corrects works at the next call, without restarting
 * the client; a call costs no reading of settings as long as their files stay as they are.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from '../contract/settings.ts';

export class ConnectionSource {
  private known: { readonly connection: Connection; readonly fingerprint: string } | undefined;

  constructor(
    private readonly resolve: () => Connection,
    private readonly fingerprint: () => string,
    private readonly onChange: (connection: Connection) => void,
  ) {}

  /** Throws what resolving the settings throws. */
  current(): Connection {
    const fingerprint = this.fingerprint();
    if (this.known?.fingerprint === fingerprint) return this.known.connection;
    return this.load(fingerprint);
  }

  /** Resolves the settings whether or not their files look changed; true when the connection differs from `used`. */
  reload(used: Connection): boolean {
    return !isDeepStrictEqual(this.load(this.fingerprint()), used);
  }

  /** A value that changes whenever the files of the settings do. */
  mark(): string {
    return this.fingerprint();
  }

  private load(fingerprint: string): Connection {
    const connection = this.resolve();
    const changed = this.known !== undefined && !isDeepStrictEqual(this.known.connection, connection);
    this.known = { connection, fingerprint };
    if (changed) this.onChange(connection);
    return connection;
  }
}
