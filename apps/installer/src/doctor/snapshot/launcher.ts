/** What lies at a client's launcher, and whether the interpreter that it starts is still there. */
import { execFile } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findCommand } from '../../clients/find-command.ts';
import { readImage } from '../../files/image.ts';
import { recordedInterpreter, runsOn, USUAL_PLACES } from '../../payload/launcher.ts';
import { hasMark } from '../../receipts/receipt.ts';
import { fileStatus } from '../../files/file-status.ts';
import type { Machine } from '../../machine/machine.ts';
import type { OwnedReceipt } from '../../receipts/receipt.ts';

export interface LauncherSnapshot {
  readonly path: string;
  readonly isThere: boolean;
  /** Something that is no file stands in its place, or something that is no folder in that of its folder. */
  readonly isBlocked?: true;
  readonly isExecutable: boolean;
  /** As the installation left it. */
  readonly isUnchanged: boolean;
  /** The interpreter that it tries first. */
  readonly interpreter?: {
    readonly path: string;
    /** Absent: it is gone, or does not start. */
    readonly version?: string;
  };
  /** What it would find without that one: looked for only when it is gone or too old. */
  readonly fallback?: string;
}

/** How long an interpreter may take to tell its version, in ms. */
const VERSION_MS = 5_000;

export async function readLauncher(machine: Machine, receipt: OwnedReceipt): Promise<LauncherSnapshot> {
  const { path, left } = receipt;
  const image = imageOf(path);
  if (image === undefined) {
    const isBlocked = fileStatus(path)?.isFile() === false || fileStatus(dirname(path))?.isDirectory() === false;
    return { path, isThere: false, isExecutable: false, isUnchanged: false, ...(isBlocked ? { isBlocked } : {}) };
  }
  const state = { path, isThere: true, isExecutable: isExecutable(path, machine), isUnchanged: hasMark(image, left) };
  const interpreter = recordedInterpreter(Buffer.from(image.bytes).toString('utf8'), machine);
  if (interpreter === undefined) return state;
  const version = await versionOf(interpreter);
  const found = { path: interpreter, ...(version === undefined ? {} : { version }) };
  if (version !== undefined && runsOn(version)) return { ...state, interpreter: found };
  const fallback = await searchInterpreter(machine);
  return { ...state, interpreter: found, ...(fallback === undefined ? {} : { fallback }) };
}

function imageOf(path: string): ReturnType<typeof readImage> {
  try {
    return readImage(path);
  } catch {
    return undefined;
  }
}

function isExecutable(path: string, { platform }: Machine): boolean {
  if (platform === 'win32') return true;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(interpreter: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(interpreter, ['--version'], { timeout: VERSION_MS, env: {} });
    return /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** The first interpreter on PATH or in the usual places that the hooks run on: the launcher's own search, without starting it. */
async function searchInterpreter(machine: Machine): Promise<string | undefined> {
  const onPath = findCommand('node', machine);
  for (const path of [...(onPath === undefined ? [] : [onPath]), ...usualPlaces(machine)]) {
    const version = await versionOf(path);
    if (version !== undefined && runsOn(version)) return path;
  }
  return undefined;
}

function usualPlaces({ home, platform, env }: Machine): readonly string[] {
  return USUAL_PLACES[platform === 'win32' ? 'windows' : 'posix'].flatMap((word) => {
    const path = word
      .replaceAll('"', '')
      .replace(/^\$home/, () => home)
      .replace(/%(\w+)%/g, (_whole, name: string) => env[name] ?? '');
    return expanded(path);
  });
}

/** Paths that a pattern with whole segments of `*` names, and that are files. */
function expanded(pattern: string): readonly string[] {
  const [before = '', ...after] = pattern.split('/*/');
  if (after.length === 0) return isFile(pattern) ? [pattern] : [];
  try {
    return readdirSync(before).flatMap((name) => expanded(join(before, name, after.join('/*/'))));
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return fileStatus(path)?.isFile() === true;
}
