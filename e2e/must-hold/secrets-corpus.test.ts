/** Every known format of a secret, said in every place of a conversation: none rests on disk, leaves the machine or is logged. */
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  FORMAT_EXAMPLES,
  killProcessesOfHome,
  PLACE_EXAMPLES,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';

/** Examples in one turn. */
const PER_TURN = 20;

let home: TemporaryHome;
let server: StubServer;
beforeEach(async () => {
  server = await startStubServer();
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k' }), 0o600);
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

/** Everything that lies below a folder, names included, as one text. */
function contentOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => `${entry.name}\n${entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'utf8') : ''}`)
    .join('\n');
}

/** Until nobody changes the files any more that are about to be read. */
async function quiet(): Promise<void> {
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
}

describe('the corpus of secrets', () => {
  it('is found nowhere, while what only looks like it stays', async () => {
    const secrets = FORMAT_EXAMPLES.map(({ secret }) => secret);
    const ordinary = FORMAT_EXAMPLES.map((example) => example.ordinary);
    const inside = (text: string): string[] =>
      secrets.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)));

    const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project'), env: { OPENVIKING_DEBUG: '1' } });
    const session = host.startSession();
    await server.goDown();
    for (let start = 0; start < FORMAT_EXAMPLES.length; start += PER_TURN) {
      const said = secrets.slice(start, start + PER_TURN);
      const plain = ordinary.slice(start, start + PER_TURN);
      await session.prompt(`What are these?\n${said.join('\n')}\nAnd these?\n${plain.join('\n')}`);
      await session.tool(
        'Bash',
        { command: `echo '${said.join("' '")}'` },
        said.map((secret) => `> ${secret}`).join('\n'),
      );
      await session.answer(`They are:\n${said.map((secret) => `- "${secret}"`).join('\n')}\nand ${plain.join(', ')}`);
    }
    // A worker that gives up only now would have the next one wait.
    while ((await untilHomeIsQuiet(home.path, 200)).length > 0) killProcessesOfHome(home.path);
    // All of it waits on disk now: journal, records, logs, heartbeats, what was recalled.
    const atRest = contentOf(home.at('.openviking'));
    expect(inside(atRest)).toEqual([]);
    expect(atRest).toContain('[redacted:');

    await server.comeBack();
    await host.startSession().prompt('And now something else');
    const turns = Math.ceil(FORMAT_EXAMPLES.length / PER_TURN);
    await server.untilMessages(`zc-${session.id}`, turns * 2);
    await quiet();
    const wire = JSON.stringify(server.requests) + JSON.stringify(server.conversation(`zc-${session.id}`));
    const logs = contentOf(home.at('.openviking', 'logs'));
    const found = { spool: inside(atRest), wire: inside(wire), logs: inside(logs) };
    const kept = ordinary.filter((text) => wire.includes(JSON.stringify(text).slice(1, -1)));
    const formats = new Set(FORMAT_EXAMPLES.map(({ id }) => id)).size;
    process.stdout.write(
      `secrets: ${secrets.length} examples of ${formats} formats in prompts, tool inputs, tool outputs and answers; ` +
        `found in spool ${found.spool.length}, wire ${found.wire.length}, logs ${found.logs.length}; ` +
        `${kept.length} of ${ordinary.length} look-alikes kept\n`,
    );
    expect(found).toEqual({ spool: [], wire: [], logs: [] });
    expect(formats).toBeGreaterThanOrEqual(40);
    expect(kept).toEqual(ordinary);
    expect(logs).toContain(' debug ');
  });

  it('is found nowhere where only its place gives a secret away', async () => {
    // A simple word stands in several examples: each is looked for in what its own turn has left.
    const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project'), env: { OPENVIKING_DEBUG: '1' } });
    const session = host.startSession();
    await server.goDown();
    for (let start = 0; start < PLACE_EXAMPLES.length; start += PER_TURN) {
      const some = PLACE_EXAMPLES.slice(start, start + PER_TURN);
      await session.prompt('Look at these');
      for (const { text } of some) await session.tool('Bash', { command: 'show', seen: text }, text);
      await session.answer('I have looked at them.');
    }
    while ((await untilHomeIsQuiet(home.path, 200)).length > 0) killProcessesOfHome(home.path);
    const atRest = contentOf(home.at('.openviking'));
    await server.comeBack();
    await host.startSession().prompt('And now something else');
    await server.untilMessages(`zc-${session.id}`, Math.ceil(PLACE_EXAMPLES.length / PER_TURN) * 2);
    await quiet();
    const wire = JSON.stringify(server.conversation(`zc-${session.id}`));
    const inside = (text: string): string[] =>
      PLACE_EXAMPLES.filter(({ secret }) => text.includes(JSON.stringify(secret).slice(1, -1))).map(({ what }) => what);
    process.stdout.write(`secrets: ${PLACE_EXAMPLES.length} examples of places in tool inputs and outputs\n`);
    expect({ spool: inside(atRest), wire: inside(wire) }).toEqual({ spool: [], wire: [] });
    expect(wire).toContain('[redacted:password]');
    expect(wire).toContain('I have looked at them.');
  });

  it('passes nothing on where the code for secrets is missing', async () => {
    const payload = home.at('payload');
    cpSync(ZCODE_PAYLOAD, payload, { recursive: true });
    rmSync(`${payload}/secrets.cjs`);
    writeZcodeConfig(home.path, payload);
    const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project') });
    const session = host.startSession();
    await session.prompt('Which package manager is used?');
    await session.tool('Bash', { command: 'cat .env' }, 'DB_PASSWORD=correcthorse');
    await session.answer('It is pnpm.');
    await server.untilMessages(`zc-${session.id}`, 2);
    await quiet();
    const wire = JSON.stringify(server.conversation(`zc-${session.id}`));
    expect(wire).not.toContain('correcthorse');
    expect(contentOf(home.at('.openviking'))).not.toContain('correcthorse');
    expect(wire).toContain('what finds secrets could not be loaded');
    expect(wire).toContain('It is pnpm.');
  });

  it('is found nowhere where redaction was off at the prompt and is on at the end of the turn', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    // The environment of the hooks, which a client takes over from the shell that starts it.
    const env: Record<string, string> = { OPENVIKING_REDACT_SECRETS: '0' };
    const session = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project'), env }).startSession();
    await session.prompt(`My token is ${secret}`);
    expect(contentOf(home.at('.openviking', 'spool'))).toContain(secret);
    // A worker of that time captures what has ended by the settings of its time.
    await quiet();
    env['OPENVIKING_REDACT_SECRETS'] = '1';
    await session.answer('I would rather not know it.');
    await server.untilMessages(`zc-${session.id}`, 2);
    await quiet();
    expect(JSON.stringify(server.conversation(`zc-${session.id}`))).toContain('My token is [redacted:github-token]');
    expect(contentOf(home.at('.openviking'))).not.toContain(secret);
  });

  it('keeps a private passage of a file that is read in pages out of everything', async () => {
    const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project') });
    const session = host.startSession();
    await session.prompt('Read the minutes');
    await session.tool('Read', { page: 1 }, 'Minutes.\n<private>\nSalaries follow.');
    await session.tool('Read', { page: 2 }, 'Ann earns fortytwo.');
    await session.tool('Read', { page: 3 }, 'Ben earns fortyone.\n</private>\nThe meeting was closed.');
    await session.answer('The meeting was closed.');
    await server.untilMessages(`zc-${session.id}`, 2);
    await quiet();
    const everything = JSON.stringify(server.requests) + contentOf(home.at('.openviking'));
    for (const hidden of ['Salaries', 'fortytwo', 'fortyone']) expect(everything).not.toContain(hidden);
    expect(everything).toContain('The meeting was closed.');
    expect(everything).toContain('Minutes.');
  });

  it('keeps a private key that is read in pages out of everything', async () => {
    const lines = Array.from({ length: 30 }, () => randomBytes(48).toString('base64'));
    const file = [`-----BEGIN ${'PRIVATE'} KEY-----`, ...lines, `-----END ${'PRIVATE'} KEY-----`, 'And a remark.'];
    const page = (from: number, to: number): string =>
      file
        .slice(from, to)
        .map((line, index) => `${String(from + index + 1).padStart(6)}→${line}`)
        .join('\n');
    const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project') });
    const session = host.startSession();
    await session.prompt('Read the file');
    await session.tool('Read', { page: 1 }, page(0, 11));
    await session.tool('Read', { page: 2 }, page(11, 21));
    await session.tool('Read', { page: 3 }, page(21, file.length));
    await session.answer('It holds a key and a remark.');
    await server.untilMessages(`zc-${session.id}`, 2);
    const everything = JSON.stringify(server.requests) + contentOf(home.at('.openviking'));
    expect(lines.filter((line) => everything.includes(line))).toEqual([]);
    expect(everything).toContain('[redacted:private-key]');
    expect(everything).toContain('And a remark.');
  });
});
