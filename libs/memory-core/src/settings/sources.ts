/**
 * Reads the files that settings and credentials come from, each once, and says what was wrong with them. A repository may
 * ship its own workspace file: such a file is limited in size, must lie inside the repository, and is never a way to
 * make a hook read something else.
 */
import { join, relative, isAbsolute, resolve } from 'node:path';
import type { Finding } from '../contract/finding.ts';
import type { SettingsContext } from '../contract/settings.ts';
import { findWorkspaceRoot, WORKSPACE_FILES } from '../workspace/root.ts';
import { workspaceRegistryFile, workspaceRegistryFolder } from '../workspace/slot.ts';
import { kindOf, readBounded, realPathOr } from './file-reader.ts';
import type { FileReader } from './file-reader.ts';
import { parseJsonc } from './jsonc.ts';
import { WORKSPACE_VERSION } from './schema.ts';
import { expandHome, isObject, textOf } from './value.ts';

export interface Source {
  readonly file: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export interface Sources {
  readonly ovcli: Source | undefined;
  readonly ovConf: Source | undefined;
  readonly registry: Source | undefined;
  readonly local: Source | undefined;
  readonly workspace: Source | undefined;
  readonly findings: readonly Finding[];
}

/** A larger workspace file is skipped unread. */
export const WORKSPACE_FILE_MAX_BYTES = 256 * 1024;
const USER_FILE_MAX_BYTES = 4 * 1024 * 1024;

export interface CredentialPaths {
  readonly ovcli: string;
  readonly ovConf: string;
  /** `OPENVIKING_CONFIG_FILE` alone is set: what it names may be either kind of file. */
  readonly eitherKind: boolean;
}

/** Where the credential files are, overrides considered. */
export function credentialPaths({ home, env }: Pick<SettingsContext, 'home' | 'env'>): CredentialPaths {
  const named = (variable: string): string | undefined => {
    const path = expandHome(textOf(env[variable]), home);
    return path === undefined ? undefined : resolve(path);
  };
  const ovcli = named('OPENVIKING_CLI_CONFIG_FILE');
  const ovConf = named('OPENVIKING_CONFIG_FILE');
  return {
    ovcli: ovcli ?? join(home, '.openviking', 'ovcli.conf'),
    ovConf: ovConf ?? join(home, '.openviking', 'ov.conf'),
    eitherKind: ovcli === undefined && ovConf !== undefined,
  };
}

/** Reads everything that exists. Absent and blank files are silent, broken ones are skipped whole with one finding. */
export function readSources(context: SettingsContext, reader: FileReader): Sources {
  const findings: Finding[] = [];
  const read = (file: string, maxBytes: number): Source | undefined => readSource(reader, file, maxBytes, findings);

  const paths = credentialPaths(context);
  let ovConf = read(paths.ovConf, USER_FILE_MAX_BYTES);
  let ovcli: Source | undefined;
  if (paths.eitherKind && ovConf !== undefined && looksLikeOvcli(ovConf.content)) {
    ovcli = ovConf;
    ovConf = undefined;
  } else {
    ovcli = read(paths.ovcli, USER_FILE_MAX_BYTES);
  }

  const readWorkspace = (file: string): Source | undefined => {
    const source = read(file, WORKSPACE_FILE_MAX_BYTES);
    if (source === undefined || source.content['version'] === WORKSPACE_VERSION) return source;
    findings.push({
      code: 'settings/workspace-version',
      severity: 'warn',
      file,
      message: `Skipped: a workspace file must say "version": ${WORKSPACE_VERSION}.`,
      fix: `Add "version": ${WORKSPACE_VERSION}, or update the installed integration when the file is newer.`,
    });
    return undefined;
  };
  const root = findWorkspaceRoot({ cwd: context.cwd, home: context.home, reader });
  if (root === undefined) {
    return { ovcli, ovConf, registry: undefined, local: undefined, workspace: undefined, findings };
  }
  const realRoot = realPathOr(reader, root);
  const inside = (name: string): Source | undefined => {
    const file = join(root, name);
    if (kindOf(reader, file) === undefined || !leaves(realRoot, realPathOr(reader, file))) return readWorkspace(file);
    findings.push({
      code: 'settings/workspace-link-outside',
      severity: 'warn',
      file,
      message: 'Skipped: the file is a link that leads out of the repository.',
      fix: 'Put a regular file there. Settings for this machine belong in ~/.openviking/ovcli.conf.',
    });
    return undefined;
  };
  return {
    ovcli,
    ovConf,
    registry:
      kindOf(reader, workspaceRegistryFolder(context.home)) === 'folder'
        ? readWorkspace(workspaceRegistryFile(context.home, realRoot))
        : undefined,
    local: inside(WORKSPACE_FILES.local),
    workspace: inside(WORKSPACE_FILES.shared),
    findings,
  };
}

function leaves(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path === '..' || /^\.\.[\\/]/.test(path) || isAbsolute(path);
}

/** Fields that only an ovcli.conf has at its top level; an ov.conf has `server` and sections. */
function looksLikeOvcli(content: Readonly<Record<string, unknown>>): boolean {
  return !isObject(content['server']) && ['url', 'api_key', 'plugin'].some((field) => Object.hasOwn(content, field));
}

function readSource(reader: FileReader, file: string, maxBytes: number, findings: Finding[]): Source | undefined {
  const skipped = (code: string, message: string, fix: string, place: { line?: number; column?: number } = {}) => {
    findings.push({
      code: `settings/${code}`,
      severity: 'error',
      file,
      ...place,
      message: `Skipped: ${message}.`,
      fix,
    });
    return undefined;
  };
  const read = readBounded(reader, file, maxBytes);
  if (!read.ok) {
    if (read.reason === 'absent') return undefined;
    if (read.reason === 'too-large') {
      return skipped('file-too-large', `larger than ${maxBytes / 1024} KB`, 'Remove what does not belong there.');
    }
    return skipped('unreadable-file', 'not a readable file', 'Check its type, owner and permissions.');
  }
  if (/^\ufeff?\s*$/.test(read.text)) return undefined;
  const parsed = parseJsonc(read.text);
  if (!parsed.ok) {
    const { line, column } = parsed;
    return skipped('broken-file', parsed.message, `Correct line ${line}, column ${column}.`, { line, column });
  }
  if (!isObject(parsed.value))
    return skipped('not-an-object', 'not a JSON object', 'Put the settings between { and }.');
  return { file, content: parsed.value };
}
