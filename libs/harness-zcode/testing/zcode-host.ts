/**
 * A strict stand-in for the ZCode client. It reads the `config.json` that an installer wrote, drops it where the real
 * client would, runs the handlers as the client runs them, believes their output only as far as the client does, and keeps
 * the client's rollout files: so that a whole conversation can be played and judged by what the model would have seen.
 *
 * What is not known about the client (the exact wording around an added context) is made up here and nothing may rely on it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeEnvironment, runHook } from '@openviking/memory-core/testing';
import type { HookCommand, HookRun } from '@openviking/memory-core/testing';
import { EMPTY_ZCODE_CONFIG, matcherApplies, readZcodeConfig } from './config.ts';
import type { ZcodeConfig, ZcodeConfigReading, ZcodeEvent, ZcodeHandler } from './config.ts';
import { hookEnvironment, hookInput, matcherSubject, transcriptText } from './hook-input.ts';
import type { HookDetail, HookSituation } from './hook-input.ts';
import { judgeHook, wrapContexts } from './output.ts';
import type { HookVerdict } from './output.ts';
import { RolloutWriter } from './rollout.ts';
import type { ModelMessage, RequestAttempt, RolloutOptions, ToolCall } from './rollout.ts';

export interface ZcodeHostOptions {
  readonly home: string;
  /** Working directory of the conversations. */
  readonly cwd: string;
  /** Added to the environment of every handler. */
  readonly env?: Readonly<Record<string, string>>;
  /** False plays a runtime before 0.16.9; true by default. */
  readonly knowsProcessHandlers?: boolean;
  /** Where an added context goes: a message before the prompt (default), or a system message behind it. */
  readonly injection?: 'user-message' | 'system-message';
  readonly rollout?: RolloutOptions;
}

/** One handler that ran. */
export interface HandlerRun {
  readonly event: ZcodeEvent;
  readonly handler: ZcodeHandler;
  readonly run: HookRun;
  readonly verdict: HookVerdict;
}

/** What all handlers of one event came to. */
export interface EventOutcome {
  readonly runs: readonly HandlerRun[];
  readonly contexts: readonly string[];
  readonly denied: string | undefined;
  readonly blocked: string | undefined;
}

export interface PromptOutcome {
  readonly turnId: string;
  /** The added contexts without the client's wrapping. */
  readonly sessionStart: EventOutcome | undefined;
  readonly submit: EventOutcome;
  readonly blocked: string | undefined;
  /** Every message that the model gets for this prompt, history included. */
  readonly modelSees: readonly ModelMessage[];
  /** The texts that hooks added in this turn, as the model reads them. */
  readonly injected: string;
}

export interface ToolOutcome {
  readonly hooks: EventOutcome;
  /** The guard's reason, where the call did not run. */
  readonly denied: string | undefined;
  /** A note that a hook added although it let the call pass. */
  readonly note: string | undefined;
}

export interface StopOutcome {
  readonly hooks: EventOutcome;
}

/** Plays one running client. A second host on the same home is the client after a restart. */
export class ZcodeHost {
  readonly options: ZcodeHostOptions;
  /** Every handler run of this process, in order of their end. */
  readonly runs: HandlerRun[] = [];
  readonly rollout: RolloutWriter;

  constructor(options: ZcodeHostOptions) {
    this.options = options;
    this.rollout = new RolloutWriter(join(options.home, '.zcode', 'cli', 'rollout'), options.rollout);
  }

  /** How the client takes `~/.zcode/cli/config.json` at this moment. */
  readConfig(): ZcodeConfigReading {
    const file = join(this.options.home, '.zcode', 'cli', 'config.json');
    if (!existsSync(file)) return { kind: 'read', config: EMPTY_ZCODE_CONFIG };
    return readZcodeConfig(readFileSync(file, 'utf8'), {
      knowsProcessHandlers: this.options.knowsProcessHandlers ?? true,
    });
  }

  /** Opens a conversation; `resumed` continues one that an earlier process had. */
  startSession(resumed?: ZcodeSession): ZcodeSession {
    return new ZcodeSession(this, resumed);
  }

  /** Plays what a subagent leaves behind: a rollout file of its own, which counts for the three-file limit. */
  runSubagent(prompt: string, answer: string): string {
    const sessionId = `sess_subagent_agent_${randomUUID()}`;
    this.rollout.append({
      sessionId,
      turnId: `turn_${randomUUID()}`,
      traceId: randomUUID(),
      querySource: 'subagent',
      attempt: 1,
      messages: [SYSTEM, { role: 'user', content: prompt }],
      outcome: { kind: 'answer', text: answer, toolCalls: [] },
    });
    return sessionId;
  }

  /** Runs every handler of an event in the order of the file. */
  async fire(config: ZcodeConfig, session: ZcodeSession, detail: HookDetail): Promise<EventOutcome> {
    const runs: HandlerRun[] = [];
    const subject = matcherSubject(detail);
    for (const group of config.hooksEnabled ? (config.events.get(detail.event) ?? []) : []) {
      if (subject !== undefined && !matcherApplies(group.matcher, subject)) continue;
      for (const handler of group.handlers) {
        const run = await this.runHandler(handler, session, detail);
        const verdict: HookVerdict = handler.async
          ? { kind: 'nothing' }
          : judgeHook(detail.event, run, config.maxOutputBytes);
        runs.push({ event: detail.event, handler, run, verdict });
      }
    }
    this.runs.push(...runs);
    const contexts = runs.flatMap(({ verdict }) =>
      (verdict.kind === 'context' || verdict.kind === 'allow') && verdict.text !== undefined ? [verdict.text] : [],
    );
    const denied = runs.map(({ verdict }) => (verdict.kind === 'deny' ? verdict.reason : undefined));
    const blocked = runs.map(({ verdict }) => (verdict.kind === 'block' ? verdict.reason : undefined));
    return {
      runs,
      contexts,
      denied: denied.find((reason) => reason !== undefined),
      blocked: blocked.find((reason) => reason !== undefined),
    };
  }

  private async runHandler(handler: ZcodeHandler, session: ZcodeSession, detail: HookDetail): Promise<HookRun> {
    const scratch = mkdtempSync(join(tmpdir(), 'zcode-hook-'));
    const transcriptPath = join(scratch, 'transcript.jsonl');
    writeFileSync(transcriptPath, transcriptText(detail));
    try {
      return await runHook({
        ...startOf(handler),
        cwd: this.options.cwd,
        env: {
          ...homeEnvironment(this.options.home, this.options.env),
          ...hookEnvironment(session.id, this.options.cwd),
        },
        payload: hookInput(session.situation(transcriptPath), detail),
        timeoutMs: handler.timeoutMs,
      });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
}

/** Program and arguments of a handler: a command goes through a shell, a process does not. */
export function startOf(handler: ZcodeHandler): Pick<HookCommand, 'command' | 'args'> {
  return handler.type === 'process'
    ? { command: handler.command, args: handler.args }
    : { command: '/bin/sh', args: ['-c', handler.command] };
}

const SYSTEM: ModelMessage = { role: 'system', content: 'You are a coding agent.' };

/** One conversation. The calls mirror what happens in the client: prompt, then any number of tools, then the answer. */
export class ZcodeSession {
  readonly id: string;
  private readonly host: ZcodeHost;
  /** Read once per session: a later edit of the file needs a new session, as in the client. */
  private readonly config: ZcodeConfig;
  private readonly traceId = randomUUID();
  private readonly resumed: boolean;
  private history: ModelMessage[];
  private started = false;
  private turnId: string | undefined;
  private attempt = 1;
  private toolCalls = 0;

  constructor(host: ZcodeHost, resumed?: ZcodeSession) {
    this.host = host;
    this.resumed = resumed !== undefined;
    this.id = resumed?.id ?? `sess_${randomUUID()}`;
    this.history = resumed === undefined ? [SYSTEM] : [...resumed.history];
    const reading = host.readConfig();
    this.config = reading.kind === 'read' ? reading.config : EMPTY_ZCODE_CONFIG;
  }

  /** Path of this conversation's rollout file. */
  get rolloutPath(): string {
    return this.host.rollout.path(this.id);
  }

  situation(transcriptPath: string): HookSituation {
    return {
      sessionId: this.id,
      traceId: this.traceId,
      cwd: this.host.options.cwd,
      transcriptPath,
      ...(this.turnId === undefined ? {} : { turnId: this.turnId }),
    };
  }

  /** The user submits a prompt. The session's start runs first, inside the same turn. */
  async prompt(text: string): Promise<PromptOutcome> {
    const turnId = `turn_${randomUUID()}`;
    this.turnId = turnId;
    this.attempt = 1;
    this.toolCalls = 0;
    let sessionStart: EventOutcome | undefined;
    if (!this.started) {
      this.started = true;
      const source = this.resumed ? 'resume' : 'startup';
      sessionStart = await this.host.fire(this.config, this, { event: 'SessionStart', source });
    }
    const submit = await this.host.fire(this.config, this, { event: 'UserPromptSubmit', prompt: text });
    const blocked = sessionStart?.blocked ?? submit.blocked;
    const wrapped = [
      wrapContexts('SessionStart', sessionStart?.contexts ?? []),
      wrapContexts('UserPromptSubmit', submit.contexts),
    ].filter((context) => context !== undefined);
    if (blocked === undefined) {
      const prompt: ModelMessage = { role: 'user', content: text };
      if (this.host.options.injection === 'system-message') {
        const bare = [...(sessionStart?.contexts ?? []), ...submit.contexts];
        this.history.push(prompt, ...bare.map((content): ModelMessage => ({ role: 'system', content })));
      } else {
        this.history.push(...wrapped.map((content): ModelMessage => ({ role: 'user', content })), prompt);
      }
    }
    return {
      turnId,
      sessionStart,
      submit,
      blocked,
      modelSees: [...this.history],
      injected: wrapped.join('\n'),
    };
  }

  /** The user adds something while the model is at work: the same turn goes on with it. */
  async remark(text: string): Promise<EventOutcome> {
    const outcome = await this.host.fire(this.config, this, { event: 'UserPromptSubmit', prompt: text });
    this.history.push({ role: 'user', content: text });
    return outcome;
  }

  /** One model step that calls a tool. `say` is what the model writes before the call. */
  async tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    output: string,
    options: { readonly say?: string; readonly isError?: boolean } = {},
  ): Promise<ToolOutcome> {
    const call: ToolCall = { id: `call_${randomUUID().slice(0, 8)}`, name, input };
    const say = options.say ?? '';
    this.toolCalls += 1;
    this.writeLine({ kind: 'answer', text: say, toolCalls: [call] });
    const hooks = await this.host.fire(this.config, this, {
      event: 'PreToolUse',
      toolName: name,
      toolInput: input,
      toolCallId: call.id,
    });
    const result = hooks.denied ?? output;
    this.history.push(
      { role: 'assistant', content: say, toolCalls: [call] },
      {
        role: 'tool',
        content: result,
        toolCallId: call.id,
        toolName: name,
        isError: hooks.denied !== undefined || options.isError === true,
      },
    );
    if (hooks.denied === undefined) {
      await this.host.fire(this.config, this, {
        event: 'PostToolUse',
        toolName: name,
        toolInput: input,
        toolCallId: call.id,
        toolResponse: { stdout: output, stderr: '', exitCode: 0 },
      });
    }
    return { hooks, denied: hooks.denied, note: hooks.contexts[0] };
  }

  /** The last model step of the turn, then Stop. */
  async answer(
    text: string,
    options: {
      /** The rollout line appears this long after Stop has fired; 0 (default): before it. */
      readonly lineAfterStopMs?: number;
      /** `missed`: the window was closed before Stop ran. */
      readonly stop?: 'fired' | 'missed';
    } = {},
  ): Promise<StopOutcome> {
    const delay = options.lineAfterStopMs ?? 0;
    const line = this.attemptOf({ kind: 'answer', text, toolCalls: [] });
    let late: Promise<void> | undefined;
    if (delay === 0) this.host.rollout.append(line);
    else {
      late = new Promise((done) => {
        setTimeout(() => {
          this.host.rollout.append(line);
          done();
        }, delay);
      });
    }
    this.history.push({ role: 'assistant', content: text });
    const hooks =
      options.stop === 'missed'
        ? { runs: [], contexts: [], denied: undefined, blocked: undefined }
        : await this.host.fire(this.config, this, { event: 'Stop', answer: text, toolCallCount: this.toolCalls });
    await late;
    return { hooks };
  }

  /** A request to the model that failed and is tried again. A streamed attempt leaves no line behind. */
  failAttempt(options: { readonly recorded: boolean }): void {
    if (options.recorded) this.writeLine({ kind: 'error', name: 'AI_APICallError', message: 'the model said 500' });
    this.attempt += 1;
  }

  /** The user stops the turn: no Stop hook runs. */
  abort(options: { readonly recorded?: boolean } = {}): void {
    if (options.recorded === true)
      this.writeLine({ kind: 'error', name: 'AbortError', message: 'aborted by the user' });
  }

  /** The client asks the model for a title; that request stands in the same file. */
  title(text: string): void {
    const prompt = this.history.findLast((message) => message.role === 'user')?.content ?? '';
    this.host.rollout.append({
      ...this.attemptOf({ kind: 'answer', text: JSON.stringify({ title: text }), toolCalls: [] }),
      querySource: 'session_title',
      attempt: 1,
      messages: [
        { role: 'system', content: 'Write a title for this conversation.' },
        { role: 'user', content: prompt },
      ],
    });
  }

  /** The client shortens the conversation: the message list shrinks to a summary. */
  compact(summary: string): void {
    this.host.rollout.append({
      ...this.attemptOf({ kind: 'answer', text: summary, toolCalls: [] }),
      querySource: 'compact',
      attempt: 1,
    });
    this.history = [SYSTEM, { role: 'user', content: summary }];
  }

  private writeLine(outcome: RequestAttempt['outcome']): void {
    this.host.rollout.append(this.attemptOf(outcome));
  }

  private attemptOf(outcome: RequestAttempt['outcome']): RequestAttempt {
    if (this.turnId === undefined) throw new Error('prompt() opens a turn; nothing else can come first');
    return {
      sessionId: this.id,
      turnId: this.turnId,
      traceId: this.traceId,
      querySource: 'main_turn',
      attempt: this.attempt,
      messages: [...this.history],
      outcome,
    };
  }
}
