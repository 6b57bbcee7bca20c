/** Somebody at a terminal: runs the program with injected streams, types what the session says, and reads the screen. */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { createPrompter } from '../../src/guided/clack-prompter.ts';
import { runProgram } from '../../src/program.ts';
import { openScreen } from './screen.ts';
import type { InstallerProcess } from './installer-process.ts';

/** What was seen; the home is `/home/user` in every text. */
export interface Seen {
  readonly code: number;
  readonly screen: string;
  /** Each question as it stood there before it was answered. */
  readonly questions: readonly string[];
  readonly raw: string;
  readonly err: string;
  readonly prompted: boolean;
}

export interface Session {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly script: readonly (readonly [string, string])[];
  /** What happens when the script has come to its end. */
  readonly thenComes?: 'the end of input' | 'a signal';
}

/** Runs the program in this process, at a terminal of 80 columns. */
export async function sitDown(installer: InstallerProcess, home: TemporaryHome, session: Session): Promise<Seen> {
  const screen = openScreen(session.columns);
  const err = new PassThrough();
  const outside = new AbortController();
  let prompted = false;
  const ending = runProgram({
    args: ['--home', home.path, ...(session.args ?? [])],
    home: home.path,
    platform: 'linux',
    env: { PATH: '/bin', NO_COLOR: '1', LANG: 'en_US.UTF-8', ...session.env },
    interpreter: process.execPath,
    payloadRoot: join(installer.folder, 'dist/payload'),
    version: '1.0.0',
    nodeVersion: process.versions.node,
    loadProxy: () => {
      throw new Error('no proxy is named here');
    },
    loadPrompts: () => {
      prompted = true;
      return Promise.resolve({ createPrompter });
    },
    stdin: screen.stdin,
    out: screen.out,
    err,
    signal: outside.signal,
    now: () => new Date('2026-11-30T12:00:00Z'),
    cwd: home.path,
  });
  const ended = new AbortController();
  void ending.then(() => ended.abort());
  const screens = await screen.type(session.script, ended.signal);
  if (session.thenComes === 'the end of input') screen.stdin.end();
  if (session.thenComes === 'a signal') outside.abort();
  const code = await ending;
  // The last of what was written is still on its way to the screen.
  await new Promise((done) => setImmediate(done));
  const plain = (text: string): string => text.replaceAll(home.path, '/home/user');
  const said = (err.read() as Buffer | null)?.toString('utf8') ?? '';
  const questions = screens.map((shown) =>
    plain(shown.slice(Math.max(shown.lastIndexOf('◆'), shown.lastIndexOf('▲')))),
  );
  return { code, screen: plain(screen.text()), questions, raw: screen.raw(), err: plain(said), prompted };
}
