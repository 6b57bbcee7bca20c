/**
 * What it costs a process to start another one that outlives it: through `node:child_process`, and through a shell that
 * Node's binding starts, as the core does it at the end of a turn.
 *
 *   node docs/decisions/measurements/start-worker.mjs
 */
import { resolve } from 'node:path';
import { interleaved } from './interleaved.mjs';

// The worker is the file `worker.cjs` beside the program. There is none: what counts is the time until the program ends.
const MODULE = resolve(import.meta.dirname, '../../../libs/memory-core/src/runtime/start-worker.ts');

await interleaved({
  'is empty': '',
  'starts by the module': `import { runWorker } from '${MODULE}'; void runWorker([], '/'); process.exit(0);`,
  'starts by a shell': `import { startWorker } from '${MODULE}'; startWorker([], '/'); process.exit(0);`,
});
