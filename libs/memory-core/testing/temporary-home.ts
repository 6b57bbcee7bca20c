/**
 * A scratch home folder. Every test acts on one, so that no test can read or change the files of the person who runs it;
 * the odd names exist because command lines break on exactly these characters.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Folder names that have broken quoting in some shell, client or launcher. */
export const ODD_NAMES = {
  space: 'a b',
  'single quote': "it's",
  'double quote': 'say "hi"',
  ampersand: 'a&b',
  parenthesis: 'a(b)',
  dollar: 'a$HOME',
  backtick: 'a`id`',
  semicolon: 'a;b',
  percent: 'a%b%',
  chinese: '张三的家',
  emoji: '家🦄',
  everything: `it's "a & b" ($HOME) 项目🦄`,
} as const;

export interface TemporaryHome {
  /** Absolute, with links resolved: what a child process sees as its own path. */
  readonly path: string;
  /** Absolute path of something inside. */
  at(...segments: readonly string[]): string;
  /** Writes a file, making its folders; `mode` defaults to 0644. Returns its absolute path. */
  write(relative: string, content: string | Uint8Array, mode?: number): string;
  readText(relative: string): string;
  has(relative: string): boolean;
  makeFolder(relative: string): string;
  /** Removes everything. Safe to call twice. */
  remove(): void;
}

/** Makes an empty home below the system's temporary folder. `name` is the last path segment, plain by default. */
export function createTemporaryHome(name = 'home'): TemporaryHome {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-test-')));
  const path = join(outer, name);
  mkdirSync(path, { mode: 0o755 });
  const at = (...segments: readonly string[]): string => join(path, ...segments);
  return {
    path,
    at,
    write(relative, content, mode = 0o644) {
      const file = at(relative);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      chmodSync(file, mode);
      return file;
    },
    readText: (relative) => readFileSync(at(relative), 'utf8'),
    has: (relative) => existsSync(at(relative)),
    makeFolder(relative) {
      const folder = at(relative);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    remove() {
      // Retries cover a detached worker that writes its last line while the tree is being removed.
      rmSync(outer, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

/**
 * The environment of a process that lives in `home`: nothing of the tester's own configuration gets through, only what a
 * login shell would have at least.
 */
export function homeEnvironment(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    USERPROFILE: home,
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
    ...extra,
  };
}
