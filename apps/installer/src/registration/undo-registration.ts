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

/** Takes the plugin out. A command that fails has nothing to take out, or is gone: then the bytes are all there is. */
export async function undoRegistration(
  change: PluginChange,
  files: readonly KeptFile[],
  run: RunClient,
): Promise<void> {
  for (const program of change.programs) {
    for (const args of change.remove) await run(program, args, change.variables);
  }
  for (const path of change.fresh) rmSync(path, { recursive: true, force: true });
  for (const file of files) putBack(file, change);
}

/** Puts the plugin in where it was. Returns the programs that did not take it. */
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
  for (const file of files) putBack(file, change);
  return failed;
}

/** Only where the file says the same but for us: what somebody else has changed meanwhile stays. */
function putBack({ path, before }: KeptFile, change: PluginChange): void {
  const now = readImage(path);
  if (sameImage(now, before)) return;
  const [value, old] = [now, before].map((image) =>
    valueOf(image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8'), path),
  );
  if (value === undefined || old === undefined || !sameButForUs(value, old, change)) return;
  if (before !== undefined) placeFile(path, before);
  else if (now !== undefined) removeFile(path);
}
