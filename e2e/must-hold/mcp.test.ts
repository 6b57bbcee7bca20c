/** Must hold 6: a real MCP client reaches the local server's tools through the entry that the installer wrote. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZcodeHost } from '@openviking/harness-zcode/testing';
import { createTemporaryHome, homeEnvironment, untilHomeIsQuiet, waitUntil } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { LOCAL_SERVER } from './artefacts.ts';
import { installedHome, removeHome } from './installation.ts';

const KEY = 'mcp-test-key-5e5e';
let serverHome: TemporaryHome;
let server: ChildProcess;
let home: TemporaryHome;
let client: Client;

beforeAll(async () => {
  serverHome = createTemporaryHome();
  serverHome.write('.openviking/ovcli.conf', JSON.stringify({ api_key: KEY }), 0o600);
  const data = serverHome.makeFolder('data');
  const child = spawn(process.execPath, [LOCAL_SERVER, '--port', '0', '--data', data, '--home', serverHome.path], {
    env: homeEnvironment(serverHome.path),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server = child;
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const url = await waitUntil('the local server', () => /Listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]);
  home = await installedHome(url, KEY);
  const reading = new ZcodeHost({ home: home.path, cwd: home.path }).readConfig();
  const entry = reading.kind === 'read' ? reading.config.mcpServers.get('openviking') : undefined;
  if (entry === undefined) throw new Error('the installer wrote no MCP server');
  client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: entry.command,
      args: [...entry.args],
      cwd: home.path,
      env: homeEnvironment(home.path, entry.env),
      stderr: 'inherit',
    }),
  );
});

afterAll(async () => {
  await client.close();
  const living = await untilHomeIsQuiet(home.path);
  server.kill();
  removeHome(home);
  removeHome(serverHome);
  // The proxy ends with its client.
  expect(living).toEqual([]);
});

async function call(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const result = await client.callTool({ name, arguments: { ...args } });
  expect(result.isError ?? false).toBe(false);
  return JSON.stringify(result.content);
}

describe('the MCP proxy with the official client', () => {
  it('lists the tools of the local server', async () => {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['find', 'search', 'read', 'list', 'remember', 'forget', 'health']));
    for (const tool of tools) expect(tool.inputSchema.type).toBe('object');
  });

  it('says that the server is well', async () => {
    expect(await call('health', {})).toMatch(/ok|healthy/i);
  });

  it('remembers, finds and forgets, in English and in Chinese', async () => {
    const { tools } = await client.listTools();
    const remember = tools.find((tool) => tool.name === 'remember');
    // The set and the arguments of the tools are the server's own affair: what it requires is read, not known.
    const field = remember?.inputSchema.required?.[0] ?? 'content';
    await call('remember', { [field]: 'The staging database is called heron.' });
    await call('remember', { [field]: '项目的包管理器是 pnpm。' });
    expect(await call('search', { query: 'staging database' })).toContain('heron');
    expect(await call('search', { query: '包管理器' })).toContain('pnpm');

    const found = await call('search', { query: 'staging database' });
    const uri = /viking:\/\/[^\s"\\)>\]]+/.exec(found)?.[0];
    await call('forget', { uri });
    expect(await call('search', { query: 'staging database' })).not.toContain('heron');
  });

  it('passes an error of the server on as an error, and goes on working', async () => {
    const refused = await client.callTool({ name: 'no-such-tool', arguments: {} }).then(
      (result) => (result.isError === true ? 'refused' : 'answered'),
      () => 'refused',
    );
    expect(refused).toBe('refused');
    expect(await call('health', {})).toMatch(/ok|healthy/i);
  });
});
