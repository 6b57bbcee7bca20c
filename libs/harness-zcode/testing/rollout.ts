/**
 * Writes rollout files the way ZCode does: a bounded diagnostics log, not a conversation. Captures break on exactly its
 * oddities (deltas, a tail after a restart, title lines in between, files that start over or vanish), so they are
 * reproduced here and not smoothed out.
 *
 * Facts: ZCode runtime 0.16.9 (`adapters/src/model/runner-debug`).
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
}

export type QuerySource =
  | 'main_turn'
  | 'session_title'
  | 'goal_summary_title'
  | 'compact'
  | 'subagent'
  | 'workflow_child'
  | 'goal_completion_verification';

/** One request attempt to the model. */
export interface RequestAttempt {
  readonly sessionId: string;
  readonly turnId: string;
  readonly traceId: string;
  readonly querySource: QuerySource;
  readonly attempt: number;
  /** The complete list that the model got. */
  readonly messages: readonly ModelMessage[];
  readonly outcome:
    | { readonly kind: 'answer'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
    | { readonly kind: 'error'; readonly name: string; readonly message: string };
}

export interface RolloutOptions {
  /** A file that would grow beyond this starts over; 64 MB by default. */
  readonly fileLimitBytes?: number;
  /** How many files survive when a new one is made; 3 by default. */
  readonly fileLimit?: number;
}

const TAIL_LENGTH = 64;

/** One process of the client: what it remembers about its files dies with it. */
export class RolloutWriter {
  private readonly folder: string;
  private readonly fileLimitBytes: number;
  private readonly fileLimit: number;
  /** Session → the messages of the last line, to tell what is new since. */
  private readonly last = new Map<string, readonly ModelMessage[]>();
  private counter = 0;

  constructor(folder: string, options: RolloutOptions = {}) {
    this.folder = folder;
    this.fileLimitBytes = options.fileLimitBytes ?? 64 * 1024 * 1024;
    this.fileLimit = options.fileLimit ?? 3;
  }

  /** Where a session's file lies. */
  path(sessionId: string): string {
    return join(this.folder, `model-io-${sessionId.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 80)}.jsonl`);
  }

  /** Appends the line of one attempt and returns it. */
  append(attempt: RequestAttempt): string {
    mkdirSync(this.folder, { recursive: true });
    const file = this.path(attempt.sessionId);
    if (!existsSync(file)) {
      this.last.delete(attempt.sessionId);
      this.evict();
      writeFileSync(file, '');
    }
    let line = this.line(attempt);
    if (statSync(file).size + Buffer.byteLength(line) > this.fileLimitBytes) {
      this.startOver(attempt.sessionId);
      line = this.line(attempt);
    }
    appendFileSync(file, line);
    this.last.set(attempt.sessionId, attempt.messages);
    return line;
  }

  /** Empties a session's file, as the client does at its size limit. */
  startOver(sessionId: string): void {
    writeFileSync(this.path(sessionId), '');
    this.last.delete(sessionId);
  }

  /** Makes room for one new file by deleting the oldest. */
  private evict(): void {
    const files = readdirSync(this.folder)
      .filter((name) => name.startsWith('model-io-') && name.endsWith('.jsonl'))
      .map((name) => join(this.folder, name))
      .map((path) => ({ path, age: statSync(path).mtimeMs }))
      .sort((one, other) => one.age - other.age);
    while (files.length >= this.fileLimit) {
      const oldest = files.shift();
      if (oldest !== undefined) unlinkSync(oldest.path);
    }
  }

  private line(attempt: RequestAttempt): string {
    const { messages } = attempt;
    const now = new Date();
    const main = attempt.querySource === 'main_turn';
    const window = this.window(attempt.sessionId, messages);
    const failed = attempt.outcome.kind === 'error';
    const whole = { model: 'stub-model', messages, stream: main };
    const record = {
      completedAt: now.toISOString(),
      durationMs: 12,
      ...(attempt.outcome.kind === 'error'
        ? {
            error: {
              name: attempt.outcome.name,
              message: attempt.outcome.message,
              stack: `${attempt.outcome.name}: ${attempt.outcome.message}\n    at request`,
            },
          }
        : {}),
      requestId: `request-${process.pid}-${(this.counter += 1)}`,
      attempt: attempt.attempt,
      model: { modelId: 'stub-model', providerId: 'stub' },
      request: {
        // A streamed success keeps no messages in its body, a failure keeps all, a plain request is one string.
        body: failed ? whole : main ? { model: 'stub-model', stream: true } : JSON.stringify(whole),
        headers: {},
        messages: window.messages,
        ...(main ? { toolChoice: 'auto', toolNames: ['Bash', 'Read'] } : { toolNames: [] }),
        messageCount: messages.length,
        messagesKind: window.kind,
        messageOffset: window.offset,
      },
      response:
        attempt.outcome.kind === 'error'
          ? { headers: {}, usage: {} }
          : {
              finishReason: attempt.outcome.toolCalls.length > 0 ? 'tool-calls' : 'stop',
              headers: { 'content-type': 'text/event-stream' },
              modelId: 'stub-model',
              providerMetadata: { stub: {} },
              responseId: `response-${this.counter}`,
              text: attempt.outcome.text,
              ...(attempt.outcome.toolCalls.length > 0 ? { toolCalls: attempt.outcome.toolCalls } : {}),
              usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
            },
      sessionId: attempt.sessionId,
      querySource: attempt.querySource,
      startedAt: new Date(now.getTime() - 12).toISOString(),
      traceId: attempt.traceId,
      turnId: attempt.turnId,
      type: 'model_io',
    };
    return `${JSON.stringify(record)}\n`;
  }

  /** Which part of the message list this line carries. */
  private window(
    sessionId: string,
    messages: readonly ModelMessage[],
  ): { readonly kind: 'full' | 'delta' | 'tail'; readonly offset: number; readonly messages: readonly ModelMessage[] } {
    const before = this.last.get(sessionId);
    const grows = before !== undefined && before.every((message, index) => messages[index] === message);
    if (grows) return { kind: 'delta', offset: before.length, messages: messages.slice(before.length) };
    const offset = Math.max(0, messages.length - TAIL_LENGTH);
    return { kind: offset === 0 ? 'full' : 'tail', offset, messages: messages.slice(offset) };
  }
}
