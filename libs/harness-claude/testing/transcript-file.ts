/**
 * Writes the record of a conversation the way Claude Code does: the few rows that are conversation among many that are not,
 * one message spread over rows, copies with rewritten ids at the head of a fork. Captures break on exactly these oddities, so
 * they are reproduced here and not smoothed out.
 *
 * Facts: rows recorded from client 2.1.332.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Row = Readonly<Record<string, unknown>>;

/** Where the client keeps a conversation's record. */
export function transcriptPath(configFolder: string, cwd: string, sessionId: string): string {
  return join(configFolder, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'), `${sessionId}.jsonl`);
}

export interface TranscriptFileOptions {
  readonly path: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** In the file of a subagent. */
  readonly agentId?: string;
  /** False: rows do not say which prompt they belong to. */
  readonly numbersTurns?: boolean;
}

export class TranscriptFile {
  readonly path: string;
  /** Everything that was written, in order. */
  readonly rows: Row[] = [];
  private readonly options: TranscriptFileOptions;
  private leaf: string | null = null;
  private messages = 0;

  constructor(options: TranscriptFileOptions, before: readonly Row[] = []) {
    this.options = options;
    this.path = options.path;
    this.rows.push(...before);
  }

  /** A row of the client's own bookkeeping. */
  note(type: string, fields: Row = {}): void {
    this.write({ type, sessionId: this.options.sessionId, ...fields });
  }

  attachment(attachment: Row): void {
    this.chained({ attachment, type: 'attachment' });
  }

  /** The prompt of a user, or of the client in the user's place. */
  prompt(promptId: string, content: unknown, more: Row = {}): void {
    const typed = { promptSource: 'sdk', turnOrigin: 'sdk', turnPosition: { promptIndex: 0, turnIndex: 1 } };
    this.user(promptId, content, this.options.agentId === undefined ? { ...typed, ...more } : more);
  }

  /** A row that the client writes as the user's. */
  user(promptId: string, content: unknown, more: Row = {}): void {
    const turn = this.options.numbersTurns === false ? {} : { promptId };
    this.chained({ ...turn, type: 'user', message: { role: 'user', content }, ...more });
  }

  toolResult(promptId: string, toolUseId: string, content: unknown, isError: boolean): void {
    const block = { tool_use_id: toolUseId, type: 'tool_result', content, is_error: isError };
    this.user(promptId, [block], { toolUseResult: isError ? `Error: ${String(content)}` : { stdout: content } });
  }

  /** One message of the model: a row per block, all with the message's id and its reason to stop. */
  assistant(blocks: readonly Row[], stopReason: string | null, more: Row = {}): void {
    this.messages += 1;
    const id = `msg_${randomUUID().slice(0, 8)}_${this.messages}`;
    blocks.forEach((block, apiBlockIndex) => {
      this.chained({
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-5-5',
          content: [block],
          stop_reason: stopReason,
          usage: { input_tokens: 10, output_tokens: 5 },
        },
        apiBlockIndex,
        type: 'assistant',
        madeBy: 'model',
        ...more,
      });
    });
  }

  /** What the client writes in the model's place. */
  synthetic(text: string): void {
    const message = { id: randomUUID(), type: 'message', role: 'assistant', model: '<synthetic>' };
    const content = [{ type: 'text', text }];
    this.chained({
      type: 'assistant',
      message: { ...message, content, stop_reason: 'stop_sequence' },
      madeBy: 'other',
      isApiErrorMessage: false,
    });
  }

  system(subtype: string, fields: Row = {}): void {
    this.chained({ type: 'system', subtype, ...fields });
  }

  /**
   * The conversation of another session, as a fork begins with it: ids of session and prompt are the fork's own, and only
   * the model's rows say where they are from.
   */
  copy(original: readonly Row[], promptId: string): void {
    const { sessionId } = this.options;
    for (const row of original) {
      if (!['user', 'assistant', 'system', 'attachment'].includes(String(row['type']))) continue;
      this.write({
        ...row,
        ...(row['promptId'] === undefined ? {} : { promptId }),
        sessionId,
        ...(row['type'] === 'assistant' ? { requestSessionId: row['requestSessionId'] ?? row['sessionId'] } : {}),
      });
    }
  }

  private chained(fields: Row): void {
    const { sessionId, cwd, agentId } = this.options;
    const uuid = randomUUID();
    this.write({
      parentUuid: this.leaf,
      isSidechain: agentId !== undefined,
      ...(agentId === undefined ? {} : { agentId }),
      ...fields,
      uuid,
      timestamp: new Date().toISOString(),
      userType: 'external',
      entrypoint: 'sdk-cli',
      cwd,
      sessionId,
      version: '2.1.332',
      gitBranch: 'HEAD',
    });
    this.leaf = uuid;
  }

  private write(row: Row): void {
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `${JSON.stringify(row)}\n`);
    this.rows.push(row);
  }
}
