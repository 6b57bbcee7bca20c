/** Tries the launcher the way a client will, before any client is told about it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, launcherCall } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { childEnvironment } from '../machine/machine.ts';
import type { Machine } from '../machine/machine.ts';

/** A hook on an empty object needs no server. It says nothing, or lets pass where its client waits for a word. */
const ENTRY = 'uri-guard';
const LIMIT_MS = 15_000;

/** Throws a refusal unless the hook ends with status 0 and nothing but an answer on stdout. Its state goes to a scratch home. */
export async function selfTest(machine: Machine, launcher: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'openviking-self-test-'));
  try {
    const { status, stdout, stderr } = await run(machine, launcher, scratch);
    if (status === 0 && isAnswer(stdout)) return;
    const what = stderr.trim().split('\n')[0]?.slice(0, 300) ?? '';
    throw new Refusal({
      code: 'launcher/self-test',
      say: (t) => t.selfTestFailed(launcher, String(status), what),
      next: (t) => t.selfTestNext,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Anything else would reach the client: a line of a shell, a warning of the interpreter. */
function isAnswer(stdout: string): boolean {
  try {
    return stdout.trim() === '' || isObject(JSON.parse(stdout));
  } catch {
    return false;
  }
}

function run(
  machine: Machine,
  launcher: string,
  home: string,
): Promise<{ readonly status: number | string; readonly stdout: string; readonly stderr: string }> {
  const { file, args, cwd } = launcherCall(launcher, [ENTRY], { platform: machine.platform, home });
  return new Promise((resolve) => {
    const output = { stdout: '', stderr: '' };
    const child = spawn(file, args, {
      cwd,
      env: childEnvironment(machine, home),
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] = (output[name] + chunk).slice(0, 4096);
      });
    }
    child.stdin.on('error', () => undefined);
    child.stdin.end('{}\n');
    child.on('error', (error) => resolve({ status: 'not started', stdout: '', stderr: error.message }));
    child.on('close', (code, signal) => resolve({ status: code ?? signal ?? 'unknown', ...output }));
  });
}
