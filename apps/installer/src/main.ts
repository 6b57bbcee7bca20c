/** The only module that touches the process: streams, signals, environment, exit code. */
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ProxyModule } from '@openviking/memory-core/full';
import { runProgram } from './program.ts';
import type { PromptModule } from './guided/prompter.ts';

declare const INSTALLER_VERSION: string;

// A key in the arguments would stay readable in the process list for as long as we run.
process.title = 'openviking-install';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interruption.abort());
}
// A reader that has gone away (`| head`) is no reason to leave a run half done.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const code = await runProgram({
  args: process.argv.slice(2),
  home: homedir(),
  platform: process.platform,
  env: process.env,
  interpreter: process.execPath,
  payloadRoot: fileURLToPath(new URL('./payload/', import.meta.url)),
  version: INSTALLER_VERSION,
  nodeVersion: process.versions.node,
  loadProxy: () => createRequire(import.meta.url)('./proxy.cjs') as ProxyModule,
  loadPrompts: () => import(new URL('./guided.mjs', import.meta.url).href) as Promise<PromptModule>,
  stdin: process.stdin,
  out: process.stdout,
  err: process.stderr,
  signal: interruption.signal,
  now: () => new Date(),
  cwd: process.cwd(),
  ...(process.argv[1] === undefined ? {} : { script: process.argv[1] }),
});
// Not exit(): output that is still on its way to a pipe must arrive.
process.exitCode = code;
