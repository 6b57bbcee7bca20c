/** What a harness hands to the conformance suite: a fake client that is wired to its bundles, and what that client can do. */
import type { AbsentCapability, EventBinding, HarnessDeclaration } from '../../src/contract/harness.ts';
import type { HookCommand, HookRun } from '../hook-driver.ts';

/** A conversation as the suite plays it. What a client cannot do has no member, and is declared absent. */
export interface ConformanceSession {
  /** The id under which the server must know it. */
  readonly serverSessionId: string;
  /** Submits a prompt; resolves with everything that hooks showed to the model for it, and what they told the user. */
  prompt(text: string): Promise<{ readonly injected: string; readonly notice?: string | undefined }>;
  tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    output: string,
  ): Promise<{ readonly denied: string | undefined; readonly note: string | undefined }>;
  /** Ends the turn with the model's answer; again, when another program's hook has sent the model on. */
  answer(text: string): Promise<unknown>;
  /** The user adds something while the model is at work, or goes on after an end that was none. */
  remark(text: string): Promise<unknown>;
  /** The user stops the turn before the answer. */
  abort(): void;
  /** The model has answered, the client's record shows it, and no hook was told: the window was closed. */
  missTurnEnd?(text: string): void | Promise<void>;
  /** The same conversation in a newly started client. */
  resume(): ConformanceSession;
  /** A copy of the conversation under an id of its own, with the history that the client copies. */
  fork?(): ConformanceSession;
  /**
   * The client replaces the conversation with `summary`; resolves with what hooks showed to the model after it, which may
   * come only with the next prompt.
   */
  compact?(summary: string): Promise<{ readonly injected: string }>;
  /** The user leaves. */
  end?(): Promise<unknown>;
  /** Within the running turn, a whole subagent: its task, its answer, and what happens while it is at work. */
  subagent?(
    task: string,
    answer: string,
    meanwhile?: () => void,
  ): Promise<{ readonly serverSessionId: string; readonly injected: string }>;
}

/** A fake client with the harness wired in. */
export interface ConformanceHost {
  startSession(): ConformanceSession;
  /** Every handler that ran, in order. */
  hookRuns(): readonly HookRun[];
  /** How the client starts the handler of one declared event, and a payload that makes it answer where it can. */
  invocation(binding: EventBinding): HookCommand & { readonly payload: string };
}

export interface ConformanceContext {
  readonly home: string;
  /** Working directory of the conversations. */
  readonly cwd: string;
  readonly payloadDir: string;
}

/** Parts of the suite. */
export const CONCERNS = ['recall', 'tool-guard', 'capture', 'course', 'trouble', 'broken-input'] as const;
export type Concern = (typeof CONCERNS)[number];

export interface ConformanceOptions {
  /** What the client can do and what it cannot: the suite demands the one and passes over the other. */
  readonly declaration: Pick<HarnessDeclaration, 'id' | 'events' | 'absent' | 'commitAt'>;
  /** Folder with the built bundles. */
  readonly payloadDir: string;
  /** Wires the bundles into a scratch home as an installer would, and starts the fake client there. */
  createHost(context: ConformanceContext): ConformanceHost | Promise<ConformanceHost>;
  /** Tool names of this client. */
  readonly tools: { readonly read: string; readonly search: string; readonly shell: string };
  /** All by default. Who runs the suite a second time, started another way, needs not what that way cannot change. */
  readonly concerns?: readonly Concern[];
}

export type Capability = AbsentCapability['capability'];
