/**
 * Plays one conversation through the hook bundles as processes, and remembers what was said and which processes were
 * killed while saying it: what the server must hold at the end follows from that and from nothing else.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hookEnvironment, hookInput, RolloutWriter, ZCODE_WIRING } from '@openviking/harness-zcode/testing';
import { homeEnvironment, runHook } from '@openviking/memory-core/testing';
import type { HookDetail, ModelMessage, ToolCall } from '@openviking/harness-zcode/testing';
import type { HookRun } from '@openviking/memory-core/testing';
import type { Scene } from './scene.ts';

/** How one hook process is made to die; nothing: it is left alone. */
export interface Doom {
  /** `OPENVIKING_CRASH_AT`: also of the worker that the hook starts. */
  readonly crashAt?: string;
  /** SIGKILL for the hook's group this many ms after its start. */
  readonly killAfterMs?: number;
}

export type HookFate = 'finished' | 'killed' | 'not run';

export interface Step {
  readonly say: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
}

/** A turn as it was said. */
export interface Turn {
  readonly id: string;
  readonly text: string;
  prompt: HookFate;
  /** The journal holds the prompt although its hook was killed. */
  noted: boolean;
  readonly steps: readonly Step[];
  answer?: string;
  stop: HookFate;
  /** When Stop fired, something had been written down of this conversation. */
  knownAtEnd: boolean;
  /**
   * What the client's own record shows: nothing, the steps without the answer, or all of it – `late` when the answer's line
   * came only after Stop had fired.
   */
  record: 'none' | 'steps' | 'whole' | 'late';
}

export interface PlayerOptions {
  /** The client keeps a rollout file of this conversation. */
  readonly recorded: boolean;
}

const SYSTEM: ModelMessage = { role: 'system', content: 'You are a coding agent.' };

export class Player {
  readonly nativeId = `sess_${randomUUID()}`;
  /** In the order in which they were said. */
  readonly turns: Turn[] = [];
  readonly options: PlayerOptions;
  /** Kills from outside, by `killAfterMs`. */
  killed = 0;
  /** Hooks that did what no hook may: another exit code than 0, or an answer where there is none to give. */
  readonly misdeeds: string[] = [];
  private readonly scene: Scene;
  private readonly rollout: RolloutWriter;
  private readonly traceId = randomUUID();
  private history: ModelMessage[] = [SYSTEM];

  constructor(scene: Scene, options: PlayerOptions) {
    this.scene = scene;
    this.options = options;
    // How many files the client keeps is not the matter here: a conversation whose record is gone has the same fate as one
    // that never had any.
    this.rollout = new RolloutWriter(scene.home.at('.zcode', 'cli', 'rollout'), { fileLimit: 10_000 });
  }

  /** Id of the conversation on the server. */
  get session(): string {
    return `zc-${this.nativeId}`;
  }

  async start(source: 'startup' | 'resume', doom: Doom = {}): Promise<void> {
    await this.run({ event: 'SessionStart', source }, randomTurn(), doom);
  }

  /** `times` hooks for the same event are started at the same moment. */
  async prompt(text: string, steps: readonly Step[] = [], doom: Doom = {}, times = 1): Promise<Turn> {
    const turn: Turn = {
      id: randomTurn(),
      text,
      prompt: 'not run',
      noted: false,
      steps,
      stop: 'not run',
      knownAtEnd: false,
      record: 'none',
    };
    this.turns.push(turn);
    turn.prompt = await this.fire({ event: 'UserPromptSubmit', prompt: text }, turn.id, doom, times);
    turn.noted = turn.prompt === 'finished' || this.isNoted(turn);
    this.history.push({ role: 'user', content: text });
    for (const step of steps) this.recordStep(turn, step);
    return turn;
  }

  /** The last model step, and Stop. `lineAfterMs`: the client writes its line only then. */
  async answer(
    turn: Turn,
    text: string,
    options: {
      readonly doom?: Doom;
      readonly times?: number;
      readonly lineAfterMs?: number;
      readonly stop?: boolean;
    } = {},
  ): Promise<void> {
    turn.answer = text;
    let late: Promise<void> | undefined;
    if (this.options.recorded && options.lineAfterMs !== undefined) {
      turn.record = 'late';
      late = new Promise((done) => {
        setTimeout(() => done(this.recordAnswer(turn, text)), options.lineAfterMs);
      });
    } else if (this.options.recorded) {
      turn.record = 'whole';
      this.recordAnswer(turn, text);
    }
    if (options.stop !== false) await this.end(turn, options.times, options.doom);
    await late;
    this.history.push({ role: 'assistant', content: text });
  }

  /** Stop fires for an answered turn. */
  async end(turn: Turn, times = 1, doom: Doom = {}): Promise<void> {
    const detail: HookDetail = { event: 'Stop', answer: turn.answer ?? '', toolCallCount: turn.steps.length };
    turn.knownAtEnd = existsSync(join(this.scene.spool, this.session));
    turn.stop = await this.fire(detail, turn.id, doom, times);
  }

  /** Runs the hook of an event; of several at once, one that finished is enough. */
  private async fire(detail: HookDetail, turnId: string, doom: Doom, times: number): Promise<HookFate> {
    const runs = await Promise.all(Array.from({ length: times }, () => this.run(detail, turnId, doom)));
    return runs.includes('finished') ? 'finished' : 'killed';
  }

  private async run(detail: HookDetail, turnId: string, doom: Doom): Promise<HookFate> {
    const { scene } = this;
    const entry = Object.values(ZCODE_WIRING).find(({ event }) => event === detail.event)?.entry ?? '';
    const situation = {
      sessionId: this.nativeId,
      traceId: this.traceId,
      cwd: scene.cwd,
      transcriptPath: scene.home.at('no-such-transcript.jsonl'),
      turnId,
    };
    const run = await runHook({
      command: process.execPath,
      args: [join(scene.hooks, `${entry}.cjs`)],
      cwd: scene.cwd,
      env: homeEnvironment(scene.home.path, {
        ...hookEnvironment(this.nativeId, scene.cwd),
        OPENVIKING_CRASH_LOG: scene.crashLog,
        OPENVIKING_DISK_FAULTS: scene.disk,
        OPENVIKING_DISK_FAULT_LOG: scene.diskFaultLog,
        ...(doom.crashAt === undefined ? {} : { OPENVIKING_CRASH_AT: doom.crashAt }),
      }),
      payload: hookInput(situation, detail),
      timeoutMs: doom.killAfterMs ?? 60_000,
    });
    if (run.timedOut && doom.killAfterMs !== undefined) this.killed += 1;
    return this.fateOf(run, entry, doom);
  }

  private fateOf(run: HookRun, entry: string, doom: Doom): HookFate {
    if (run.signal === 'SIGKILL' && (!run.timedOut || doom.killAfterMs !== undefined)) return 'killed';
    this.misdeeds.push(...misdeedsOf(run).map((misdeed) => `${entry} ${misdeed}`));
    return run.exitCode === 0 ? 'finished' : 'killed';
  }

  private isNoted(turn: Turn): boolean {
    const journal = join(this.scene.spool, this.session, 'pending');
    if (!existsSync(journal)) return false;
    const notes = readdirSync(journal).filter((name) => name.endsWith('.json'));
    return notes.some((name) => readFileSync(join(journal, name), 'utf8').includes(turn.id));
  }

  private recordStep(turn: Turn, step: Step): void {
    const call: ToolCall = { id: `call_${randomUUID().slice(0, 8)}`, name: step.tool, input: step.input };
    if (this.options.recorded) {
      turn.record = 'steps';
      this.append(turn, { kind: 'answer', text: step.say, toolCalls: [call] });
    }
    this.history.push(
      { role: 'assistant', content: step.say, toolCalls: [call] },
      { role: 'tool', content: step.output, toolCallId: call.id, toolName: call.name },
    );
  }

  private recordAnswer(turn: Turn, text: string): void {
    this.append(turn, { kind: 'answer', text, toolCalls: [] });
  }

  private append(turn: Turn, outcome: Parameters<RolloutWriter['append']>[0]['outcome']): void {
    this.rollout.append({
      sessionId: this.nativeId,
      turnId: turn.id,
      traceId: this.traceId,
      querySource: 'main_turn',
      attempt: 1,
      messages: [...this.history],
      outcome,
    });
  }
}

/** What no host may see of a hook that nobody has killed. */
function misdeedsOf(run: HookRun): readonly string[] {
  const holders = run.pipeHolders.map(({ pid, commandLine }) => `${pid} (${commandLine.join(' ')})`);
  return [
    ...(run.timedOut ? [`had not ended after ${Math.round(run.wallMs)} ms`] : []),
    ...(run.exitCode === 0 || run.timedOut ? [] : [`ended with ${run.exitCode ?? run.signal}: ${run.stderr}`]),
    ...(run.stdout === '' ? [] : [`wrote to stdout: ${run.stdout}`]),
    ...(run.pipesHeldOpen ? [`left its pipes open in ${holders.join(', ') || 'another process'}`] : []),
  ];
}

function randomTurn(): string {
  return `turn_${randomUUID()}`;
}
