/**
 * The order of precedence as data: each layer only answers "what is written here for this setting". Credentials and
 * settings look at the same sections, so that the two cannot disagree about which spelling counts.
 */
import type { Provenance, SettingName, SettingsContext } from '../contract/settings.ts';
import { declarationOf, environmentVariable } from './schema.ts';
import type { Source, Sources } from './sources.ts';
import { normalKey } from './suggest.ts';
import { isObject, isUnset } from './value.ts';

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

/** One object of settings in a file; a key may be spelled in camelCase, snake_case or kebab-case. */
export class Section {
  readonly source: Source;
  readonly label: string;
  private readonly content: Readonly<Record<string, unknown>>;
  private byNormalKey: Map<string, string> | undefined;

  constructor(source: Source, label: string, content: Readonly<Record<string, unknown>>) {
    this.source = source;
    this.label = label;
    this.content = content;
  }

  /** The first of these spellings that is set. */
  find(names: readonly string[]): Found | undefined {
    this.byNormalKey ??= new Map(Object.keys(this.content).map((key) => [normalKey(key), key]));
    for (const name of names) {
      const key = Object.hasOwn(this.content, name) ? name : this.byNormalKey.get(normalKey(name));
      const raw = key === undefined ? undefined : this.content[key];
      if (!isUnset(raw)) return { raw, key: this.label === '' ? (key ?? '') : `${this.label}.${key}` };
    }
    return undefined;
  }

  entries(): readonly (readonly [string, unknown])[] {
    return Object.entries(this.content);
  }
}

/** Which sources take part in credentials, by `OPENVIKING_CREDENTIAL_SOURCE`. */
export interface CredentialParts {
  readonly mode: 'auto' | 'env' | 'cli';
  readonly environment: boolean;
  readonly ovcli: boolean;
  readonly ovConf: boolean;
}

/** The sections of the two credential files that concern this client, strongest first. */
export interface Sections {
  /** `plugin.<harness>` of ovcli.conf, one per spelling of the client's name. */
  readonly pluginHarness: readonly Section[];
  readonly plugin: readonly Section[];
  readonly ovcli: readonly Section[];
  /** `<harness>` of ov.conf. */
  readonly ovConfHarness: readonly Section[];
  readonly ovConfServer: readonly Section[];
}

/** Every spelling of a client's section: `trae-cn`, `trae_cn`; `claude` is also `claude-code` and `claude_code`. */
export function harnessSpellings(harness: string): readonly string[] {
  const names = /^claude(?:[-_]code)?$/.test(harness) ? ['claude', 'claude-code'] : [harness];
  return [...new Set(names.flatMap((name) => [name, name.replaceAll('-', '_'), name.replaceAll('_', '-')]))];
}

export function readSections({ ovcli, ovConf }: Sources, harness: string): Sections {
  const section = (source: Source | undefined, ...path: string[]): readonly Section[] => {
    let content: unknown = source?.content;
    for (const key of path) content = isObject(content) && Object.hasOwn(content, key) ? content[key] : undefined;
    return source !== undefined && isObject(content) ? [new Section(source, path.join('.'), content)] : [];
  };
  const spellings = harnessSpellings(harness);
  return {
    pluginHarness: spellings.flatMap((name) => section(ovcli, 'plugin', name)),
    plugin: section(ovcli, 'plugin'),
    ovcli: section(ovcli),
    ovConfHarness: spellings.flatMap((name) => section(ovConf, name)),
    ovConfServer: section(ovConf, 'server'),
  };
}

/** All layers that hold anything, strongest first. */
export function layersOf(
  env: SettingsContext['env'],
  sources: Sources,
  sections: Sections,
  parts: CredentialParts,
): readonly Layer[] {
  return [
    environmentLayer(env, parts),
    ...workspaceLayer('workspace-registry', sources.registry),
    ...workspaceLayer('workspace-local', sources.local),
    ...workspaceLayer('workspace', sources.workspace),
    ...sections.pluginHarness.map((section) => sectionLayer('ovcli-harness', section, spellingsOf)),
    ...sections.plugin.map((section) => sectionLayer('ovcli', section, spellingsOf)),
    // The CLI's own fields are credentials: they are silent where only the environment may speak.
    ...(parts.ovcli ? sections.ovcli : []).map((section) =>
      sectionLayer('ovcli', section, (name) => declarationOf(name).ovcli ?? []),
    ),
    ...sections.ovConfHarness.map((section) => sectionLayer('ov-conf', section, spellingsOf)),
  ];
}

function spellingsOf(name: SettingName): readonly string[] {
  return [name, ...(declarationOf(name).older ?? [])];
}

function environmentLayer(env: SettingsContext['env'], parts: CredentialParts): Layer {
  return {
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
  };
}

function workspaceLayer(layer: Provenance['layer'], source: Source | undefined): readonly Layer[] {
  if (source === undefined) return [];
  return [
    {
      layer,
      file: source.file,
      find(name) {
        const key = declarationOf(name).workspace;
        if (key === undefined) return undefined;
        const raw = key
          .split('.')
          .reduce<unknown>(
            (at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined),
            source.content,
          );
        return isUnset(raw) ? undefined : { raw, key };
      },
    },
  ];
}

function sectionLayer(
  layer: Provenance['layer'],
  section: Section,
  spellings: (name: SettingName) => readonly string[],
): Layer {
  return { layer, file: section.source.file, find: (name) => section.find(spellings(name)) };
}
