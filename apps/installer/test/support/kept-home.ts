/** A home as it was at one moment, to go on from there more than once. */
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';

export interface KeptHome {
  /** Puts it back; throws when it is not the same to the byte, for then nothing that follows would mean anything. */
  restore(): void;
  remove(): void;
}

export function keepHome(home: TemporaryHome): KeptHome {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-kept-')));
  const kept = snapshotTree(home.path);
  copy(home.path, folder);
  return {
    restore() {
      for (const name of readdirSync(home.path)) rmSync(join(home.path, name), { recursive: true });
      copy(folder, home.path);
      const differences = diffTrees(kept, snapshotTree(home.path)).map(describeDifference);
      if (differences.length > 0) throw new Error(`The home was not restored: ${differences.join(', ')}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function copy(from: string, to: string): void {
  for (const name of readdirSync(from))
    cpSync(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}
