import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOKEN, removeHome, startServer, temporaryHome } from './running-server.ts';
import type { RunningServer } from './running-server.ts';

let home: string;
let server: RunningServer;
let client: Client;
beforeAll(async () => {
  home = temporaryHome();
  server = await startServer(home);
  client = await connected({});
});
afterAll(async () => {
  await client.close();
  await server.end('SIGTERM');
  removeHome(home);
});

async function connected(headers: Record<string, string>): Promise<Client> {
  const made = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}`, ...headers } },
  });
  // The SDK's own type of sessionId does not fit exactOptionalPropertyTypes.
  await made.connect(transport as Parameters<Client['connect']>[0]);
  return made;
}

async function tool(
  name: string,
  args: Record<string, unknown>,
  on = client,
): Promise<{ text: string; failed: boolean }> {
  const result = await on.callTool({ name, arguments: args });
  const [content] = result.content as { type: string; text: string }[];
  return { text: content?.text ?? '', failed: result.isError === true };
}

describe('the memory tools, through the official client', () => {
  it('are the seven of this server', async () => {
    const { tools } = await client.listTools();
    expect(tools.map((one) => one.name)).toEqual(['find', 'search', 'read', 'list', 'remember', 'forget', 'health']);
    expect(tools.every((one) => (one.description ?? '') !== '')).toBe(true);
  });

  it('remember, find, read, list and forget', async () => {
    const stored = await tool('remember', {
      messages: [{ role: 'user', content: 'I prefer tabs over spaces in Makefiles. Always.' }],
    });
    const uri = /viking:\S+/.exec(stored.text)?.[0] ?? '';
    expect(uri).toContain('/memories/preferences/');
    // The same words again are the same memory.
    expect((await tool('remember', { content: 'I prefer tabs over spaces in  Makefiles. Always.' })).text).toContain(
      uri,
    );
    expect((await tool('health', {})).text).toContain('1 memories');

    for (const name of ['find', 'search']) expect((await tool(name, { query: 'makefile tabs' })).text).toContain(uri);
    expect((await tool('read', { uris: uri })).text).toContain('tabs over spaces');
    const many = await tool('read', { uris: [uri, 'viking://~/memories/none.md'] });
    expect(many).toMatchObject({ failed: false, text: expect.stringContaining('There is no file') });
    expect((await tool('list', { uri: 'viking://~/memories/preferences' })).text).toContain(uri);

    const profile = await server.call('GET', '/api/v1/content/read?uri=viking://~/memories/profile.md');
    expect(profile.body.result).toContain('I prefer tabs over spaces in Makefiles.');
    expect((await tool('forget', { uri: 'viking://~/memories/profile.md' })).failed).toBe(true);
    expect((await tool('forget', { uri })).text).toContain('1 file.');
    expect((await tool('forget', { uri })).failed).toBe(true);
    expect((await tool('find', { query: 'makefile tabs' })).text).not.toContain(uri);
    expect((await server.call('GET', '/api/v1/content/read?uri=viking://~/memories/profile.md')).status).toBe(404);
  });

  it('keep entities apart, and forget a folder only when told so', async () => {
    const one = await tool('remember', { content: '团队的代号是蓝鲸', category: 'entity', title: '团队' });
    expect(one.text).toContain('/memories/entities/团队-');
    await tool('remember', { content: 'Service falcon owns billing.', category: 'entity' });
    expect((await tool('find', { query: '代号是什么' })).text).toContain('团队');
    expect((await tool('forget', { uri: 'viking://~/memories/entities' })).failed).toBe(true);
    expect((await tool('forget', { uri: 'viking://~/memories/entities', recursive: true })).text).toContain('2 files');
  });

  it('know the workspace of the caller', async () => {
    const here = await connected({ 'x-openviking-actor-peer': 'repo-here' });
    await tool('remember', { content: 'Here commits are signed.' }, here);
    const read = (headers: Record<string, string>): Promise<{ status: number; body: { result: string } }> =>
      server.call('GET', '/api/v1/content/read?uri=viking://~/memories/profile.md', undefined, headers);
    expect((await read({ 'x-openviking-actor-peer': 'repo-here' })).body.result).toContain('signed');
    expect((await read({ 'x-openviking-actor-peer': 'repo-there' })).status).toBe(404);
    await here.close();
  });

  it('refuse in words a model can act on', async () => {
    expect(await tool('remember', {})).toMatchObject({ failed: true, text: expect.stringContaining('messages') });
    expect(await tool('read', { uris: 'viking://user/memories' })).toMatchObject({
      failed: true,
      text: expect.stringContaining('viking://~/memories'),
    });
    expect((await tool('find', { query: 5 })).failed).toBe(true);
    expect(await tool('find', { query: 'a word nobody said' })).toMatchObject({ failed: false });
  });
});

describe('the endpoint', () => {
  it('answers JSON, has no stream and no sessions', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const answer = await server.call('POST', '/mcp', { jsonrpc: '2.0', id: 7, method: 'ping' }, headers);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(answer.body).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    const note = await server.call('POST', '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect([note.status, note.body]).toEqual([202, undefined]);
    expect((await server.call('GET', '/mcp', undefined, headers)).status).toBe(405);
    expect((await server.call('DELETE', '/mcp')).status).toBe(405);
  });

  it('serves many callers at once', async () => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => tool('health', {})));
    expect(answers.every((answer) => answer.text.includes('healthy'))).toBe(true);
  });
});
