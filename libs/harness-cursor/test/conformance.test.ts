import { join } from 'node:path';
import { runConformance } from '@openviking/memory-core/testing';
import { declaration } from '../src/harness.ts';
import { createCursorConformanceHost, CURSOR_TOOLS } from '../testing/index.ts';

runConformance({
  declaration,
  payloadDir: join(import.meta.dirname, '..', 'dist', 'payload'),
  createHost: createCursorConformanceHost,
  tools: CURSOR_TOOLS,
});
