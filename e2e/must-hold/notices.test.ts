/** Trouble that only the user can end is said once in a conversation, where the client can show a line to the user. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ClaudeHost, writeClaudePlugin } from '@openviking/harness-claude/testing';
import { createTemporaryHome, killProcessesOfHome, startStubServer } from '@openviking/memory-core/testing';
import type { ClaudeSession } from '@openviking/harness-claude/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ROOT } from './artefacts.ts';

let home: TemporaryHome;
let server: StubServer;
let host: ClaudeHost;

beforeEach(async () => {
  server = await startStubServer({ apiKey: 'k' });
  home = createTemporaryHome();
  writeClaudePlugin({ home: home.path, payloadDir: join(ROOT, 'libs/harness-claude/dist/payload') });
  host = new ClaudeHost({ home: home.path, cwd: home.makeFolder('project') });
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

/** What the user is shown over three turns, the opening of the conversation included. */
async function shown(session: ClaudeSession): Promise<string[]> {
  const notices: string[] = [];
  for (const turn of [1, 2, 3]) {
    notices.push(...(await session.prompt(`Question ${turn} about the release`)).notices);
    await session.answer(`Answer ${turn} about the release`);
  }
  return notices;
}

it.each([
  ['the key is refused', 'wrong', {}, [/refuses the key.*npx @openviking\/install status/]],
  ['the server refuses connections', 'k', { url: 'http://127.0.0.1:9' }, [/does not answer.*install status/]],
  [
    'nothing more fits into the queue',
    'k',
    { url: 'http://127.0.0.1:9', plugin: { spoolMaxBytes: 300 } },
    [/answer/, /capture has stopped/],
  ],
  ['all is well', 'k', {}, []],
])('when %s', async (_what, key, settings, expected) => {
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: key, ...settings }), 0o600);
  const one = await shown(host.startSession());
  expect(one).toHaveLength(expected.length);
  expected.forEach((pattern, index) => expect(one[index]).toMatch(pattern));
  // Another conversation is told, too.
  if (expected[0] !== undefined) expect((await shown(host.startSession()))[0]).toMatch(expected[0]);
});

it('names the command that the installer has left in its receipt', async () => {
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'wrong' }), 0o600);
  home.write('.openviking/install/receipts/claude.json', JSON.stringify({ command: 'node /clone/install.mjs' }), 0o600);
  expect(await shown(host.startSession())).toEqual([expect.stringMatching(/Run node \/clone\/install\.mjs status$/)]);
});
