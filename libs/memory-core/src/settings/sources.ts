/**
 * Reads the files that settings and credentials come from, each once. A repository may ship its own workspace file: such
 * a file is limited in size, must lie inside the repository, and is never a way to make a hook read something else.
 */
import { isAbsolute, join, relative } from 'node:path';
import type { SettingsContext } from '../contract/settings.ts';
import { isObject } from '../fs/json-object.ts';
import { absolute, inside } from '../fs/path.ts';
import { findWorkspaceRoot, WORKSPACE_FILES } from '../workspace/root.ts';
import { workspaceRegistryFile, workspaceRegistryFolder } from '../workspace/slot.ts';
import { diskReader, kindOf, readBounded, realPathOr } from './file-reader.ts';
import type { FileReader } from './file-reader.ts';
import type { Report } from './problem.ts';
import { WORKSPACE_VERSION } from './schema.ts';
import { parseTolerantJson } from './tolerant-json.ts';
import { expandHome, textOf } from './value.ts';

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
    return path === undefined ? undefined : absolute(path);
  };
  const ovcli = named('OPENVIKING_CLI_CONFIG_FILE');
  const ovConf = named('OPENVIKING_CONFIG_FILE');
  return {
    ovcli: ovcli ?? inside(absolute(home), '.openviking', 'ovcli.conf'),
    ovConf: ovConf ?? inside(absolute(home), '.openviking', 'ov.conf'),
    eitherKind: ovcli === undefined && ovConf !== undefined,
  };
}

/** The file that the OpenViking command line's credentials are read from, and belong into. */
export function ovcliFile(context: Pick<SettingsContext, 'home' | 'env'>, reader: FileReader = diskReader): string {
  const { ovcli, ovConf, eitherKind } = credentialPaths(context);
  if (!eitherKind) return ovcli;
  const source = readSource(ovConf, USER_FILE_MAX_BYTES, reader, () => undefined);
  return source !== undefined && looksLikeOvcli(source.content) ? ovConf : ovcli;
}

/** Reads everything that exists. Absent and blank files are silent, broken ones are skipped whole with one problem. */
export function readSources(context: SettingsContext, reader: FileReader, report: Report): Sources {
  const paths = credentialPaths(context);
  let ovConf = readSource(paths.ovConf, USER_FILE_MAX_BYTES, reader, report);
  let ovcli: Source | undefined;
  if (paths.eitherKind && ovConf !== undefined && looksLikeOvcli(ovConf.content)) {
    ovcli = ovConf;
    ovConf = undefined;
  } else {
    ovcli = readSource(paths.ovcli, USER_FILE_MAX_BYTES, reader, report);
  }

  const readWorkspace = (file: string): Source | undefined => {
    const source = readSource(file, WORKSPACE_FILE_MAX_BYTES, reader, report);
    if (source === undefined || source.content['version'] === WORKSPACE_VERSION) return source;
    report({ code: 'settings/workspace-version', file });
    return undefined;
  };
  const root = findWorkspaceRoot({ cwd: context.cwd, home: context.home, reader });
  const workspaceFile = (name: string): Source | undefined => {
    if (root === undefined) return undefined;
    const file = join(root, name);
    if (kindOf(reader, file) === undefined) return undefined;
    const path = relative(realPathOr(reader, root), realPathOr(reader, file));
    if (!/^\.\.(?:$|[\\/])/.test(path) && !isAbsolute(path)) return readWorkspace(file);
    report({ code: 'settings/workspace-link-outside', file });
    return undefined;
  };
  const registered = root !== undefined && kindOf(reader, workspaceRegistryFolder(context.home)) !== undefined;
  return {
    ovcli,
    ovConf,
    registry: registered ? readWorkspace(workspaceRegistryFile(context.home, realPathOr(reader, root))) : undefined,
    local: workspaceFile(WORKSPACE_FILES.local),
    workspace: workspaceFile(WORKSPACE_FILES.shared),
  };
}

/** Fields that only an ovcli.conf has at its top level; an ov.conf has `server` and sections. */
function looksLikeOvcli(content: Readonly<Record<string, unknown>>): boolean {
  return !isObject(content['server']) && ['url', 'api_key', 'plugin'].some((field) => Object.hasOwn(content, field));
}

function readSource(file: string, maxBytes: number, reader: FileReader, report: Report): Source | undefined {
  const read = readBounded(reader, file, maxBytes);
  if (!read.ok) {
    if (read.reason === 'too-large') report({ code: 'settings/file-too-large', file, used: maxBytes });
    else if (read.reason !== 'absent') report({ code: 'settings/unreadable-file', file });
    return undefined;
  }
  if (/^\ufeff?\s*$/.test(read.text)) return undefined;
  const parsed = parseTolerantJson(read.text);
  if (parsed.ok && isObject(parsed.value)) return { file, content: parsed.value };
  report(
    parsed.ok ? { code: 'settings/not-an-object', file } : { code: 'settings/broken-file', file, text: read.text },
  );
  return undefined;
}
