import { join } from 'node:path';
import { runConformance } from '@openviking/memory-core/testing';
import { declarations } from '../src/harness.ts';
import { createTraeConformanceHost, TRAE_TOOLS } from '../testing/index.ts';
import type { TraeId } from '../testing/index.ts';

const PAYLOADS: Readonly<Record<TraeId, string>> = { trae: 'payload', 'trae-cn': 'payload-trae-cn' };

for (const declaration of declarations) {
  const id = declaration.id as TraeId;
  runConformance({
    declaration,
    payloadDir: join(import.meta.dirname, '..', 'dist', PAYLOADS[id]),
    createHost: (context) => createTraeConformanceHost(id, context),
    tools: TRAE_TOOLS,
  });
}
