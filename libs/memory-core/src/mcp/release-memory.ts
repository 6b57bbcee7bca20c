/**
 * Gives the memory of large messages back. V8 frees buffers outside its heap only once some 64 MB of them have gathered,
 * which alone would double this process; after enough bytes have passed, the collection is asked for instead.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Small messages come and go without anybody noticing. */
const LARGE = 256 * 1024;
/** Bytes of large messages between two collections, each of which takes some milliseconds. */
const INTERVAL = 12 * 1024 * 1024;

export class MemoryRelease {
  private passed = 0;
  private collect: (() => void) | undefined;

  /** To be told of every message that is done with. */
  messageDone(size: number): void {
    if (size < LARGE) return;
    this.passed += size;
    if (this.passed < INTERVAL) return;
    this.passed = 0;
    // Later, when the streams and promises that led the message here have let go of it.
    setImmediate(() => {
      this.collect ??= exposedCollector();
      this.collect();
    });
  }
}

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? (collect as () => void) : () => undefined;
}
