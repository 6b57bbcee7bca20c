/** A scratch home for one test, removed whatever happens. */
import { createTemporaryHome } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';

export async function withHome<T>(work: (home: TemporaryHome) => Promise<T>, name?: string): Promise<T> {
  const home = createTemporaryHome(name);
  try {
    return await work(home);
  } finally {
    home.remove();
  }
}
