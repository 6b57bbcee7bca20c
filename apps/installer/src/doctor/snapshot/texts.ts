/** Text files that doctor looks into and never changes: shell profiles, project files of clients, what older installers left. */
import { dirname, join } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { isThere, namesIn } from '../../files/folders.ts';
import { readImage } from '../../files/image.ts';
import { parseDocument, placeOf, valueAt } from '../../json/document.ts';
import { requestsInOldQueue } from '../../migration/import-queue.ts';
import { oldQueueFolder } from '../../migration/old-queue.ts';
import type { Machine } from '../../machine/machine.ts';

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Where shells look for what to run at their start. */
const PROFILES = [
  '.zshrc',
  '.zprofile',
  '.zshenv',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.config/fish/config.fish',
] as const;

/** A file in which clients look for hooks in a project; several of them may read one. */
export interface ProjectText extends TextFile {
  /** Clients all of whose hooks it switches off, with the key and its line. */
  readonly switchedOff: readonly { readonly client: string; readonly key: string; readonly line: number }[];
}

/** zsh looks for its own in `ZDOTDIR` where that is set. */
export function readProfiles({ home, env }: Machine): readonly TextFile[] {
  const folder = env['ZDOTDIR']?.trim() ?? '';
  const paths = [
    ...PROFILES.map((name) => join(home, name)),
    ...(folder === '' ? [] : PROFILES.filter((name) => name.startsWith('.z')).map((name) => join(folder, name))),
  ];
  return [...new Set(paths)].flatMap(readText);
}

/** Project files of `cwd` and its parents up to the repository's root. The home folder's own files are no project's. */
export function readProjectFiles(
  { home }: Machine,
  cwd: string,
  clients: readonly HarnessDeclaration[],
): readonly ProjectText[] {
  const names = new Set(clients.flatMap(({ projectFiles = [] }) => projectFiles.map(({ path }) => path)));
  const files: ProjectText[] = [];
  for (let folder = cwd; folder !== home && dirname(folder) !== folder; folder = dirname(folder)) {
    for (const name of names) {
      files.push(
        ...readText(join(folder, name)).map((file) => ({ ...file, switchedOff: switchedOffBy(file, name, clients) })),
      );
    }
    if (isThere(join(folder, '.git'))) break;
  }
  return files;
}

function switchedOffBy(
  { path, text }: TextFile,
  name: string,
  clients: readonly HarnessDeclaration[],
): ProjectText['switchedOff'] {
  return clients.flatMap(({ id, projectFiles = [] }) => {
    const keys = projectFiles.find((file) => file.path === name)?.offSwitch;
    if (keys === undefined) return [];
    try {
      const node = valueAt(parseDocument(text, path).root, keys);
      return node?.value === true ? [{ client: id, key: keys.join('.'), line: placeOf(text, node.offset).line }] : [];
    } catch {
      // Broken, and so without effect in the client too.
      return [];
    }
  });
}

/** What the earlier shell installer kept beside its wiring. */
export interface Leftovers {
  /** Its folders of scripts, by client. */
  readonly programs: readonly { readonly client: string; readonly folder: string }[];
  /** Undelivered requests in its queue, those included that a killed run has not put into the spool yet. */
  readonly queue: { readonly folder: string; readonly turns: number };
  /** MCP files that it wrote where no client reads. */
  readonly unread: readonly TextFile[];
}

export function readLeftovers(machine: Machine, installed: readonly string[]): Leftovers {
  const { home } = machine;
  const integrations = join(home, '.openviking', 'agent-integrations');
  return {
    programs: namesIn(integrations)
      .filter((name) => !installed.includes(name))
      .map((client) => ({ client, folder: join(integrations, client) }))
      .filter(({ folder }) =>
        readText(join(folder, 'integration.json')).some(({ text }) => text.includes('openviking-memory')),
      ),
    queue: { folder: oldQueueFolder(machine), turns: requestsInOldQueue(machine) },
    unread: ['.trae/mcp.json', '.trae-cn/mcp.json']
      .flatMap((name) => readText(join(home, name)))
      .filter(({ text }) => text.includes('agent-integrations')),
  };
}

/** One file or none: what cannot be read says nothing. */
function readText(path: string): readonly TextFile[] {
  try {
    const image = readImage(path);
    return image === undefined ? [] : [{ path, text: Buffer.from(image.bytes).toString('utf8') }];
  } catch {
    return [];
  }
}
