/**
 * `--hooks-only` and `--mcp-only`: really only that, whatever else a client's declaration would like to put there. A skill
 * or command speaks of the tools and the memories together, so it comes with both or not at all.
 */
import type { ConfigFile, HarnessDeclaration } from '@openviking/memory-core/full';
import { isHandler } from '../wiring/handlers.ts';

type Wiring = ReturnType<HarnessDeclaration['wiring']>;

/** The part of a wiring that is wanted. Pure. */
export function limitedTo(wiring: Wiring, only: 'hooks' | 'mcp' | undefined): Wiring {
  if (only === undefined) return wiring;
  return {
    ...wiring,
    files: wiring.files.map((file) => limitedFile(file, only)),
    owned: wiring.owned.filter(({ kind }) => kind === 'plugin'),
  };
}

function limitedFile(file: ConfigFile, only: 'hooks' | 'mcp'): ConfigFile {
  const { operations } = file;
  const isForHooks = operations.some(isHandler);
  const kept =
    only === 'hooks'
      ? // A status line goes with neither, and only where it was asked for.
        operations.filter(({ kind, path }) => kind !== 'entry' || path[0] === 'statusLine')
      : operations.filter(
          // A switch or a version beside hooks is there for them.
          (operation) => operation.kind === 'entry' || (operation.kind === 'scalar' && !isForHooks),
        );
  return kept.length === 0 ? { ...file, create: 'if-present', operations: [] } : { ...file, operations: kept };
}
