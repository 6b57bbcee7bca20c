/**
 * Runs the real Claude Code in a scratch home against the model on loopback. Its environment is made from nothing: neither
 * the tester's login, nor settings, nor a session that the tests themselves may run in can reach it.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isObject, waitUntil } from '@openviking/memory-core/testing';

/** How long one run of the client may take, in ms: only to end a test that would hang. */
const LIMIT_MS = 240_000;

/** Messages come and go as lines of JSON: several prompts reach one process. */
const STREAMED = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

export interface ClaudeClientOptions {
  readonly command: string;
  readonly home: string;
  /** Working directory of the conversations. */
  readonly project: string;
  /** Where the client keeps its files; absent: where it does by itself. */
  readonly configFolder?: string;
  /** Where the model listens. */
  readonly modelUrl: string;
  /** What the user has permitted beforehand: nobody is there to be asked. */
  readonly allowedTools: readonly string[];
}

export interface ClientRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class ClaudeClient {
  readonly #options: ClaudeClientOptions;

  constructor(options: ClaudeClientOptions) {
    this.#options = options;
  }

  /** The variables that a login shell would have, the model, and no network traffic but the conversation. */
  get environment(): Readonly<Record<string, string>> {
    const { command, home, modelUrl, configFolder } = this.#options;
    return {
      PATH: [dirname(command), dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
      HOME: home,
      TMPDIR: join(home, 'tmp'),
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'sk-ant-none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...(configFolder === undefined ? {} : { CLAUDE_CONFIG_DIR: configFolder }),
    };
  }

  /** A new conversation with one prompt. Resolves with its id when the client has ended. */
  async begin(prompt: string): Promise<string> {
    const id = randomUUID();
    await this.#say(prompt, ['--session-id', id]);
    return id;
  }

  /** Goes on with a conversation in a new process. */
  async resume(id: string, prompt: string): Promise<void> {
    await this.#say(prompt, ['--resume', id]);
  }

  /** Goes on with a copy of a conversation. Resolves with the id of the copy. */
  async fork(id: string, prompt: string): Promise<string> {
    const copy = randomUUID();
    await this.#say(prompt, ['--resume', id, '--fork-session', '--session-id', copy]);
    return copy;
  }

  /** A new conversation within one process: each prompt is sent when the answer to the one before has come. */
  async converse(prompts: readonly string[]): Promise<string> {
    const id = randomUUID();
    const running = this.#start(['-p', ...STREAMED, '--session-id', id]);
    await orEnd(running, async () => {
      for (const [index, prompt] of prompts.entries()) {
        running.child.stdin.write(messageLine(prompt));
        await waitUntil(`the answer to ${prompt}`, () => running.child.exitCode !== null || running.results() > index);
      }
      running.child.stdin.end();
    });
    succeeded(await running.ended);
    return id;
  }

  /**
   * A new conversation in which a second prompt is typed at the moment `until` resolves, while the model is at work.
   * `queued` is called with the conversation's id once the client has noted that prompt.
   */
  async interject(
    prompt: string,
    until: Promise<unknown>,
    addition: string,
    queued: (id: string) => void,
  ): Promise<string> {
    const id = randomUUID();
    const running = this.#start(['-p', ...STREAMED, '--session-id', id]);
    await orEnd(running, async () => {
      running.child.stdin.write(messageLine(prompt));
      await until;
      running.child.stdin.end(messageLine(addition));
      await waitUntil(`the client to queue: ${addition}`, () => this.transcript(id).includes(addition));
      queued(id);
    });
    succeeded(await running.ended);
    return id;
  }

  /** The client's own record of a conversation; empty before there is one. */
  transcript(id: string): string {
    const { home, configFolder = join(home, '.claude') } = this.#options;
    const projects = join(configFolder, 'projects');
    const file = readdirSync(projects)
      .map((project) => join(projects, project, `${id}.jsonl`))
      .find((path) => existsSync(path));
    return file === undefined ? '' : readFileSync(file, 'utf8');
  }

  /** A new conversation that the user breaks off at the moment `until` resolves, as with Ctrl-C. */
  async interrupt(prompt: string, until: Promise<unknown>): Promise<string> {
    const id = randomUUID();
    const running = this.#start(['-p', '--session-id', id]);
    await orEnd(running, async () => {
      running.child.stdin.end(prompt);
      await until;
      running.child.kill('SIGINT');
    });
    await running.ended;
    return id;
  }

  /** A command of the client that starts no conversation, such as `plugin list`. */
  async manage(...args: readonly string[]): Promise<string> {
    const running = this.#start(args, false);
    running.child.stdin.end();
    return succeeded(await running.ended).stdout;
  }

  async #say(prompt: string, args: readonly string[]): Promise<void> {
    const running = this.#start(['-p', ...args]);
    running.child.stdin.end(prompt);
    succeeded(await running.ended);
  }

  #start(args: readonly string[], withTools = true): RunningClient {
    const { command, project, allowedTools } = this.#options;
    const tools = withTools ? ['--allowedTools', ...allowedTools] : [];
    const child = spawn(command, [...args, ...tools], {
      cwd: project,
      env: this.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return watch(child, `claude ${args.join(' ')}`);
  }
}

interface RunningClient {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<ClientRun>;
  /** How many turns it has reported as done. Only with `stream-json`. */
  results(): number;
}

function watch(child: ChildProcessByStdio<Writable, Readable, Readable>, what: string): RunningClient {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  // A client that has ended reads nothing more; how it ended is reported below.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<ClientRun>((done, failed) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      failed(new Error(`${what} did not end within ${LIMIT_MS} ms.\n${stdout}\n${stderr}`));
    }, LIMIT_MS);
    child.once('error', failed);
    child.once('close', (exitCode) => {
      clearTimeout(limit);
      done({ exitCode, stdout, stderr });
    });
  });
  return { child, ended, results: () => stdout.split('\n').filter(isResult).length };
}

/** Does something with a running client. When that fails the client is ended, not left behind, and the reason is told. */
async function orEnd({ child, ended }: RunningClient, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
    throw error;
  }
}

function messageLine(content: string): string {
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
}

function isResult(line: string): boolean {
  try {
    const event: unknown = JSON.parse(line);
    return isObject(event) && event['type'] === 'result';
  } catch {
    return false;
  }
}

function succeeded(run: ClientRun): ClientRun {
  if (run.exitCode === 0) return run;
  throw new Error(`Claude Code ended with ${run.exitCode}.\n${run.stdout}\n${run.stderr}`);
}
