import { join } from 'node:path';
import { createZcodeConformanceHost, runConformance, ZCODE_TOOLS } from '@openviking/memory-core/testing';
import { declaration } from '../src/harness.ts';

runConformance({
  harness: declaration.id,
  payloadDir: join(import.meta.dirname, '..', 'dist', 'payload'),
  createHost: createZcodeConformanceHost,
  absent: declaration.absent,
  tools: ZCODE_TOOLS,
});
