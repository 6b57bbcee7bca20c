/**
 * What it costs a process to take what the host has written to its stdin: through the stream that Node opens, and from the
 * descriptor, as the core does it.
 *
 *   node docs/decisions/measurements/read-stdin.mjs
 */
import { resolve } from 'node:path';
import { interleaved } from './interleaved.mjs';

const MODULE = resolve(import.meta.dirname, '../../../libs/memory-core/src/runtime/read-stdin.ts');
const reading = (/** @type {string} */ call) => `
  import { readPayload, readStream } from '${MODULE}';
  ${call}.then((payload) => process.exit(payload?.a === 1 ? 0 : 1));`;

await interleaved({
  'is empty': '',
  'reads the stream': reading('readStream(process.stdin)'),
  'reads the descriptor': reading('readPayload()'),
});
