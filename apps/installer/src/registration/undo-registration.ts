/**
 * The way back from a registration that was begun: the client's commands take the plugin out again, the files that they
 * rewrote get their bytes back, and a plugin that was there before is put in again when its own files are back.
 */
import { rmSync } from 'node:fs';
import { readImage, sameImage } from '../files/image.ts';
import { placeFile, removeFile } from '../apply/write-file.ts';
import { sameButForUs, valueOf } from './mentions.ts';
import type { FileImage } from '../files/image.ts';
import type { PluginChange, RunClient } from './plugin-change.ts';

/** A file that the commands rewrite, as it was before. */
export interface KeptFile {
  readonly path: string;
  readonly before: FileImage | undefined;
}

/**
 * Takes the plugin out. A command that fails has nothing to take out, or is gone: then the bytes are all there is. Returns
 * the files that could not get theirs back.
 */
export async function undoRegistration(
  change: PluginChange,
  files: readonly KeptFile[],
  run: RunClient,
): Promise<readonly string[]> {
  for (const program of change.programs) {
    for (const args of change.remove) await run(program, args, change.variables);
  }
  for (const path of change.fresh) rmSync(path, { recursive: true, force: true });
  return files.filter((file) => !putBack(file, change)).map(({ path }) => path);
}

/** Puts the plugin in where it was. Returns the programs that did not take it, and the files that did not keep their bytes. */
export async function registerAgain(change: PluginChange, run: RunClient): Promise<readonly string[]> {
  const files = change.rewrites.map((path): KeptFile => ({ path, before: readImage(path) }));
  const failed: string[] = [];
  for (const program of change.registered) {
    for (const args of change.again ?? change.add) {
      const { status } = await run(program, args, change.variables);
      if (status !== 0) {
        failed.push(program);
        break;
      }
    }
  }
  return [...failed, ...files.filter((file) => !putBack(file, change)).map(({ path }) => path)];
}

/** Only where the file says the same but for us: what somebody else has changed meanwhile stays, and false tells of it. */
function putBack({ path, before }: KeptFile, change: PluginChange): boolean {
  const now = readImage(path);
  if (sameImage(now, before)) return true;
  const [value, old] = [now, before].map((image) =>
    valueOf(image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8'), path),
  );
  if (value === undefined || old === undefined || !sameButForUs(value, old, change)) return false;
  if (before !== undefined) placeFile(path, before);
  else if (now !== undefined) removeFile(path);
  return true;
}
