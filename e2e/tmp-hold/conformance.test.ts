import { runConformance, createZcodeConformanceHost, ZCODE_TOOLS } from '@openviking/memory-core/testing';
runConformance({
  harness: 'zcode',
  payloadDir: '/work/main/libs/harness-zcode/dist/payload',
  createHost: createZcodeConformanceHost,
  absent: [{ capability: 'guard-note', reason: 'x' }],
  tools: ZCODE_TOOLS,
});
