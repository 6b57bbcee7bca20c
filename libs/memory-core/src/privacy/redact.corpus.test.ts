/** What redaction does to ordinary text, measured on the packages that are installed here: source, manuals, lock files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { processorTime } from '../../testing/processor-time.ts';
import { redactSecrets } from './redact.ts';

const WANTED_CHARACTERS = 8_000_000;
const MOST_PER_100_KB = 1;

/** The workspace's root: the nearest folder above with a lock file. */
function workspaceRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package-lock.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function* textFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* textFiles(path);
    else if (entry.isFile() && /\.(?:[cm]?js|ts|md|json|ya?ml|txt)$/i.test(entry.name)) yield path;
  }
}

/** The lock file, and every so manieth file of the installed packages, the same ones at every run. */
function corpus(): string[] {
  const root = workspaceRoot();
  const files = [...textFiles(join(root, 'node_modules'))].sort();
  const stride = Math.max(1, Math.floor(files.length / 2_000));
  const texts = [readFileSync(join(root, 'package-lock.json'), 'utf8')];
  let total = 0;
  for (let start = 0; start < stride && total < WANTED_CHARACTERS; start += 1) {
    for (let index = start; index < files.length && total < WANTED_CHARACTERS; index += stride) {
      const text = readFileSync(files[index] ?? '', 'utf8');
      if (text.length > 1_000_000) continue;
      texts.push(text);
      total += text.length;
    }
  }
  return texts;
}

describe('redaction of ordinary text', () => {
  it('marks next to nothing, leaves JSON valid, and is cheap', () => {
    const texts = corpus();
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    expect(characters).toBeGreaterThanOrEqual(5_000_000);
    for (const text of texts.slice(0, 20)) redactSecrets(text);

    let marks = 0;
    let time = 0;
    for (const text of texts) {
      const { result: redacted, milliseconds } = processorTime(() => redactSecrets(text));
      time += milliseconds;
      if (redacted === text) continue;
      marks += count(redacted) - count(text);
      expect(redactSecrets(redacted)).toBe(redacted);
      if (parses(text)) expect(parses(redacted)).toBe(true);
    }
    const rate = marks / (characters / 100_000);
    const speed = time / (characters / 1_000_000);
    process.stdout.write(
      `redaction: ${(characters / 1e6).toFixed(1)} MB, ${marks} marks, ${rate.toFixed(3)} per 100 KB, ${speed.toFixed(1)} ms per MB\n`,
    );
    expect(rate).toBeLessThanOrEqual(MOST_PER_100_KB);
    // About 15 ms on an idle machine; the limit only catches a rule that is slow by nature.
    expect(speed).toBeLessThan(300);
  });
});

const count = (text: string): number => text.match(/\[redacted:[\w-]+\]/g)?.length ?? 0;

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
