/**
 * Plays a conversation as the client does, turn by turn, into a rollout writer, and keeps beside it what was really said.
 * The second is what the reader must get out of the first.
 */
import { RolloutWriter } from './rollout-writer.ts';
import type { RolloutWriterLimits, WrittenLine, WrittenMessage } from './rollout-writer.ts';

export interface StepScript {
  readonly text: string;
  readonly tools: readonly { readonly output: string; readonly isError: boolean }[];
  /** How the request went before it succeeded. */
  readonly trouble: 'none' | 'unrecorded-retry' | 'failed-attempt' | 'superseded-attempt' | 'failed-request';
  /** A request of another kind that the client makes just before this one. */
  readonly between: 'nothing' | 'title' | 'compact' | 'subagent-kind';
}

export interface TurnScript {
  readonly kind: 'turn';
  readonly prompt: string;
  readonly injected: 'none' | 'reminder-before' | 'system-after' | 'reminder-block';
  /** Steps before the last; each has at least one tool call. */
  readonly steps: readonly StepScript[];
  readonly end: 'answer' | 'failed-request' | 'stopped';
  readonly answer: string;
}

export type Script = readonly (TurnScript | { readonly kind: 'restart' } | { readonly kind: 'compaction' })[];

export type ExpectedPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool';
      readonly tool_id: string;
      readonly tool_name: string;
      readonly tool_input: unknown;
      readonly tool_output: string;
      readonly tool_status: string;
    };

interface SaidStep {
  /** Index of the assistant message in the list of its time. */
  readonly at: number;
  readonly parts: ExpectedPart[];
}

interface SaidTurn {
  readonly turnId: string | undefined;
  readonly prompt: string;
  readonly promptAt: number;
  readonly steps: SaidStep[];
  ended: boolean;
}

export interface ExpectedTurn {
  readonly turnId: string | undefined;
  readonly userText?: string;
  readonly assistant: readonly ExpectedPart[];
  readonly closed: boolean;
}

export const SESSION = 'sess_5d1f2c3a-0000-4000-a000-000000000001';

export class PlayedConversation {
  readonly writer: RolloutWriter;
  readonly #withIds: boolean;
  readonly #turns: SaidTurn[] = [];
  #messages: WrittenMessage[] = [{ role: 'system', content: 'Synthetic system prompt.' }];
  #serial = 0;

  constructor(script: Script, options: { readonly limits?: Partial<RolloutWriterLimits>; readonly withIds: boolean }) {
    this.writer = new RolloutWriter(options.limits);
    this.#withIds = options.withIds;
    for (const event of script) {
      if (event.kind === 'turn') this.#turn(event);
      else if (event.kind === 'restart') this.writer.restart();
      else if (this.#turns.at(-1)?.ended !== false) this.#compact();
    }
  }

  get lines(): readonly WrittenLine[] {
    return this.writer.lines(SESSION);
  }

  /** Everything said in turns of which the file still holds a line; of its first turn, what that line lets one know. */
  get expected(): readonly ExpectedTurn[] {
    const main = this.lines.filter(({ attempt }) => isMain(attempt.querySource));
    const first = main[0];
    if (first === undefined) return [];
    const firstTurn = this.#turns.findIndex((turn) => this.#owns(turn, first));
    return this.#turns
      .slice(firstTurn)
      .flatMap((turn, index, list): ExpectedTurn[] => {
        const cutOff = index === 0 ? first.messageOffset : 0;
        const promptSeen = turn.promptAt >= cutOff;
        // Without an id and without its prompt nobody can say which turn it is.
        if (!promptSeen && !this.#withIds) return [];
        return [
          {
            turnId: turn.turnId,
            ...(promptSeen ? { userText: turn.prompt } : {}),
            assistant: turn.steps.filter(({ at }) => at >= cutOff).flatMap(({ parts }) => parts),
            closed: turn.ended || index < list.length - 1,
          },
        ];
      })
      .map((turn) => ({
        ...turn,
        assistant: turn.assistant.map((part) =>
          part.type === 'tool' && part.tool_status === 'running' && turn.closed
            ? { ...part, tool_status: 'pending' }
            : part,
        ),
      }));
  }

  #owns(turn: SaidTurn, line: WrittenLine): boolean {
    return line.attempt.requestId.startsWith(`request-${this.#turns.indexOf(turn)}-`);
  }

  #compact(): void {
    this.#messages = [
      { role: 'system', content: 'Synthetic system prompt.' },
      { role: 'user', content: `Synthetic summary number ${(this.#serial += 1)} of the conversation.` },
    ];
  }

  #turn(script: TurnScript): void {
    const number = this.#turns.length;
    const reminder = `<system-reminder>\nUserPromptSubmit hook additional context: \n#1\nrecalled ${number}\n</system-reminder>`;
    if (script.injected === 'reminder-before') this.#messages.push({ role: 'user', content: reminder });
    const said: SaidTurn = {
      turnId: this.#withIds ? `turn_${number}` : undefined,
      prompt: script.prompt,
      promptAt: this.#messages.length,
      steps: [],
      ended: false,
    };
    this.#turns.push(said);
    const blocks = [
      { type: 'text', text: reminder },
      { type: 'text', text: script.prompt },
    ];
    this.#messages.push({ role: 'user', content: script.injected === 'reminder-block' ? blocks : script.prompt });
    if (script.injected === 'system-after') {
      this.#messages.push({
        role: 'system',
        content: `UserPromptSubmit hook additional context: \n#1\nrecalled ${number}`,
      });
    }
    for (const step of script.steps) this.#step(said, step);
    if (script.end === 'failed-request') {
      this.#request(said, `request-${number}-last`, 1, {
        error: { name: 'AbortError', message: 'stopped by the user' },
      });
    } else if (script.end === 'answer' || script.steps.length === 0) {
      this.#request(said, `request-${number}-last`, 1, { response: { finishReason: 'stop', text: script.answer } });
      said.steps.push({ at: this.#messages.length, parts: textParts(script.answer) });
      this.#messages.push({ role: 'assistant', content: script.answer });
      said.ended = true;
    } else {
      // Stopped while a tool ran: no line, and the last step's calls have no output in any list.
      const outputs = script.steps.at(-1)?.tools.length ?? 0;
      this.#messages.splice(this.#messages.length - outputs, outputs);
      const last = said.steps.at(-1);
      last?.parts.forEach((part, index) => {
        if (part.type === 'tool') last.parts[index] = { ...part, tool_output: '', tool_status: 'running' };
      });
    }
  }

  #step(said: SaidTurn, step: StepScript): void {
    const serial = (this.#serial += 1);
    const requestId = `request-${this.#turns.indexOf(said)}-${serial}`;
    this.#between(said, step.between, serial);
    const toolCalls = step.tools.map((_, index) => ({
      id: `call_${serial}_${index}`,
      name: 'Bash',
      input: { command: `echo ${serial}.${index}` },
    }));
    const good = { response: { finishReason: 'tool-calls', text: step.text, toolCalls } };
    const bad = { error: { name: 'AI_APICallError', message: 'synthetic 500' } };
    switch (step.trouble) {
      case 'none':
        this.#request(said, requestId, 1, good);
        break;
      case 'unrecorded-retry':
        this.#request(said, requestId, 2, good);
        break;
      case 'failed-attempt':
        this.#request(said, requestId, 1, bad);
        this.#request(said, requestId, 2, good);
        break;
      case 'superseded-attempt':
        this.#request(said, requestId, 1, {
          response: { finishReason: 'tool-calls', text: `discarded ${serial}`, toolCalls: toolCalls.slice(1) },
        });
        this.#request(said, requestId, 2, good);
        break;
      case 'failed-request':
        this.#request(said, `${requestId}-a`, 1, bad);
        this.#request(said, `${requestId}-b`, 1, good);
        break;
    }
    said.steps.push({
      at: this.#messages.length,
      parts: [
        ...textParts(step.text),
        ...toolCalls.map((call, index): ExpectedPart => ({
          type: 'tool',
          tool_id: call.id,
          tool_name: call.name,
          tool_input: call.input,
          tool_output: step.tools[index]?.output ?? '',
          tool_status: step.tools[index]?.isError === true ? 'error' : 'completed',
        })),
      ],
    });
    this.#messages.push({ role: 'assistant', content: step.text, toolCalls });
    step.tools.forEach((tool, index) => {
      this.#messages.push({
        role: 'tool',
        content: tool.output,
        toolCallId: `call_${serial}_${index}`,
        toolName: 'Bash',
        isError: tool.isError,
      });
    });
  }

  #between(said: SaidTurn, between: StepScript['between'], serial: number): void {
    const foreign = (querySource: string, messages: readonly WrittenMessage[]): void =>
      this.writer.write({
        sessionId: SESSION,
        ...(said.turnId === undefined ? {} : { turnId: said.turnId }),
        requestId: `foreign-${serial}`,
        querySource,
        messages,
        response: { finishReason: 'stop', text: `not conversation ${serial}` },
      });
    if (between === 'title') {
      foreign('session_title', [
        { role: 'system', content: 'Generate a title.' },
        { role: 'user', content: said.prompt },
      ]);
    } else if (between === 'compact') {
      foreign('compact', [...this.#messages, { role: 'user', content: 'Summarise the conversation.' }]);
    } else if (between === 'subagent-kind') {
      foreign('workflow_child', [{ role: 'user', content: 'Child prompt.' }]);
    }
  }

  #request(
    said: SaidTurn,
    requestId: string,
    attempt: number,
    outcome: Pick<Parameters<RolloutWriter['write']>[0], 'response' | 'error'>,
  ): void {
    this.writer.write({
      sessionId: SESSION,
      ...(said.turnId === undefined ? {} : { turnId: said.turnId }),
      requestId,
      attempt,
      ...(this.#withIds ? { querySource: 'main_turn' } : {}),
      messages: [...this.#messages],
      ...outcome,
    });
  }
}

function isMain(querySource: string | undefined): boolean {
  return querySource === undefined || querySource === 'main_turn';
}

function textParts(text: string): ExpectedPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}
