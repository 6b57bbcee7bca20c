/** Runs the program in this process on the payloads that ship: hundreds of runs, each as a user would type it. */
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CLIENTS } from '../../src/clients/catalogue.ts';
import { runProgram } from '../../src/program.ts';

const SHIPPED = join(dirname(fileURLToPath(import.meta.url)), '../../dist/payload');

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The payloads as they were built for shipping. */
export function shippedPayloads(): string {
  const missing = CLIENTS.find(({ id }) => !existsSync(join(SHIPPED, id, 'manifest.json')));
  if (missing !== undefined) throw new Error(`${SHIPPED}/${missing.id} is missing: npm run build`);
  return SHIPPED;
}

/** A copy of them as a later release, with a skill that has changed. Removed by the caller. */
export async function laterPayloads(version: string): Promise<{ readonly folder: string; remove(): void }> {
  const { writeManifest } = (await import('../../build.mjs' as string)) as {
    writeManifest: (payload: string, name: string, version: string) => void;
  };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-payloads-')));
  for (const { id } of CLIENTS) {
    const payload = join(folder, id);
    cpSync(join(shippedPayloads(), id), payload, { recursive: true });
    const skill = join(payload, 'skills/openviking-memory/SKILL.md');
    writeFileSync(skill, `${readFileSync(skill, 'utf8')}\n${version}\n`);
    writeManifest(payload, id, version);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function runInProcess(
  args: readonly string[],
  options: { readonly home: string; readonly payloadRoot: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ended> {
  const streams = [new PassThrough(), new PassThrough()] as const;
  const code = await runProgram({
    args: [...args, '--home', options.home],
    home: '/nonexistent',
    platform: process.platform,
    env: options.env,
    interpreter: process.execPath,
    payloadRoot: options.payloadRoot,
    nodeVersion: process.versions.node,
    loadProxy: () => {
      throw new Error('no proxy is named here');
    },
    version: '0.0.0-test',
    stdin: new PassThrough(),
    out: streams[0],
    err: streams[1],
    signal: new AbortController().signal,
    now: () => new Date(),
  });
  const [stdout, stderr] = streams.map((stream) => String(stream.read() ?? ''));
  return { code, stdout: stdout ?? '', stderr: stderr ?? '' };
}
