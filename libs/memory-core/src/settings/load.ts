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
import type { Found, Layer } from './layers.ts';
import { declarationOf, defaultOf, RESET, SETTING_NAMES } from './schema.ts';
import type { Declaration } from './schema.ts';
import { readSources } from './sources.ts';
import { unknownKeys } from './unknown-keys.ts';
import { expandHome, fileOf, readValue, UNKNOWN_MEMBER } from './value.ts';
import type { Origin, ValueContext } from './value.ts';

export interface LoadOptions {
  /** Also look for unknown and forbidden keys, with suggestions. For doctor; a hook does not pay for it. */
  readonly findings?: boolean;
  readonly reader?: FileReader;
}

/** A list in a workspace file is cut there: a repository decides about its length, we about the time of a hook. */
const WORKSPACE_LIST_MAX_ITEMS = 256;

const BUILT_IN: Provenance = { layer: 'default' };

/** Loads settings and connection for one client in one working directory. Never throws, never writes. */
export function loadSettings(context: SettingsContext, options: LoadOptions = {}): ResolvedSettings {
  const reader = options.reader ?? diskReader;
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);

  const sources = readSources(context, reader);
  findings.push(...sources.findings);
  const sections = readSections(sources, context.harness);
  const parts = credentialParts(context.env, sections, report);
  const layers = layersOf(context.env, sources, sections, parts);

  const values: Partial<Record<SettingName, unknown>> = {};
  const provenance: Partial<Record<SettingName, Provenance>> = {};
  for (const name of SETTING_NAMES) {
    const resolved = resolveSetting(name, layers, { home: context.home, report });
    const fallback = resolved === undefined || resolved.value === UNKNOWN_MEMBER;
    values[name] = fallback ? builtIn(name, context) : resolved.value;
    provenance[name] = fallback ? BUILT_IN : resolved.provenance;
  }
  // Sound because the declaration table is typed, setting by setting, to yield exactly this shape.
  const settings = values as unknown as Settings;

  const connection = resolveConnection({ env: context.env, sections, parts, settings, report });
  if (options.findings === true) findings.push(...unknownKeys(context, sources, sections, settings));
  return { settings, provenance, connection, findings };
}

function builtIn(name: SettingName, { harness, home }: SettingsContext): unknown {
  const value = defaultOf(name, harness);
  if (declarationOf(name).type !== 'path' || typeof value !== 'string') return value;
  return expandHome(value.replace('<harness>', harness), home);
}

interface Resolved {
  readonly value: unknown;
  readonly provenance: Provenance;
}

function resolveSetting(name: SettingName, layers: readonly Layer[], context: ValueContext): Resolved | undefined {
  const declaration = declarationOf(name);
  let first: Provenance | undefined;
  const items: string[] = [];
  const entries = new Map<string, readonly [string, string]>();

  for (const layer of layers) {
    const found = layer.find(name);
    if (found === undefined) continue;
    const value = readFound(declaration, found, layer, context);
    if (value === undefined) continue;
    const provenance: Provenance = { layer: layer.layer, ...fileOf(layer), key: found.key };
    if (Array.isArray(value) && declaration.type !== 'alternatives') {
      first ??= provenance;
      const [head, ...rest] = value as string[];
      items.push(...(head === RESET ? rest : (value as string[])));
      if (head === RESET) break;
    } else if (declaration.type === 'map') {
      first ??= provenance;
      for (const [key, text] of Object.entries(value as Readonly<Record<string, string>>)) {
        // Header names are the only maps: their case means nothing.
        if (!entries.has(key.toLowerCase())) entries.set(key.toLowerCase(), [key, text]);
      }
    } else {
      return { value, provenance };
    }
  }
  if (first === undefined) return undefined;
  const value = declaration.type === 'map' ? Object.fromEntries(entries.values()) : [...new Set(items)];
  return { value, provenance: first };
}

function readFound(declaration: Declaration, found: Found, layer: Layer, context: ValueContext): unknown {
  const origin: Origin = { key: found.key, ...fileOf(layer), environment: layer.layer === 'environment' };
  if (!layer.layer.startsWith('workspace')) return readValue(declaration, found.raw, origin, context);

  if (mentionsVariable(found.raw)) {
    context.report({
      code: 'settings/workspace-expansion',
      severity: 'warn',
      ...fileOf(layer),
      message: `${found.key} is ignored: a workspace file cannot refer to \${variables}.`,
      fix: `Write the value itself for ${found.key}.`,
    });
    return undefined;
  }
  const value = readValue(declaration, found.raw, origin, context);
  if (!Array.isArray(value) || value.length <= WORKSPACE_LIST_MAX_ITEMS) return value;
  context.report({
    code: 'settings/list-too-long',
    severity: 'warn',
    ...fileOf(layer),
    message: `${found.key} has ${value.length} elements; the first ${WORKSPACE_LIST_MAX_ITEMS} are used.`,
    fix: `Shorten ${found.key}.`,
  });
  return value.slice(0, WORKSPACE_LIST_MAX_ITEMS);
}

function mentionsVariable(raw: unknown): boolean {
  if (Array.isArray(raw)) return raw.some(mentionsVariable);
  return typeof raw === 'string' && raw.includes('${');
}
