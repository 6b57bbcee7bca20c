/**
 * Resolves every setting with its origin, and the connection, from one look at environment and files. Synchronous and
 * without an error path: it runs in every hook process, where a broken settings file must not stop the conversation.
 */
import type { Finding } from '../contract/finding.ts';
import type { Provenance, ResolvedSettings, SettingName, Settings, SettingsContext } from '../contract/settings.ts';
import { credentialParts, resolveConnection } from './connection.ts';
import { diskReader } from './file-reader.ts';
import type { FileReader } from './file-reader.ts';
import { layersOf, readSections } from './layers.ts';
import type { CredentialParts, Found, Layer, Sections } from './layers.ts';
import { terseFinding } from './problem.ts';
import type { Problem, Report } from './problem.ts';
import { declarationOf, RESET, SETTING_NAMES } from './schema.ts';
import { readSources } from './sources.ts';
import type { Sources } from './sources.ts';
import { expandHome, readValue, UNKNOWN_MEMBER } from './value.ts';

export interface LoadOptions {
  /** Writes the findings for people, and looks for more of them. Absent in hooks, whose findings are code and place. */
  readonly findings?: FindingsWriter;
  readonly reader?: FileReader;
}

/** The part that a hook leaves out; implemented in `inspect.ts`. */
export interface FindingsWriter {
  explain(problem: Problem): Finding;
  /** What loading alone does not notice: unknown keys, an odd server address. */
  further(
    context: SettingsContext,
    sources: Sources,
    sections: Sections,
    resolved: ResolvedSettings,
  ): readonly Finding[];
}

/** A list in a workspace file is cut there: a repository decides about its length, we about the time of a hook. */
export const WORKSPACE_LIST_MAX_ITEMS = 256;

const BUILT_IN: Provenance = { layer: 'default' };

/** Loads settings and connection for one client in one working directory. Never throws, never writes. */
export function loadSettings(context: SettingsContext, options: LoadOptions = {}): ResolvedSettings {
  const { sources, sections, parts, settings, provenance, problems } = load(context, options.reader);
  const report: Report = (problem) => void problems.push(problem);
  const connection = resolveConnection({ env: context.env, sections, parts, settings, report });
  const writer = options.findings;
  const findings = problems.map((problem) => writer?.explain(problem) ?? terseFinding(problem));
  const resolved = { settings, provenance, connection, findings };
  return writer === undefined
    ? resolved
    : { ...resolved, findings: [...findings, ...writer.further(context, sources, sections, resolved)] };
}

/** The settings alone, for hooks that never talk to the server: their bundles carry nothing of the connection. */
export function loadWithoutConnection(context: SettingsContext): Settings {
  return load(context).settings;
}

interface Loaded {
  readonly sources: Sources;
  readonly sections: Sections;
  readonly parts: CredentialParts;
  readonly settings: Settings;
  readonly provenance: ResolvedSettings['provenance'];
  readonly problems: Problem[];
}

function load(context: SettingsContext, reader = diskReader): Loaded {
  const problems: Problem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  const sources = readSources(context, reader, report);
  const sections = readSections(sources, context.harness);
  const parts = credentialParts(context.env, sections, report);
  const layers = layersOf(context.env, sources, sections, parts);

  const values: Partial<Record<SettingName, unknown>> = {};
  const provenance: Partial<Record<SettingName, Provenance>> = {};
  for (const name of SETTING_NAMES) {
    const [value, origin] = resolveSetting(name, layers, context.home, report) ?? [builtIn(name, context), BUILT_IN];
    values[name] = value;
    provenance[name] = origin;
  }
  // Sound because the declaration table is typed, setting by setting, to yield exactly this shape.
  return { sources, sections, parts, settings: values as unknown as Settings, provenance, problems };
}

function builtIn(name: SettingName, { harness, home, defaults }: SettingsContext): unknown {
  const value = defaults?.[name] ?? declarationOf(name).default;
  if (declarationOf(name).type !== 'path' || typeof value !== 'string') return value;
  return expandHome(value.replace('<harness>', harness), home);
}

type Resolved = readonly [value: unknown, provenance: Provenance];

/** What the layers say about one setting; undefined leaves the default. */
function resolveSetting(
  name: SettingName,
  layers: readonly Layer[],
  home: string,
  report: Report,
): Resolved | undefined {
  const { type } = declarationOf(name);
  const collected: Resolved[] = [];
  for (const layer of layers) {
    const found = layer.find(name);
    if (found === undefined) continue;
    const value = readFound(name, found, layer, home, report);
    if (value === UNKNOWN_MEMBER) return undefined;
    if (value === undefined) continue;
    const file = layer.file === undefined ? {} : { file: layer.file };
    const resolved: Resolved = [value, { layer: layer.layer, ...file, key: found.key }];
    if (type !== 'list' && type !== 'filters' && type !== 'map') return resolved;
    collected.push(resolved);
  }
  const strongest = collected[0]?.[1];
  if (strongest === undefined) return undefined;
  const values = collected.map(([value]) => value);
  return [type === 'map' ? mergedMap(values as TextMap[]) : mergedList(values as (readonly string[])[]), strongest];
}

/** Union, strongest first, down to the first list that begins with a reset. */
function mergedList(lists: readonly (readonly string[])[]): readonly string[] {
  const items = new Set<string>();
  for (const list of lists) {
    const reset = list[0] === RESET;
    for (const item of reset ? list.slice(1) : list) items.add(item);
    if (reset) break;
  }
  return [...items];
}

type TextMap = Readonly<Record<string, string>>;

/** Name by name, the strongest wins. Header names are the only ones: their case means nothing. */
function mergedMap(maps: readonly TextMap[]): TextMap {
  const entries = new Map<string, readonly [string, string]>();
  for (const entry of maps.flatMap((map) => Object.entries(map))) {
    const id = entry[0].toLowerCase();
    if (!entries.has(id)) entries.set(id, entry);
  }
  return Object.fromEntries(entries.values());
}

function readFound(name: SettingName, { raw, key }: Found, layer: Layer, home: string, report: Report): unknown {
  const place = { key, setting: name, ...(layer.file === undefined ? {} : { file: layer.file }) };
  const workspace = layer.layer.startsWith('workspace');
  if (workspace && mentionsVariable(raw)) {
    report({ code: 'settings/workspace-expansion', ...place });
    return undefined;
  }
  const value = readValue(declarationOf(name), raw, {
    home,
    environment: layer.layer === 'environment',
    report: (problem) => report({ ...place, ...problem }),
  });
  if (!workspace || !Array.isArray(value) || value.length <= WORKSPACE_LIST_MAX_ITEMS) return value;
  report({ code: 'settings/list-too-long', ...place, given: value.length, used: WORKSPACE_LIST_MAX_ITEMS });
  return value.slice(0, WORKSPACE_LIST_MAX_ITEMS);
}

/** One level deep, like every list of ours: what is nested deeper is no value anyway. */
function mentionsVariable(raw: unknown): boolean {
  return [raw].flat().some((item) => typeof item === 'string' && item.includes('${'));
}
