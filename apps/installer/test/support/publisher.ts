/** Where plugins are published: a server on loopback with archives that can misbehave, and repositories for git. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { tgzOf } from './tar.ts';
import type { TarEntry } from './tar.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Publisher {
  readonly url: string;
  readonly host: string;
  /** Paths that were asked for since the last call. */
  requests(): readonly string[];
  put(path: string, answer: string | Uint8Array | Answer): void;
  /** Archive and checksum, as a release has them. */
  publish(path: string, packed: Uint8Array): void;
  /** Serves `<folder>/…` below `/git/` over git's own protocol. */
  serveGit(folder: string): void;
  close(): Promise<void>;
}

export async function startPublisher(): Promise<Publisher> {
  const answers = new Map<string, string | Uint8Array | Answer>();
  let asked: string[] = [];
  let repositories: string | undefined;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    asked.push(pathname);
    const answer = answers.get(pathname);
    if (repositories !== undefined && pathname.startsWith('/git/')) runBackend(repositories, request, response);
    else if (typeof answer === 'function') answer(request, response);
    else if (answer === undefined) response.writeHead(404).end('no such file');
    else response.end(answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    requests() {
      const since = asked;
      asked = [];
      return since;
    },
    put: (path, answer) => void answers.set(path, answer),
    publish(path, packed) {
      answers.set(path, packed);
      const sum = createHash('sha256').update(packed).digest('hex');
      answers.set(`${path}.sha256`, `${sum}  ${path.slice(path.lastIndexOf('/') + 1)}\n`);
    },
    serveGit: (folder) => {
      repositories = folder;
    },
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

/** git's own server program, as CGI. */
function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://x');
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn(backend, {
    env: {
      PATH: '/usr/bin:/bin',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname.slice('/git'.length),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.toString('latin1', 0, Math.max(0, end)).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else if (name !== '') response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
}

/** A small marketplace with our plugin, as files. */
export function marketplaceFiles(version: string): readonly TarEntry[] {
  const plugin = 'plugins/openviking-memory';
  return [
    {
      name: '.claude-plugin/marketplace.json',
      content: JSON.stringify({
        name: 'openviking',
        owner: { name: 'Nobody' },
        plugins: [{ name: 'openviking-memory', source: `./${plugin}` }],
      }),
    },
    {
      name: `${plugin}/.claude-plugin/plugin.json`,
      content: JSON.stringify({ name: 'openviking-memory', version }),
    },
    { name: `${plugin}/runtime/launch.sh`, content: '#!/bin/sh\nexit 0\n' },
  ];
}

export function marketplaceArchive(version: string): Buffer {
  return tgzOf(marketplaceFiles(version));
}

export interface Repository {
  /** Holds `plugins.git`, which a server of plain files can serve as well. */
  readonly folder: string;
  remove(): void;
}

export function createRepository(version: string): Repository {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-git-')));
  const work = join(folder, 'work');
  writeFiles(work, version);
  const env = { PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: readonly string[]): void => {
    execFileSync('git', [...args], { cwd: work, stdio: 'ignore', env });
  };
  git('init', '--quiet', '.');
  git('add', '--all');
  git('-c', 'user.email=nobody@example.org', '-c', 'user.name=Nobody', 'commit', '--quiet', '--message', 'x');
  git('clone', '--quiet', '--bare', '.', '../plugins.git');
  git('--git-dir', '../plugins.git', 'update-server-info');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The same marketplace as a folder. */
export function writeFiles(folder: string, version: string): void {
  for (const { name, content = '' } of marketplaceFiles(version)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
