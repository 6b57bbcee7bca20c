/**
 * The conformance suite on the product as a user has it: wired by the installer, started through the launcher. What the
 * bundles do when they are started directly is the harness's own test.
 */
import { declaration } from '@openviking/harness-zcode/harness';
import { createZcodeConformanceHost, ZCODE_TOOLS } from '@openviking/harness-zcode/testing';
import { runConformance } from '@openviking/memory-core/testing';
import type { ConformanceContext } from '@openviking/memory-core/testing';
import { INSTALLER, ZCODE_PAYLOAD } from './artefacts.ts';
import { runProgram } from './program.ts';

runConformance({
  declaration,
  payloadDir: ZCODE_PAYLOAD,
  createHost: (context) => createZcodeConformanceHost(context, install),
  tools: ZCODE_TOOLS,
});

/** The connection is the one that the suite has written into ovcli.conf. */
async function install({ home }: ConformanceContext): Promise<void> {
  const run = await runProgram(INSTALLER, ['install', '--harness', 'zcode', '--yes', '--home', home], { home });
  if (run.exitCode !== 0) throw new Error(`the installer ended with ${run.exitCode}: ${run.stdout}${run.stderr}`);
}
