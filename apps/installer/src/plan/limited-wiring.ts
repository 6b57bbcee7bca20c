/**
 * `--hooks-only` and `--mcp-only`: really only that, whatever a client's declaration would like to put there. A skill or
 * command speaks of the tools and the memories together, so it comes with both or not at all.
 */
import type { ConfigFile, ConfigOperation, HarnessDeclaration, WiringContext } from '@openviking/memory-core/full';
import { isHandler } from '../wiring/handlers.ts';
import { withOperations } from '../wiring/with-operations.ts';

type Wiring = ReturnType<HarnessDeclaration['wiring']>;

/** The part of a client's wiring that is wanted. A declaration that makes a difference by itself knows better. Pure. */
export function limitedWiring(client: HarnessDeclaration, context: WiringContext): Wiring {
  const { only, ...rest } = context;
  const wiring = client.wiring(context);
  if (only === undefined || contentOf(wiring) !== contentOf(client.wiring(rest))) return wiring;
  return {
    ...wiring,
    files: wiring.files.map((file) => limitedFile(file, only)),
    owned: wiring.owned.filter(({ kind }) => kind === 'plugin'),
  };
}

function limitedFile(file: ConfigFile, only: 'hooks' | 'mcp'): ConfigFile {
  const isForHooks = file.operations.some(isHandler);
  const kept = file.operations.filter(({ kind }: ConfigOperation) => {
    // A switch or a version beside hooks is there for them.
    if (kind === 'scalar') return isForHooks === (only === 'hooks');
    return (kind === 'entry') === (only === 'mcp');
  });
  return kept.length === 0 ? { ...file, create: 'if-present', operations: [] } : withOperations(file, kept);
}

function contentOf({ files, owned }: Wiring): string {
  return JSON.stringify([files.map(({ path, operations }) => [path, operations]), owned]);
}
