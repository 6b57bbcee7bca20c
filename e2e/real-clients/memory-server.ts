/** The local server as a process of its own, in its own home, with a recording proxy before it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createTemporaryHome, homeEnvironment, isObject, waitUntil } from '@openviking/memory-core/testing';
import { LOCAL_SERVER } from '../must-hold/artefacts.ts';
import { startRecordingProxy } from './recording-proxy.ts';
import type { PassedRequest } from './recording-proxy.ts';

export interface MemoryServer {
  /** What clients are to be connected with. */
  readonly url: string;
  readonly apiKey: string;
  readonly requests: readonly PassedRequest[];
  /** Ids of all conversations that messages came for, in order of appearance. */
  conversations(): readonly string[];
  /** All messages that a conversation was sent, one line per part. */
  said(conversation: string): readonly string[];
  /** When a commit of the conversation was answered, oldest first, as `performance.now()`. */
  commitsOf(conversation: string): readonly number[];
  close(): Promise<void>;
}

const MESSAGES = /^\/api\/v1\/sessions\/([^/]+)\/messages(?:\/batch)?$/;

export async function startMemoryServer(): Promise<MemoryServer> {
  const home = createTemporaryHome('server');
  const apiKey = 'e2e-real-clients-key';
  const child = spawn(process.execPath, [LOCAL_SERVER, '--port', '0', '--home', home.path], {
    cwd: home.path,
    env: homeEnvironment(home.path, { OPENVIKING_LOCAL_TOKEN: apiKey }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const announcement = '.openviking/local/server.json';
  const port = await waitUntil('the local server', () => {
    if (child.exitCode !== null) throw new Error(`The local server ended with ${child.exitCode}.`);
    const record: unknown = home.has(announcement) ? JSON.parse(home.readText(announcement)) : undefined;
    return isObject(record) && typeof record['port'] === 'number' ? record['port'] : undefined;
  });
  const proxy = await startRecordingProxy(`http://127.0.0.1:${port}`);
  const messageRequests = () =>
    proxy.requests.flatMap((request) => {
      const conversation = MESSAGES.exec(request.path)?.[1];
      const stored = request.method === 'POST' && request.status === 200;
      return conversation !== undefined && stored ? [{ conversation, body: request.body }] : [];
    });
  return {
    url: proxy.url,
    apiKey,
    requests: proxy.requests,
    conversations: () => [...new Set(messageRequests().map(({ conversation }) => conversation))],
    said: (wanted) =>
      messageRequests()
        .filter(({ conversation }) => conversation === wanted)
        .flatMap(({ body }) => linesOf(body)),
    commitsOf: (conversation) =>
      proxy.requests
        .filter(({ path }) => path === `/api/v1/sessions/${conversation}/commit`)
        .map(({ answeredAt }) => answeredAt),
    async close() {
      await proxy.close();
      const ended = once(child, 'exit');
      if (child.kill()) await ended;
      home.remove();
    },
  };
}

function linesOf(body: unknown): string[] {
  if (!isObject(body)) return [];
  const messages: readonly unknown[] = Array.isArray(body['messages']) ? body['messages'] : [body];
  return messages.filter(isObject).flatMap((message) => {
    const role = String(message['role']);
    const parts: readonly unknown[] = Array.isArray(message['parts'])
      ? message['parts']
      : [{ type: 'text', text: message['content'] }];
    return parts.filter(isObject).map((part) => lineOf(role, part));
  });
}

function lineOf(role: string, part: Readonly<Record<string, unknown>>): string {
  if (part['type'] !== 'tool') return `${role}: ${String(part['text'])}`;
  const call = `${String(part['tool_name'])} ${JSON.stringify(part['tool_input'])}`;
  return `${role} tool ${call} → ${String(part['tool_output'])} (${String(part['tool_status'])})`;
}
