/**
 * Writes rollout files the way the client does, so that the reader is tested against the writer's rules and not against
 * its own idea of them: delta state per file and per process, titles in between, `tail` baselines, the start-over at the
 * size limit, and the limit of three files.
 */

export interface WrittenMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: unknown;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly semantics?: { readonly kind: string };
}

/** One attempt at a model request, before it is written. */
export interface WrittenAttempt {
  readonly sessionId: string;
  readonly turnId?: string;
  readonly requestId: string;
  readonly attempt?: number;
  readonly querySource?: string;
  readonly messages: readonly WrittenMessage[];
  readonly response?: {
    readonly finishReason?: string;
    readonly text?: string;
    readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  };
  /** A failed attempt: no response worth the name. */
  readonly error?: { readonly name: string; readonly message: string };
}

/** What a line holds for the tests' own accounting. */
export interface WrittenLine {
  readonly text: string;
  readonly attempt: WrittenAttempt;
  /** Index of the first message the line shows. */
  readonly messageOffset: number;
  readonly kind: 'full' | 'delta' | 'tail';
}

interface DeltaState {
  readonly messages: readonly WrittenMessage[];
}

export interface RolloutWriterLimits {
  readonly maxFileBytes: number;
  readonly maxBaselineMessages: number;
  readonly maxFiles: number;
}

export const CLIENT_LIMITS: RolloutWriterLimits = {
  maxFileBytes: 64 * 1024 * 1024,
  maxBaselineMessages: 64,
  maxFiles: 3,
};

export class RolloutWriter {
  readonly #limits: RolloutWriterLimits;
  /** Session id → lines of its file, least recently written first. */
  readonly #files = new Map<string, WrittenLine[]>();
  /** The running process's memory of what each file's last line showed. */
  readonly #states = new Map<string, DeltaState>();
  #clock = Date.UTC(2026, 0, 1);

  constructor(limits: Partial<RolloutWriterLimits> = {}) {
    this.#limits = { ...CLIENT_LIMITS, ...limits };
  }

  /** The client's process ends and another one takes over. */
  restart(): void {
    this.#states.clear();
  }

  write(attempt: WrittenAttempt): void {
    const { sessionId } = attempt;
    let lines = this.#files.get(sessionId);
    if (lines === undefined) {
      this.#evict();
      lines = [];
    }
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line.text) + 1, 0);
    const startsOver = bytes >= this.#limits.maxFileBytes;
    const state = lines.length > 0 && !startsOver ? this.#states.get(sessionId) : undefined;
    const line = this.#compose(attempt, state, startsOver ? bytes : undefined);
    this.#files.delete(sessionId);
    this.#files.set(sessionId, startsOver ? [line] : [...lines, line]);
    this.#states.set(sessionId, { messages: attempt.messages });
  }

  lines(sessionId: string): readonly WrittenLine[] {
    return this.#files.get(sessionId) ?? [];
  }

  /** Before a new session's file: the oldest go. */
  #evict(): void {
    for (const name of [...this.#files.keys()]) {
      if (this.#files.size < this.#limits.maxFiles) return;
      this.#files.delete(name);
      this.#states.delete(name);
    }
  }

  #compose(attempt: WrittenAttempt, state: DeltaState | undefined, previousFileBytes: number | undefined): WrittenLine {
    const all = attempt.messages;
    let kind: WrittenLine['kind'] = 'full';
    let messageOffset = 0;
    if (state !== undefined && continues(all, state.messages)) {
      kind = 'delta';
      messageOffset = state.messages.length;
    } else if (all.length > this.#limits.maxBaselineMessages) {
      kind = 'tail';
      messageOffset = all.length - this.#limits.maxBaselineMessages;
    }
    const startedAt = new Date(this.#clock).toISOString();
    this.#clock += 1000;
    const completedAt = new Date(this.#clock).toISOString();
    const record = {
      completedAt,
      durationMs: 1000,
      ...(attempt.error === undefined ? {} : { error: { ...attempt.error, stack: 'at synthetic' } }),
      requestId: attempt.requestId,
      attempt: attempt.attempt ?? 1,
      model: { modelId: 'synthetic-model', providerId: 'synthetic' },
      request: {
        body: { model: 'synthetic-model', stream: true },
        headers: {},
        messages: all.slice(messageOffset),
        toolNames: ['Bash'],
        messageCount: all.length,
        messagesKind: kind,
        messageOffset,
      },
      response:
        attempt.error === undefined
          ? { headers: {}, modelId: 'synthetic-model', ...attempt.response, usage: { totalTokens: 1 } }
          : { headers: {}, usage: {} },
      sessionId: attempt.sessionId,
      ...(attempt.querySource === undefined ? {} : { querySource: attempt.querySource }),
      startedAt,
      traceId: 'trace_synthetic',
      ...(attempt.turnId === undefined ? {} : { turnId: attempt.turnId }),
      type: 'model_io',
      ...(previousFileBytes === undefined
        ? {}
        : {
            modelIOReset: {
              maxFileBytes: this.#limits.maxFileBytes,
              previousFileBytes,
              reason: 'session_file_size_limit',
            },
          }),
    };
    return { text: JSON.stringify(record), attempt, messageOffset, kind };
  }
}

/** The client compares the first message, the last one it knew, and a few between; comparing all is the same here. */
function continues(all: readonly WrittenMessage[], known: readonly WrittenMessage[]): boolean {
  return (
    known.length > 0 &&
    all.length >= known.length &&
    known.every((message, index) => JSON.stringify(message) === JSON.stringify(all[index]))
  );
}

/** Written lines with their byte offsets, as the core hands them to the reader. */
export function withOffsets(texts: readonly string[]): { offset: number; text: string }[] {
  let offset = 0;
  return texts.map((text) => {
    const line = { offset, text };
    offset += Buffer.byteLength(text) + 1;
    return line;
  });
}
