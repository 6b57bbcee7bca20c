/**
 * The order of precedence as data: each layer only answers "what is written here for this setting". Credentials and
 * settings look at the same sections, so that the two cannot disagree about which spelling counts.
 */
import type { Provenance, SettingName, SettingsContext } from '../contract/settings.ts';
import { isObject } from '../fs/json-object.ts';
import { declarationOf, environmentVariable } from './schema.ts';
import type { Source, Sources } from './sources.ts';
import { isUnset } from './value.ts';

export interface Found {
  readonly raw: unknown;
  /** The spelling that was found. */
  readonly key: string;
}

export interface Layer {
  readonly layer: Provenance['layer'];
  readonly file?: string;
  /** What is set here; unset forms (`null`, blank) count as nothing. */
  find(name: SettingName): Found | undefined;
}

/** One object of settings in a file. */
export interface Section {
  readonly file: string;
  readonly label: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** The first of these spellings that is set; `recallLimit` is also found as `recall_limit` and `recall-limit`. */
  find(names: readonly string[]): Found | undefined;
}

/** Which sources take part in credentials. */
export interface CredentialParts {
  readonly mode: 'auto' | 'env' | 'cli';
  readonly environment: boolean;
  readonly ovcli: boolean;
  readonly ovConf: boolean;
}

/** The sections of the two credential files that concern this client; of several spellings the first is the strongest. */
export interface Sections {
  /** `plugin.<harness>` of ovcli.conf. */
  readonly pluginHarness: readonly Section[];
  readonly plugin: readonly Section[];
  readonly ovcli: readonly Section[];
  /** `<harness>` of ov.conf. */
  readonly ovConfHarness: readonly Section[];
  readonly ovConfServer: readonly Section[];
}

/** Every spelling of a client's section: `some-client` is also `some_client`, `some-client-code` and `some_client_code`. */
export function harnessSpellings(harness: string): readonly string[] {
  const names = [harness, `${harness}-code`];
  return [...new Set(names.flatMap((name) => [name, name.replaceAll('-', '_'), name.replaceAll('_', '-')]))];
}

export function readSections({ ovcli, ovConf }: Sources, harness: string): Sections {
  const spellings = harnessSpellings(harness);
  return {
    pluginHarness: spellings.flatMap((name) => sectionAt(ovcli, 'plugin', name)),
    plugin: sectionAt(ovcli, 'plugin'),
    ovcli: sectionAt(ovcli),
    ovConfHarness: spellings.flatMap((name) => sectionAt(ovConf, name)),
    ovConfServer: sectionAt(ovConf, 'server'),
  };
}

function sectionAt(source: Source | undefined, ...path: string[]): readonly Section[] {
  const content = source && valueAt(source.content, path);
  if (source === undefined || !isObject(content)) return [];
  const label = path.join('.');
  let otherSpellings: Map<string, string> | undefined;
  return [
    {
      file: source.file,
      label,
      content,
      find(names) {
        // camelCase of every key that is written in another way.
        otherSpellings ??= new Map(
          Object.keys(content).flatMap((key) => (/[-_]/.test(key) ? [[camelCase(key), key]] : [])),
        );
        for (const name of names) {
          const key = Object.hasOwn(content, name) ? name : otherSpellings.get(name);
          if (key === undefined || isUnset(content[key])) continue;
          return { raw: content[key], key: label === '' ? key : `${label}.${key}` };
        }
        return undefined;
      },
    },
  ];
}

/** `recall_limit` and `recall-limit` → `recallLimit`. */
export function camelCase(key: string): string {
  return key.replace(/[-_]+(.)/g, (_whole, letter: string) => letter.toUpperCase());
}

function valueAt(content: unknown, path: readonly string[]): unknown {
  let at = content;
  for (const key of path) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

/** All layers that hold anything, strongest first. */
export function layersOf(
  env: SettingsContext['env'],
  sources: Sources,
  sections: Sections,
  parts: CredentialParts,
): readonly Layer[] {
  const inSections = (layer: Provenance['layer'], of: readonly Section[], spellings = spellingsOf): Layer[] =>
    of.map(({ file, find }) => ({ layer, file, find: (name) => find(spellings(name)) }));
  return [
    ...environmentLayer(env, parts),
    ...workspaceLayer('workspace-registry', sources.registry),
    ...workspaceLayer('workspace-local', sources.local),
    ...workspaceLayer('workspace', sources.workspace),
    ...inSections('ovcli-harness', sections.pluginHarness),
    ...inSections('ovcli', sections.plugin),
    // The CLI's own fields are credentials: they are silent where only the environment may speak.
    ...inSections('ovcli', parts.ovcli ? sections.ovcli : [], (name) => declarationOf(name).ovcli ?? []),
    ...inSections('ov-conf', sections.ovConfHarness),
  ];
}

function spellingsOf(name: SettingName): readonly string[] {
  return [name, ...(declarationOf(name).older ?? [])];
}

/** What every variable of ours begins with. */
const PREFIX = 'OPENVIKING_';

function environmentLayer(env: SettingsContext['env'], parts: CredentialParts): Layer[] {
  // One look instead of a question for every variable. Windows tells no case apart.
  if (!Object.keys(env).some((key) => key.slice(0, PREFIX.length).toUpperCase() === PREFIX)) return [];
  return [
    {
      layer: 'environment',
      find(name) {
        // The peer is part of the identity: `cli` takes none of it from the environment.
        if (name === 'peerId' && parts.mode === 'cli') return undefined;
        for (const key of [environmentVariable(name), ...(declarationOf(name).olderEnvironment ?? [])]) {
          const raw = env[key];
          if (!isUnset(raw)) return { raw, key };
        }
        return undefined;
      },
    },
  ];
}

function workspaceLayer(layer: Provenance['layer'], source: Source | undefined): Layer[] {
  if (source === undefined) return [];
  return [
    {
      layer,
      file: source.file,
      find(name) {
        const key = declarationOf(name).workspace;
        const raw = key === undefined ? undefined : valueAt(source.content, key.split('.'));
        return key === undefined || isUnset(raw) ? undefined : { raw, key };
      },
    },
  ];
}
