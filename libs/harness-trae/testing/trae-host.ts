/**
 * A strict stand-in for TRAE. It reads the `hooks.json` that an installer wrote, passes over what the real client would,
 * runs the handlers through a shell as the client does, and believes their output only as far as the client does, so that
 * a conversation can be played and judged by what the model would have seen.
 *
 * What is not known about the client (the wording around an added context) is made up here and nothing may rely on it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeEnvironment, runHook } from '@openviking/memory-core/testing';
import type { HookCommand, HookRun } from '@openviking/memory-core/testing';
import { matcherApplies, NO_HOOKS, readClaudeHooks, readTraeHooks } from './hook-file.ts';
import type { TraeEvent, TraeGroup, TraeHandler, TraeHooks } from './hook-file.ts';
import { judgeHook } from './output.ts';
import type { HookVerdict } from './output.ts';

export interface TraeHostOptions {
  readonly home: string;
  /** Root of the workspace. */
  readonly cwd: string;
  /** Folder of the edition in the home. */
  readonly folder: '.trae' | '.trae-cn';
  /** False plays a client whose user has not allowed hooks in the settings: none runs. True by default. */
  readonly allowed?: boolean;
  /** The agent that works; every payload names it, the main one too. `null`: a build that names none. */
  readonly agentId?: string | null;
  /** Where Stop carries the answer; builds differ. */
  readonly answerKey?: 'last_assistant_message' | 'text_content';
  /** Windows builds put one in front of every payload. */
  readonly byteOrderMark?: boolean;
}

export interface HandlerRun {
  readonly event: TraeEvent;
  /** The line that was run. */
  readonly command: string;
  readonly run: HookRun;
  readonly verdict: HookVerdict;
}

export interface EventOutcome {
  readonly contexts: readonly string[];
  readonly denied: string | undefined;
}

const NOTHING_RAN: EventOutcome = { contexts: [], denied: undefined };

/** Plays one running client. A second host on the same home is the client after a restart. */
export class TraeHost {
  readonly options: TraeHostOptions;
  /** Every handler run of this process, in order of their end. */
  readonly runs: HandlerRun[] = [];

  constructor(options: TraeHostOptions) {
    this.options = options;
  }

  /** What the client makes of its hook file at this moment. */
  readHooks(): TraeHooks {
    const file = join(this.options.home, this.options.folder, 'hooks.json');
    return existsSync(file) ? readTraeHooks(readFileSync(file, 'utf8')) : NO_HOOKS;
  }

  /** The hooks of Claude Code's settings, the user's and the project's, which it runs beside its own. */
  private importedGroups(event: TraeEvent): readonly TraeGroup[] {
    const { home, cwd } = this.options;
    return [join(home, '.claude'), join(cwd, '.claude')]
      .flatMap((folder) => ['settings.json', 'settings.local.json'].map((name) => join(folder, name)))
      .filter((file) => existsSync(file))
      .flatMap((file) => readClaudeHooks(readFileSync(file, 'utf8')).events.get(event) ?? []);
  }

  /** Opens a conversation; with `id` one that an earlier process had. */
  startSession(id: string = randomUUID()): TraeSession {
    return new TraeSession(this, id);
  }

  /** Runs every handler of an event, its own ones first and in the order of the file. */
  async fire(event: TraeEvent, sessionId: string, detail: Readonly<Record<string, unknown>>): Promise<EventOutcome> {
    if (this.options.allowed === false) return NOTHING_RAN;
    const runs: HandlerRun[] = [];
    const tool = detail['tool_name'];
    for (const group of [...(this.readHooks().events.get(event) ?? []), ...this.importedGroups(event)]) {
      if (typeof tool === 'string' && !matcherApplies(group.matcher, tool)) continue;
      for (const handler of group.handlers) {
        const run = await runHook({
          ...this.commandOf(handler),
          payload: this.payload(event, sessionId, detail),
          timeoutMs: handler.timeoutMs,
        });
        runs.push({ event, command: handler.command, run, verdict: judgeHook(event, run) });
      }
    }
    this.runs.push(...runs);
    const verdicts = runs.map(({ verdict }) => verdict);
    return {
      contexts: verdicts.flatMap((verdict) => (verdict.kind === 'context' ? [verdict.text] : [])),
      denied: verdicts.find((verdict) => verdict.kind === 'deny')?.reason,
    };
  }

  /** What a handler of this event reads from stdin. */
  payload(event: TraeEvent, sessionId: string, detail: Readonly<Record<string, unknown>>): string {
    const { cwd, agentId = 'solo_agent', byteOrderMark } = this.options;
    const agent = agentId === null ? {} : { agent_id: agentId };
    const common = { session_id: sessionId, cwd, workspace_roots: [cwd], ...agent, hook_event_name: event };
    return `${byteOrderMark === true ? '\uFEFF' : ''}${JSON.stringify({ ...common, ...detail })}\n`;
  }

  /**
   * A handler goes through a shell, with the little environment that a graphical client has, and the workspace in it under
   * its own name and under that of Claude Code.
   */
  commandOf(handler: TraeHandler): HookCommand {
    const { home, cwd } = this.options;
    const workspace = { TRAE_PROJECT_DIR: cwd, CLAUDE_PROJECT_DIR: cwd };
    return {
      command: '/bin/sh',
      args: ['-c', handler.command],
      cwd,
      env: homeEnvironment(home, { PATH: '/usr/bin:/bin', ...workspace }),
    };
  }
}

/** One conversation. The calls mirror what happens in the client: prompt, then any number of tools, then the answer. */
export class TraeSession {
  readonly id: string;
  private readonly host: TraeHost;
  private started = false;

  constructor(host: TraeHost, id: string) {
    this.host = host;
    this.id = id;
  }

  /** The user submits a prompt; the first one of a process is preceded by the session's start. */
  async prompt(text: string): Promise<{ readonly injected: string }> {
    const contexts: string[] = [];
    if (!this.started) {
      this.started = true;
      contexts.push(...(await this.host.fire('SessionStart', this.id, {})).contexts);
    }
    contexts.push(...(await this.host.fire('UserPromptSubmit', this.id, { prompt: text })).contexts);
    return { injected: contexts.map((context) => `Hook context:\n${context}`).join('\n') };
  }

  /** The model calls a tool. */
  async tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    output: string,
  ): Promise<{ readonly denied: string | undefined; readonly note: string | undefined }> {
    const call = { tool_name: name, tool_input: input };
    const { denied, contexts } = await this.host.fire('PreToolUse', this.id, call);
    if (denied === undefined) await this.host.fire('PostToolUse', this.id, { ...call, tool_response: output });
    return { denied, note: contexts[0] };
  }

  /** The turn ends with the model's answer; some builds repeat its prompt. */
  async answer(text: string, repeated?: string): Promise<EventOutcome> {
    const key = this.host.options.answerKey ?? 'last_assistant_message';
    return this.host.fire('Stop', this.id, { [key]: text, ...(repeated === undefined ? {} : { prompt: repeated }) });
  }
}
