/**
 * The conformance suite on the product as a user has it: wired by the installer, started through the launcher. What the
 * bundles do when they are started directly is each harness's own test; of what the way of starting cannot change, one
 * client stands for all.
 */
import { declaration as claude } from '@openviking/harness-claude/harness';
import { CLAUDE_TOOLS, createClaudeConformanceHost } from '@openviking/harness-claude/testing';
import { declaration as cursor } from '@openviking/harness-cursor/harness';
import { createCursorConformanceHost, CURSOR_TOOLS } from '@openviking/harness-cursor/testing';
import { declarations as traes } from '@openviking/harness-trae/harness';
import { createTraeConformanceHost, TRAE_TOOLS } from '@openviking/harness-trae/testing';
import type { TraeId } from '@openviking/harness-trae/testing';
import { declaration as zcode } from '@openviking/harness-zcode/harness';
import { createZcodeConformanceHost, ZCODE_TOOLS } from '@openviking/harness-zcode/testing';
import { runConformance } from '@openviking/memory-core/testing';
import type { ConformanceContext, ConformanceOptions } from '@openviking/memory-core/testing';
import { INSTALLER, payloadOf } from './artefacts.ts';
import { runProgram } from './program.ts';

type Wire = (context: ConformanceContext) => Promise<void>;

/** A client: what it is declared to be, and its fake wired by whatever it is handed. */
interface Client extends Pick<ConformanceOptions, 'declaration' | 'tools'> {
  createHost(context: ConformanceContext, wire: Wire): ReturnType<ConformanceOptions['createHost']>;
}

const CLIENTS: readonly Client[] = [
  { declaration: zcode, tools: ZCODE_TOOLS, createHost: createZcodeConformanceHost },
  { declaration: claude, tools: CLAUDE_TOOLS, createHost: createClaudeConformanceHost },
  { declaration: cursor, tools: CURSOR_TOOLS, createHost: createCursorConformanceHost },
  ...traes.map((declaration): Client => ({
    declaration,
    tools: TRAE_TOOLS,
    createHost: (context, wire) => createTraeConformanceHost(declaration.id as TraeId, context, wire),
  })),
];

for (const { createHost, ...client } of CLIENTS) {
  const { id } = client.declaration;
  runConformance({
    ...client,
    ...(id === zcode.id ? {} : { concerns: ['recall', 'tool-guard', 'capture'] }),
    payloadDir: payloadOf(id),
    createHost: (context) => createHost(context, ({ home }) => install(id, home)),
  });
}

/** The connection is the one that the suite has written into ovcli.conf. */
async function install(id: string, home: string): Promise<void> {
  const run = await runProgram(INSTALLER, ['install', '--harness', id, '--yes', '--home', home], { home });
  if (run.exitCode !== 0) throw new Error(`the installer ended with ${run.exitCode}: ${run.stdout}${run.stderr}`);
}
