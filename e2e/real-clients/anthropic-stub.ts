/**
 * A model behind Anthropic's messages API, on loopback. A real client talks to it as to the real endpoint, so that what the
 * client does with our hooks, tools and context is seen in its own requests instead of being assumed.
 *
 * Wire format: https://docs.anthropic.com/en/api/messages-streaming
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** One block of a message's content; only the fields that the stub looks at. */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly ContentBlock[];
  readonly name?: string;
  readonly input?: unknown;
}

export interface ModelMessage {
  readonly role: string;
  readonly content: string | readonly ContentBlock[];
}

/** A request for an answer, as the client sent it. */
export interface ModelRequest {
  readonly model: string;
  readonly system?: unknown;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
  readonly stream?: boolean;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

/** A request and when it had arrived, as `performance.now()`. */
export interface ReceivedRequest extends ModelRequest {
  readonly receivedAt: number;
}

/** What the model answers: a text, tool calls, or a text before tool calls. */
export interface ModelAnswer {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  /** The stream stops after the text and stays open until the client gives up: an answer that is never finished. */
  readonly unfinished?: boolean;
}

export interface AnthropicStub {
  /** `http://127.0.0.1:<port>`, for `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Every request for an answer, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Method and path of everything that was asked for besides answers. */
  readonly otherRequests: readonly string[];
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Listens on a port of its own. `answer` decides what the model says; a failure of it reaches the client as status 500. */
export async function startAnthropicStub(answer: (request: ModelRequest) => ModelAnswer): Promise<AnthropicStub> {
  const requests: ReceivedRequest[] = [];
  const otherRequests: string[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      if (request.method !== 'POST' || path !== '/v1/messages') {
        otherRequests.push(`${request.method ?? ''} ${path}`);
        if (path === '/v1/messages/count_tokens') sendJson(response, 200, { input_tokens: 10 });
        else sendJson(response, 404, failure('not_found_error', `The stub has no ${path}`));
        return;
      }
      try {
        const asked = JSON.parse(body) as ModelRequest;
        requests.push({ ...asked, receivedAt: performance.now() });
        count += 1;
        send(response, asked, answer(asked), count);
      } catch (error) {
        sendJson(response, 500, failure('api_error', error instanceof Error ? error.message : String(error)));
      }
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The model stub listens on no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    otherRequests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** All texts of a message, without tool calls and results. */
export function textOf(message: ModelMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('\n');
}

/** The tool results in a message, each as its text. */
export function toolResultsOf(message: ModelMessage): { readonly text: string; readonly isError: boolean }[] {
  if (typeof message.content === 'string') return [];
  return message.content
    .filter((block) => block.type === 'tool_result')
    .map(({ content = '', is_error }) => ({
      text: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n'),
      isError: is_error === true,
    }));
}

function send(response: ServerResponse, request: ModelRequest, answer: ModelAnswer, count: number): void {
  const number = String(count).padStart(3, '0');
  const text = answer.text === undefined ? [] : [{ type: 'text', text: answer.text }];
  const calls = (answer.calls ?? []).map(({ name, input }, index) => ({
    type: 'tool_use',
    id: `toolu_stub_${number}_${index}`,
    name,
    input,
  }));
  const content = [...text, ...calls];
  const message = {
    id: `msg_stub_${number}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
  const stopReason = calls.length > 0 ? 'tool_use' : 'end_turn';
  if (request.stream !== true) {
    sendJson(response, 200, { ...message, content, stop_reason: stopReason });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const event = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  event('message_start', { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of content.entries()) {
    event('content_block_start', { index, content_block: emptied(block) });
    event('content_block_delta', { index, delta: deltaOf(block) });
    if (answer.unfinished === true) return;
    event('content_block_stop', { index });
  }
  event('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 5 } });
  event('message_stop', {});
  response.end();
}

type Block = { type: string; text: string } | { type: string; id: string; name: string; input: unknown };

function emptied(block: Block): object {
  return 'text' in block ? { ...block, text: '' } : { ...block, input: {} };
}

function deltaOf(block: Block): object {
  return 'text' in block
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
}

function failure(type: string, message: string): object {
  return { type: 'error', error: { type, message } };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
