/**
 * A strict stand-in for Cursor. It reads the `hooks.json` that an installer wrote, drops what the real programs drop, runs
 * the hooks as they do, believes their output only as far as they do, and keeps their record of the conversation: so that
 * a whole conversation can be played and judged by what the model would have seen.
 *
 * What is not known about the client (the wording around an added context, what Claude Code's hooks get beside Cursor's own
 * payload) is made up here and nothing may rely on it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeEnvironment, runHook } from '@openviking/memory-core/testing';
import type { HookRun } from '@openviking/memory-core/testing';
import { hookEnvironment, hookInput } from './hook-input.ts';
import type { HookDetail, HookSituation } from './hook-input.ts';
import { judgeHook, translateClaudeAnswer } from './hook-output.ts';
import type { HookVerdict } from './hook-output.ts';
import { mergeHooks, readClaudeSettings, readHooksFile } from './hooks-file.ts';
import type { CursorEvent, CursorHook, CursorHooks, CursorProgram } from './hooks-file.ts';
import { TranscriptFile, transcriptsFolder } from './transcript-file.ts';
import type { TranscriptLayout } from './transcript-file.ts';

export interface CursorHostOptions {
  readonly home: string;
  /** Workspace of the conversations. */
  readonly cwd: string;
  /** The editor by default. */
  readonly program?: CursorProgram;
  /** `cursor-agent -p`: no hook runs for the prompt, for the answer and at the turn's end. */
  readonly print?: boolean;
  readonly layout?: TranscriptLayout;
  /** False: the client keeps no record of its conversations. */
  readonly keepsRecord?: boolean;
  /** Added to the environment of every hook. */
  readonly env?: Readonly<Record<string, string>>;
  /** The record of an answer appears this long after its hooks have run; 0 (default): before. */
  readonly recordLagMs?: number;
}

/** One hook that ran. */
export interface CursorHookRun {
  readonly event: CursorEvent;
  readonly hook: CursorHook;
  readonly run: HookRun;
  readonly verdict: HookVerdict;
}

export interface EventOutcome {
  readonly runs: readonly CursorHookRun[];
  readonly contexts: readonly string[];
  readonly denied: string | undefined;
  /** A hook broke the event without meaning to. */
  readonly broken: string | undefined;
  readonly followUp: string | undefined;
}

const NO_HOOKS: EventOutcome = { runs: [], contexts: [], denied: undefined, broken: undefined, followUp: undefined };

/** Plays one running client. A second host on the same home is the client after a restart. */
export class CursorHost {
  readonly options: CursorHostOptions;
  /** Every hook run of this process, in order of their end. */
  readonly runs: CursorHookRun[] = [];

  constructor(options: CursorHostOptions) {
    this.options = options;
  }

  /** The hooks of this moment: the file is watched, so that an edit counts at once. */
  readHooks(): CursorHooks {
    const { home, program = 'editor' } = this.options;
    const own = join(home, '.cursor', 'hooks.json');
    const claude = join(home, '.claude', 'settings.json');
    const reading = existsSync(own) ? readHooksFile(readFileSync(own, 'utf8'), program) : undefined;
    const imported: CursorHooks = existsSync(claude) ? readClaudeSettings(readFileSync(claude, 'utf8')) : new Map();
    return mergeHooks(reading?.kind === 'read' ? reading.hooks : new Map(), imported);
  }

  /** Opens a conversation; `resumed` continues one that an earlier process had. */
  startSession(resumed?: CursorSession): CursorSession {
    return new CursorSession(this, resumed);
  }

  /** Runs every hook of an event at the same time, as the client does. */
  async fire(situation: HookSituation, detail: HookDetail): Promise<EventOutcome> {
    const hooks = (this.readHooks().get(detail.event) ?? []).filter((hook) => applies(hook, detail));
    const runs = await Promise.all(
      hooks.map(async (hook): Promise<CursorHookRun> => {
        const run = await this.runHook(hook, situation, detail);
        return { event: detail.event, hook, run, verdict: judge(hook, run, detail) };
      }),
    );
    this.runs.push(...runs);
    const first = <K extends HookVerdict['kind']>(kind: K): Extract<HookVerdict, { kind: K }> | undefined =>
      runs
        .map(({ verdict }) => verdict)
        .find((verdict): verdict is Extract<HookVerdict, { kind: K }> => verdict.kind === kind);
    return {
      runs,
      contexts: runs.flatMap(({ verdict }) => (verdict.kind === 'context' ? [verdict.text] : [])),
      denied: first('deny')?.reason,
      broken: first('broken')?.reason,
      followUp: first('follow-up')?.text,
    };
  }

  private runHook(hook: CursorHook, situation: HookSituation, detail: HookDetail): Promise<HookRun> {
    const { home, env } = this.options;
    const folder = join(home, '.cursor');
    mkdirSync(folder, { recursive: true });
    return runHook({
      command: '/bin/sh',
      args: ['-c', hook.command],
      cwd: folder,
      env: { ...homeEnvironment(home, env), ...hookEnvironment(situation) },
      payload: hookInput(situation, detail),
      timeoutMs: hook.timeoutMs,
    });
  }
}

function applies({ matcher }: CursorHook, detail: HookDetail): boolean {
  if (matcher === undefined) return true;
  if (detail.event === 'preToolUse' || detail.event === 'postToolUse') return matcher.test(detail.toolName);
  return detail.event !== 'subagentStop' || matcher.test(detail.type);
}

function judge(hook: CursorHook, run: HookRun, { event }: HookDetail): HookVerdict {
  const translated = hook.origin === 'claude' ? translateClaudeAnswer(event, run.stdout) : undefined;
  return judgeHook(event, translated === undefined ? run : { ...run, stdout: translated }, hook.failClosed);
}

export interface PromptOutcome {
  readonly submit: EventOutcome;
  readonly blocked: string | undefined;
  /** The texts that hooks added for this prompt, as the model reads them. */
  readonly injected: string;
}

export interface ToolOutcome {
  readonly hooks: EventOutcome;
  /** The guard's reason, where the call did not run. */
  readonly denied: string | undefined;
  /** A note that a hook added although it let the call pass. */
  readonly note: string | undefined;
}

/** One conversation. The calls mirror what happens in the client: prompt, then any number of tools, then the answer. */
export class CursorSession {
  readonly id: string;
  readonly transcript: TranscriptFile;
  readonly #host: CursorHost;
  readonly #folder: string;
  #started: boolean;
  #generation = '';
  #unfinished: Promise<unknown> = Promise.resolve();

  constructor(host: CursorHost, resumed?: CursorSession) {
    const { home, cwd, layout = 'folder', program = 'editor', keepsRecord = true } = host.options;
    this.#host = host;
    this.id = resumed?.id ?? randomUUID();
    this.#folder = transcriptsFolder(home, cwd);
    const path =
      layout === 'flat' ? join(this.#folder, `${this.id}.jsonl`) : join(this.#folder, this.id, `${this.id}.jsonl`);
    this.transcript = resumed?.transcript ?? new TranscriptFile(path, keepsRecord);
    // The editor runs the event for a new conversation only.
    this.#started = resumed !== undefined && program === 'editor';
  }

  /** The user submits a prompt; the first one begins the conversation. */
  async prompt(text: string): Promise<PromptOutcome> {
    await this.#unfinished;
    let start = NO_HOOKS;
    if (!this.#started) {
      this.#started = true;
      start = await this.#fire({ event: 'sessionStart' });
    }
    this.#generation = randomUUID();
    const submit = this.#isPrint ? NO_HOOKS : await this.#fire({ event: 'beforeSubmitPrompt', prompt: text });
    const contexts = [...start.contexts, ...submit.contexts];
    if (submit.denied === undefined) this.transcript.user(text, submit.contexts);
    return { submit, blocked: submit.denied, injected: contexts.map(reminder).join('\n') };
  }

  /** One call of a tool. `say` is what the model writes before it. */
  async tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    output: string,
    { say = '' }: { readonly say?: string } = {},
  ): Promise<ToolOutcome> {
    this.transcript.assistant(say, [{ name, input }]);
    const hooks = await this.#fire({ event: 'preToolUse', toolName: name, toolInput: input });
    const denied = hooks.denied ?? hooks.broken;
    if (denied === undefined) {
      await this.#fire({ event: 'postToolUse', toolName: name, toolInput: input, toolOutput: output });
    }
    return { hooks, denied, note: hooks.contexts[0] };
  }

  /** The answer, then the end of the turn. */
  async answer(
    text: string,
    /** `missed`: the window was closed before any hook could run. */
    { stop = 'fired' }: { readonly stop?: 'fired' | 'missed' } = {},
  ): Promise<EventOutcome> {
    const record = (): void => {
      this.transcript.assistant(text);
      this.transcript.endTurn('success');
    };
    const lag = this.#host.options.recordLagMs ?? 0;
    if (lag === 0) record();
    let outcome = NO_HOOKS;
    if (stop === 'fired' && !this.#isPrint) {
      await this.#fire({ event: 'afterAgentResponse', text });
      outcome = await this.#fire({ event: 'stop', status: 'completed' });
    }
    if (lag > 0) {
      await new Promise((done) => setTimeout(done, lag));
      record();
    }
    return outcome;
  }

  /** The user stops the turn; the next prompt waits for its hooks. */
  abort(): void {
    this.transcript.endTurn('aborted');
    if (!this.#isPrint) this.#unfinished = this.#fire({ event: 'stop', status: 'aborted' });
  }

  /** The client makes room in the model's window. What the model gets after it, no hook can add to. */
  async compact(): Promise<EventOutcome> {
    return this.#fire({ event: 'preCompact' });
  }

  /**
   * A whole subagent within the running turn: its own record, its own conversation id in its hooks. Its end is told `ends`
   * times; the outcome is that of the last one.
   */
  async subagent(
    task: string,
    answer: string,
    { meanwhile, ends = 1 }: { readonly meanwhile?: () => void; readonly ends?: number } = {},
  ): Promise<{ readonly id: string; readonly outcome: EventOutcome }> {
    const id = randomUUID();
    const path = join(this.#folder, this.id, 'subagents', `${id}.jsonl`);
    const record = new TranscriptFile(path);
    this.transcript.assistant('', [{ name: 'Task', input: { description: 'a task', prompt: task } }]);
    record.user(task);
    record.assistant('', [{ name: 'Read', input: { path: 'README.md' } }]);
    const inside: HookSituation = { ...this.#situation, conversationId: id, transcriptPath: path };
    await this.#host.fire(inside, { event: 'preToolUse', toolName: 'Read', toolInput: { file_path: 'README.md' } });
    record.assistant(answer);
    record.endTurn('success');
    meanwhile?.();
    const end = { event: 'subagentStop', type: 'generalPurpose', task, summary: answer, transcriptPath: path } as const;
    for (let told = 1; told < ends; told += 1) await this.#fire(end);
    return { id, outcome: await this.#fire(end) };
  }

  /** The conversation is closed in a way that still runs hooks. */
  async end(): Promise<EventOutcome> {
    await this.#unfinished;
    return this.#fire({ event: 'sessionEnd' });
  }

  get #isPrint(): boolean {
    return this.#host.options.print === true;
  }

  get #situation(): HookSituation {
    return {
      conversationId: this.id,
      generationId: this.#generation,
      workspaceRoots: [this.#host.options.cwd],
      transcriptPath: this.transcript.path,
    };
  }

  #fire(detail: HookDetail): Promise<EventOutcome> {
    return this.#host.fire(this.#situation, detail);
  }
}

function reminder(context: string): string {
  return `<system_reminder>\n${context}\n</system_reminder>`;
}
