/**
 * Turns the body of one HTTP answer, JSON or event stream, into messages as they arrive. It reads no faster than they can
 * be handed on, holds no more than the byte budget allows, and gives a server up that stays silent.
 */
import type { Readable } from 'node:stream';
import type { ByteHolder } from './byte-budget.ts';
import { EventStreamReader, type ServerEvent } from './event-stream.ts';
import { DeliveryFailure } from './failure.ts';
import { MessageAssembler, type Assembled, type Message } from './message.ts';
import { discard, type IncomingAnswer } from './transport.ts';

/** Takes a message; true when it was the one that was waited for, and reading can stop. */
export type Sink = (message: Message) => Promise<boolean>;

export interface ReadOptions {
  readonly sink: Sink;
  readonly holder: ByteHolder;
  /** Longest silence inside the body, in ms; 0 waits for ever. */
  readonly idleMs: number;
  /** Told about data that is no message: a fault of the server, worth a line in the log. */
  readonly onUnusable: (what: string) => void;
}

export interface ReadOutcome {
  readonly satisfied: boolean;
  /** Where the stream can be taken up again, when it carried event ids. */
  readonly lastEventId?: string;
  readonly retryMs?: number;
  /** The body broke off. */
  readonly broken?: unknown;
}

/** The media type of an answer, without parameters. */
export function mediaType(answer: IncomingAnswer): string {
  const header = answer.headers['content-type'];
  return (Array.isArray(header) ? (header[0] ?? '') : (header ?? '')).split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Reads a successful answer. Rejects with a DeliveryFailure when the body is not what MCP servers send. */
export async function readAnswer(answer: IncomingAnswer, options: ReadOptions): Promise<ReadOutcome> {
  try {
    refuseEncoded(answer);
    const type = mediaType(answer);
    if (type === 'text/event-stream') return await readEvents(answer.body, options);
    if (type === 'application/json' || type.endsWith('+json')) return await readJson(answer, options);
    discard(answer.body);
    if (answer.status === 202 || answer.status === 204 || type === '') return { satisfied: false };
    throw new DeliveryFailure({
      code: 'mcp/not-an-mcp-server',
      status: answer.status,
      message: `The server answered ${type} where an MCP server answers JSON or an event stream.`,
      next: 'Check the MCP URL: it usually ends in /mcp.',
    });
  } finally {
    options.holder.release();
  }
}

async function readJson(answer: IncomingAnswer, options: ReadOptions): Promise<ReadOutcome> {
  const assembler = new MessageAssembler();
  const broken = await eachChunk(answer.body, options, async (chunk) => {
    assembler.push(chunk);
    options.holder.hold(assembler.held);
    return false;
  });
  if (broken !== undefined) return { satisfied: false, broken };
  const assembled = assembler.finish();
  if (assembled.kind === 'empty') return { satisfied: false };
  if (assembled.kind !== 'message' && assembled.kind !== 'batch') throw unusable(assembled.kind, answer.status);
  return { satisfied: await handOn(assembled, options) };
}

async function readEvents(body: Readable, options: ReadOptions): Promise<ReadOutcome> {
  const reader = new EventStreamReader();
  const take = async (events: readonly ServerEvent[]): Promise<boolean> => {
    let satisfied = false;
    for (const { type, data } of events) {
      if (type !== 'message' || data.kind === 'empty') continue;
      if (data.kind === 'too-long') throw unusable('too-long', 200);
      if (await handOn(data, options)) satisfied = true;
    }
    return satisfied;
  };
  let satisfied = false;
  const broken = await eachChunk(body, options, async (chunk) => {
    const events = reader.push(chunk);
    const whole = events.reduce((sum, { data }) => sum + (data.kind === 'message' ? data.message.size : 0), 0);
    options.holder.hold(reader.held + whole);
    if (events.length > 0) satisfied = await take(events);
    options.holder.hold(reader.held);
    return satisfied;
  });
  if (!satisfied && broken === undefined) satisfied = await take(reader.finish());
  return {
    satisfied,
    ...(reader.lastEventId === undefined ? {} : { lastEventId: reader.lastEventId }),
    ...(reader.retryMs === undefined ? {} : { retryMs: reader.retryMs }),
    ...(broken === undefined ? {} : { broken }),
  };
}

async function handOn(assembled: Assembled, options: ReadOptions): Promise<boolean> {
  if (assembled.kind === 'message') return options.sink(assembled.message);
  if (assembled.kind !== 'batch') {
    options.onUnusable(assembled.kind);
    return false;
  }
  let satisfied = false;
  for (const element of assembled.elements) {
    if (element === undefined) options.onUnusable('scalar');
    else if (await options.sink(element)) satisfied = true;
  }
  return satisfied;
}

/** Feeds the body to `take` until it ends, breaks, or `take` has enough. Resolves to the error when it broke. */
async function eachChunk(
  body: Readable,
  { holder, idleMs }: ReadOptions,
  take: (chunk: Uint8Array) => Promise<boolean>,
): Promise<unknown> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  for (;;) {
    await holder.mayRead();
    const idle =
      idleMs === 0
        ? undefined
        : setTimeout(() => body.destroy(new Error(`silent for ${Math.round(idleMs / 1000)} s`)), idleMs);
    let next: IteratorResult<Uint8Array>;
    try {
      next = await chunks.next();
    } catch (error) {
      return error ?? new Error('broken off');
    } finally {
      clearTimeout(idle);
    }
    if (next.done === true) return undefined;
    if (await take(next.value)) {
      await chunks.return?.();
      discard(body);
      return undefined;
    }
  }
}

function refuseEncoded(answer: IncomingAnswer): void {
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity' || encoding === '') return;
  discard(answer.body);
  throw new DeliveryFailure({
    code: 'mcp/encoded-answer',
    status: answer.status,
    message: `The server answered with the encoding ${JSON.stringify(encoding.slice(0, 40))}, which was not asked for.`,
    next: 'Check the gateway in front of the server: it must leave answers to "Accept-Encoding: identity" as they are.',
  });
}

function unusable(kind: Assembled['kind'], status: number): DeliveryFailure {
  return new DeliveryFailure({
    code: 'mcp/bad-answer',
    status,
    message:
      kind === 'too-long'
        ? 'The answer is longer than 64 MB.'
        : 'The server answered something that is no JSON-RPC message.',
    next:
      kind === 'too-long'
        ? 'Ask for less: narrow the query, or read the resource in parts.'
        : 'Check that the MCP URL leads to the OpenViking server and not to another service.',
  });
}
