import { join } from 'node:path';
import { runConformance } from '@openviking/memory-core/testing';
import { declaration } from '../src/harness.ts';
import { CLAUDE_TOOLS, createClaudeConformanceHost } from '../testing/index.ts';

runConformance({
  declaration,
  payloadDir: join(import.meta.dirname, '..', 'dist', 'payload'),
  createHost: createClaudeConformanceHost,
  tools: CLAUDE_TOOLS,
});
