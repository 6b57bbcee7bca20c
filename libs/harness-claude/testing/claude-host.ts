/**
 * A strict stand-in for Claude Code. It reads settings and plugins as an installer left them, leaves out what the real client
 * leaves out, runs the handlers as the client runs them, believes their output only as far as the client does, and keeps the
 * record of the conversation: so that a whole conversation can be played and judged by what the model would have seen.
 *
 * The words around an added context are the client's; how the model takes them is nobody's to rely on.
 */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { homeEnvironment, runHook } from '@openviking/memory-core/testing';
import type { HookRun } from '@openviking/memory-core/testing';
import { configFolder, matches, readClientHooks } from './client-hooks.ts';
import type { ClaudeEvent, ClaudeHandler, ClientHooks } from './client-hooks.ts';
import { hookEnvironment, hookInput, matcherSubject } from './hook-input.ts';
import type { HookDetail, HookSituation } from './hook-input.ts';
import { judgeHook } from './output.ts';
import type { HookVerdict } from './output.ts';
import { TranscriptFile, transcriptPath } from './transcript-file.ts';
import type { Row } from './transcript-file.ts';

export interface ClaudeHostOptions {
  readonly home: string;
  /** Working directory of the conversations. */
  readonly cwd: string;
  /** Added to the environment of client and handlers. */
  readonly env?: Readonly<Record<string, string>>;
  /** False plays `--no-session-persistence`: the record is named and never written. */
  readonly keepsRecord?: boolean;
  /** False plays a build of old: neither events nor rows say which prompt they belong to. */
  readonly numbersTurns?: boolean;
}

/** One handler that ran. */
export interface HandlerRun {
  readonly event: ClaudeEvent;
  readonly handler: ClaudeHandler;
  readonly run: HookRun;
  readonly verdict: HookVerdict;
}

/** What all handlers of one event came to. */
export interface EventOutcome {
  readonly runs: readonly HandlerRun[];
  readonly contexts: readonly string[];
  readonly notices: readonly string[];
  readonly denied: string | undefined;
  readonly blocked: string | undefined;
}

/** Until a handler is ended, in seconds, where its entry says nothing. All handlers of a session's end share theirs. */
const DEFAULT_TIMEOUT_S = 600;
const SESSION_END_TIMEOUT_S = 1.5;

/** One installation of the client; every session is started from it. */
export class ClaudeHost {
  readonly options: ClaudeHostOptions;
  /** Every handler that ran, in order. */
  readonly runs: HandlerRun[] = [];

  constructor(options: ClaudeHostOptions) {
    this.options = options;
  }

  get configFolder(): string {
    return configFolder(this.options.home, this.options.env);
  }

  readHooks(): ClientHooks {
    return readClientHooks(this.configFolder);
  }

  startSession(): ClaudeSession {
    return new ClaudeSession(this, { source: 'startup' });
  }

  /** Goes on with a conversation, in a client that was started for it. */
  resumeSession(session: ClaudeSession): ClaudeSession {
    return new ClaudeSession(this, { source: 'resume', of: session });
  }

  forkSession(session: ClaudeSession): ClaudeSession {
    return new ClaudeSession(this, { source: 'fork', of: session });
  }

  /** Runs the handlers of an event side by side, as the client does. */
  async fire(hooks: ClientHooks, situation: HookSituation, detail: HookDetail): Promise<EventOutcome> {
    const subject = matcherSubject(detail, situation);
    const handlers = (hooks.handlers.get(detail.event) ?? []).filter(({ matcher }) => matches(matcher, subject));
    const judged = await Promise.all(
      handlers.map(async (handler) => {
        const run = await runHook({
          ...this.commandOf(handler, situation, detail),
          timeoutMs: timeoutMs(handler, detail),
        });
        return { event: detail.event, handler, run, ...judgeHook(detail.event, run) };
      }),
    );
    this.runs.push(...judged);
    return {
      runs: judged,
      contexts: judged.flatMap(({ verdict }) => (verdict.kind === 'context' ? [verdict.text] : [])),
      notices: judged.flatMap(({ notice }) => notice ?? []),
      denied: judged.flatMap(({ verdict }) => (verdict.kind === 'deny' ? [verdict.reason] : []))[0],
      blocked: judged.flatMap(({ verdict }) => (verdict.kind === 'block' ? [verdict.reason] : []))[0],
    };
  }

  /** How one handler is started: its line goes through a shell. */
  commandOf(handler: ClaudeHandler, situation: HookSituation, detail: HookDetail) {
    const { home, cwd, env } = this.options;
    return {
      command: '/bin/sh',
      args: ['-c', handler.command],
      cwd,
      env: { ...homeEnvironment(home, env), ...hookEnvironment(situation, handler.pluginRoot) },
      payload: hookInput(situation, detail),
    };
  }
}

function timeoutMs({ timeoutSeconds }: ClaudeHandler, { event }: HookDetail): number {
  return 1000 * (timeoutSeconds ?? (event === 'SessionEnd' ? SESSION_END_TIMEOUT_S : DEFAULT_TIMEOUT_S));
}

type Beginning =
  { readonly source: 'startup' | 'clear' } | { readonly source: 'resume' | 'fork'; readonly of: ClaudeSession };

/** One conversation. The calls mirror what happens in the client: prompt, then any number of tools, then the answer. */
export class ClaudeSession {
  readonly id: string;
  private readonly host: ClaudeHost;
  /** Read when the client starts: a later edit of the files needs a new one. */
  private readonly hooks: ClientHooks;
  private readonly beginning: Beginning;
  private readonly record: TranscriptFile | undefined;
  /** Copied into the record with the first prompt. */
  private readonly copied: readonly Row[];
  private readonly path: string;
  private started = false;
  private wasStopped = false;
  private promptId: string | undefined;

  constructor(host: ClaudeHost, beginning: Beginning) {
    const { cwd, keepsRecord, numbersTurns = true } = host.options;
    const of = 'of' in beginning ? beginning.of : undefined;
    this.host = host;
    this.beginning = beginning;
    this.hooks = host.readHooks();
    this.id = beginning.source === 'resume' ? beginning.of.id : randomUUID();
    this.path = transcriptPath(host.configFolder, cwd, this.id);
    this.copied = beginning.source === 'fork' ? (of?.record?.rows ?? []) : [];
    const before = beginning.source === 'resume' ? (of?.record?.rows ?? []) : [];
    this.wasStopped = of?.wasStopped ?? false;
    this.record =
      keepsRecord === false
        ? undefined
        : new TranscriptFile({ path: this.path, sessionId: this.id, cwd, numbersTurns }, before);
  }

  /** What every hook of this conversation is told. */
  get situation(): HookSituation {
    return {
      sessionId: this.id,
      transcriptPath: this.path,
      cwd: this.host.options.cwd,
      ...(this.promptId === undefined || this.host.options.numbersTurns === false ? {} : { promptId: this.promptId }),
    };
  }

  /** The user submits a prompt; what hooks add is shown to the model behind it. */
  async prompt(text: string): Promise<{ readonly injected: string; readonly notices: readonly string[] }> {
    const start = await this.start();
    this.promptId = randomUUID();
    const submit = await this.fire({ event: 'UserPromptSubmit', prompt: text });
    this.writePrompt(this.promptId, text, [...start.contexts, ...submit.contexts]);
    const injected = [
      ...start.contexts.map((context) => `SessionStart hook additional context: ${context}`),
      ...submit.contexts.map((context) => `UserPromptSubmit hook additional context: ${context}`),
    ].join('\n');
    return { injected, notices: [...start.notices, ...submit.notices] };
  }

  /** The user writes something while the model is at work: part of the running turn, with a hook of its own. */
  async remark(text: string): Promise<EventOutcome> {
    const outcome = await this.fire({ event: 'UserPromptSubmit', prompt: text });
    this.record?.attachment({ type: 'queued_command', prompt: text, commandMode: 'prompt', rowSource: 'local' });
    return outcome;
  }

  /** A background task has ended: the client prompts the model in the user's place. */
  async notify(summary: string): Promise<EventOutcome> {
    this.promptId = randomUUID();
    const text = `<task-notification>\n<summary>${summary}</summary>\n</task-notification>`;
    const outcome = await this.fire({ event: 'UserPromptSubmit', prompt: text });
    this.record?.prompt(this.promptId, text, {
      origin: { kind: 'task-notification', producer: 'session-task' },
      promptSource: 'system',
      turnOrigin: 'task_notification',
    });
    return outcome;
  }

  /** One model step that calls a tool. `say` is what the model writes before the call. */
  async tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    output: string,
    options: { readonly say?: string; readonly isError?: boolean } = {},
  ): Promise<{ readonly denied: string | undefined; readonly note: string | undefined; readonly hooks: EventOutcome }> {
    const promptId = this.running();
    const toolUseId = `toolu_${randomUUID().slice(0, 8)}`;
    const call = { type: 'tool_use', id: toolUseId, name, input };
    const spoken = options.say === undefined ? [] : [{ type: 'text', text: options.say }];
    this.record?.assistant([{ type: 'thinking', thinking: 'A tool is needed.' }, ...spoken, call], 'tool_use');
    const detail = { toolName: name, toolInput: input, toolUseId };
    const hooks = await this.fire({ event: 'PreToolUse', ...detail });
    for (const context of hooks.contexts) this.addedContext('PreToolUse', context);
    const result = hooks.denied ?? output;
    const isError = hooks.denied !== undefined || options.isError === true;
    if (hooks.denied === undefined) {
      await this.fire({ event: 'PostToolUse', ...detail, toolResponse: { stdout: output, stderr: '' } });
    }
    this.record?.toolResult(promptId, toolUseId, result, isError);
    return { denied: hooks.denied, note: hooks.contexts[0], hooks };
  }

  /** The last model step of the turn, then Stop. `missed`: the client was killed in between. */
  async answer(text: string, stop: 'fired' | 'missed' = 'fired'): Promise<EventOutcome | undefined> {
    this.running();
    this.record?.assistant(
      [
        { type: 'thinking', thinking: 'Now the answer.' },
        { type: 'text', text },
      ],
      'end_turn',
    );
    if (stop === 'missed') return undefined;
    const outcome = await this.fire({ event: 'Stop', answer: text });
    this.record?.system('stop_hook_summary', { hookCount: outcome.runs.length });
    this.record?.note('last-prompt', { lastPrompt: 'what was asked last' });
    this.record?.note('cost-state');
    return outcome;
  }

  /** The user stops the model in the middle of a sentence: no Stop hook runs. */
  abort(half = 'Half an answer that nobody'): void {
    const promptId = this.running();
    this.record?.assistant([{ type: 'text', text: half }], null, { isAbortedMidStream: true });
    this.record?.user(promptId, [{ type: 'text', text: '[Request interrupted by user]' }], { rowSource: 'harness' });
    this.wasStopped = true;
  }

  /** A whole subagent within the running turn, and the call that started it. Its end is told `ends` times. */
  async subagent(
    task: string,
    answer: string,
    {
      type = 'general-purpose',
      meanwhile,
      ends = 1,
    }: { readonly type?: string; readonly meanwhile?: () => void; readonly ends?: number } = {},
  ): Promise<{ readonly id: string; readonly injected: string }> {
    const promptId = this.running();
    const toolUseId = `toolu_${randomUUID().slice(0, 8)}`;
    const input = { description: 'a task', prompt: task, subagent_type: type };
    this.record?.assistant([{ type: 'tool_use', id: toolUseId, name: 'Task', input }], 'tool_use');
    await this.fire({ event: 'PreToolUse', toolName: 'Agent', toolInput: input, toolUseId });
    const id = `a${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const agent = { id, type };
    const start = await this.host.fire(this.hooks, { ...this.situation, agent }, { event: 'SubagentStart' });
    const path = join(dirname(this.path), this.id, 'subagents', `agent-${id}.jsonl`);
    const { cwd } = this.host.options;
    const record =
      this.record === undefined ? undefined : new TranscriptFile({ path, sessionId: this.id, cwd, agentId: id });
    record?.prompt(promptId, task);
    for (const context of start.contexts) record?.attachment({ type: 'hook_additional_context', content: [context] });
    record?.note('api-request-blob', { agentId: id, message: { role: 'user', content: [task, ...start.contexts] } });
    record?.assistant([{ type: 'text', text: answer }], 'end_turn');
    meanwhile?.();
    const end = { event: 'SubagentStop', answer, agentTranscriptPath: path } as const;
    for (let told = 0; told < ends; told += 1) await this.host.fire(this.hooks, { ...this.situation, agent }, end);
    this.record?.toolResult(promptId, toolUseId, [{ type: 'text', text: answer }], false);
    return { id, injected: start.contexts.join('\n') };
  }

  /** The client replaces the conversation with a summary that it gets from subagents of its own. */
  async compact(summary = 'A summary of what was said.'): Promise<{ readonly injected: string }> {
    await this.start();
    this.promptId = randomUUID();
    const { promptId } = this;
    await this.fire({ event: 'PreCompact' });
    const agent = { id: `a${randomUUID().replaceAll('-', '').slice(0, 16)}`, type: '' };
    const agentTranscriptPath = join(dirname(this.path), this.id, 'subagents', `agent-${agent.id}.jsonl`);
    await this.host.fire(
      this.hooks,
      { ...this.situation, agent },
      { event: 'SubagentStop', answer: summary, agentTranscriptPath },
    );
    const start = await this.fire({ event: 'SessionStart', source: 'compact' });
    this.record?.system('compact_boundary', {
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'manual' },
    });
    this.record?.user(promptId, `This session is being continued from a previous conversation. ${summary}`, {
      isVisibleInTranscriptOnly: true,
      isCompactSummary: true,
    });
    this.record?.user(promptId, '<local-command-caveat>A note of the client.</local-command-caveat>', { isMeta: true });
    this.record?.user(promptId, '<command-name>/compact</command-name>\n<command-args></command-args>');
    this.record?.user(promptId, '<local-command-stdout>Compacted</local-command-stdout>');
    await this.fire({ event: 'PostCompact', summary });
    for (const context of start.contexts) this.addedContext('SessionStart', context);
    return { injected: start.contexts.join('\n') };
  }

  /** The user leaves, or the client is told to go. */
  end(reason: 'clear' | 'other' = 'other'): Promise<EventOutcome> {
    return this.fire({ event: 'SessionEnd', reason });
  }

  private fire(detail: HookDetail): Promise<EventOutcome> {
    return this.host.fire(this.hooks, this.situation, detail);
  }

  private async start(): Promise<EventOutcome> {
    if (this.started) return { runs: [], contexts: [], notices: [], denied: undefined, blocked: undefined };
    this.started = true;
    const outcome = await this.fire({ event: 'SessionStart', source: this.beginning.source });
    if (this.beginning.source === 'resume' && this.wasStopped) this.record?.synthetic('No response requested.');
    return outcome;
  }

  /** A prompt's rows: the user's own between copies of everything that the model gets. */
  private writePrompt(promptId: string, text: string, contexts: readonly string[]): void {
    this.record?.note('queue-operation', { operation: 'enqueue', content: text });
    this.record?.note('queue-operation', { operation: 'dequeue' });
    if (this.record?.rows.every(({ type }) => type === 'queue-operation') === true) {
      this.record.copy(this.copied, promptId);
    }
    this.record?.prompt(promptId, text);
    this.record?.attachment({ type: 'environment', snapshot: {} });
    for (const context of contexts) this.addedContext('UserPromptSubmit', context);
    const blocks = [text, ...contexts].map((content) => ({ type: 'text', text: content }));
    this.record?.note('api-request-blob', { hash: randomUUID(), message: { role: 'user', content: blocks } });
    this.record?.note('api-request', { querySource: 'sdk' });
  }

  private addedContext(hookEvent: ClaudeEvent, context: string): void {
    this.record?.attachment({ type: 'hook_additional_context', content: [context], hookEvent });
  }

  private running(): string {
    if (this.promptId === undefined) throw new Error('prompt() opens a turn; nothing else can come first');
    return this.promptId;
  }
}
