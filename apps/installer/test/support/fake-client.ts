/** Puts the strict fake of `claude` into a folder that can stand on PATH, and reads what it was asked. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface FakeBehaviour {
  readonly version?: string;
  readonly hasPlugins?: boolean;
  /** Command that fails, for example `plugin install`. */
  readonly failAt?: string;
  /** A command that changes something goes on when this file is there. */
  readonly waitsFor?: string;
  /** What somebody else puts into the settings while that command runs. */
  readonly meanwhile?: { readonly at: string; readonly settings: Readonly<Record<string, unknown>> };
}

export interface FakeClaude {
  /** For PATH. */
  readonly folder: string;
  readonly program: string;
  behave(behaviour: FakeBehaviour): void;
  /** The command lines since the last call, without the questions that change nothing. */
  calls(): readonly string[];
  /** All of them since the last call of either: questions as well. */
  everyCall(): readonly string[];
  /** Every environment that it was started with, as one text. */
  environments(): string;
  remove(): void;
}

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), 'fake-claude.mjs');

export function createFakeClaude(name = 'claude'): FakeClaude {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-fake-')));
  const program = join(folder, name);
  // Without an ending Node.js takes the type from the nearest package.json.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(SOURCE, program);
  chmodSync(program, 0o755);
  const lines = (): readonly string[] => {
    const log = `${program}.log`;
    const asked = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
    rmSync(log, { force: true });
    return asked;
  };
  return {
    folder,
    program,
    behave: (behaviour) => writeFileSync(`${program}.behaviour.json`, JSON.stringify(behaviour)),
    calls: () => lines().filter((line) => !/^(--version|plugin --help|plugin list --json)$/.test(line)),
    everyCall: lines,
    environments: () => readFileSync(`${program}.env.log`, 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
