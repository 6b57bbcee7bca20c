/** Knows when a run of the program has come to a certain file, so that a test can act at that very moment. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitUntil } from '@openviking/memory-core/testing';

const PRELOADED = pathToFileURL(join(import.meta.dirname, 'tells-when.mjs')).href;

export interface Telling {
  /** For the environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the program has looked at the file, since the call before this one. */
  readonly told: () => Promise<void>;
  remove(): void;
}

/** `ending`: how the path of the file ends. */
export function tellsOf(ending: string): Telling {
  const folder = mkdtempSync(join(tmpdir(), 'openviking-tells-'));
  const mark = join(folder, 'mark');
  return {
    env: { NODE_OPTIONS: `--import=${PRELOADED}`, TELLS_OF: ending, TELLS_IN: mark },
    told: async () => {
      await waitUntil(`a look at ${ending}`, () => existsSync(mark));
      rmSync(mark);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
