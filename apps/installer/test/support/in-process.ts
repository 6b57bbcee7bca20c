/** Runs the program in this process on the payloads that ship: hundreds of runs, each as a user would type it. */
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { CLIENTS } from '../../src/clients/catalogue.ts';
import { runProgram } from '../../src/program.ts';

const SHIPPED = join(dirname(fileURLToPath(import.meta.url)), '../../dist/payload');

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Payloads {
  readonly folder: string;
  /**
   * A program in the place of Node.js that does nothing, and so does every hook that it runs. For tests of what is written:
   * the launcher is tried as always, and five clients do not take five starts of Node.js each time.
   */
  readonly idleInterpreter: string;
  remove(): void;
}

/** A copy of the payloads as they were built for shipping: a build meanwhile does not change it. */
export function shippedPayloads(): Payloads {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-payloads-')));
  for (const { id } of CLIENTS) {
    if (!existsSync(join(SHIPPED, id, 'manifest.json'))) throw new Error(`${SHIPPED}/${id} is missing: npm run build`);
    cpSync(join(SHIPPED, id), join(folder, id), { recursive: true });
  }
  const idleInterpreter = join(folder, 'idle');
  writeFileSync(idleInterpreter, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  return { folder, idleInterpreter, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The same as a later release, with a skill that has changed. */
export async function laterPayloads(version: string): Promise<Payloads> {
  const { writeManifest } = (await import('../../build.mjs' as string)) as {
    writeManifest: (payload: string, name: string, version: string) => void;
  };
  const payloads = shippedPayloads();
  for (const { id } of CLIENTS) {
    const payload = join(payloads.folder, id);
    const skill = join(payload, 'skills/openviking-memory/SKILL.md');
    writeFileSync(skill, `${readFileSync(skill, 'utf8')}\n${version}\n`);
    writeManifest(payload, id, version);
  }
  return payloads;
}

export async function runInProcess(
  args: readonly string[],
  options: {
    readonly home: string;
    readonly payloadRoot: string;
    /** In front of paths of the system. */
    readonly systemRoot?: string;
    readonly env: Readonly<Record<string, string>>;
    /** Instead of those that ship. */
    readonly clients?: readonly HarnessDeclaration[];
    /** Instead of that which runs this. */
    readonly interpreter?: string;
    /** Of that. */
    readonly nodeVersion?: string;
  },
): Promise<Ended> {
  const streams = [new PassThrough(), new PassThrough()] as const;
  const code = await runProgram({
    args: [...args, '--home', options.home],
    ...(options.systemRoot === undefined ? {} : { systemRoot: options.systemRoot }),
    home: '/nonexistent',
    platform: process.platform,
    env: options.env,
    interpreter: options.interpreter ?? process.execPath,
    payloadRoot: options.payloadRoot,
    nodeVersion: options.nodeVersion ?? process.versions.node,
    loadProxy: () => {
      throw new Error('no proxy is named here');
    },
    version: '0.0.0-test',
    stdin: new PassThrough(),
    out: streams[0],
    err: streams[1],
    signal: new AbortController().signal,
    now: () => new Date(),
    ...(options.clients === undefined ? {} : { clients: options.clients }),
  });
  const [stdout, stderr] = streams.map((stream) => String(stream.read() ?? ''));
  return { code, stdout: stdout ?? '', stderr: stderr ?? '' };
}
