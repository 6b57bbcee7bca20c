/** One file with other operations: plans put together what a form of the wiring leaves out or takes back. */
import type { ConfigFile, ConfigOperation } from '@openviking/memory-core/full';
import { blockOperations, treeOperations } from './handlers.ts';

/** Pure. Operations of another format have no place in the file and are left out. */
export function withOperations(file: ConfigFile, operations: readonly ConfigOperation[]): ConfigFile {
  return file.format === 'yaml'
    ? { ...file, operations: blockOperations(operations) }
    : { ...file, operations: treeOperations(operations) };
}
