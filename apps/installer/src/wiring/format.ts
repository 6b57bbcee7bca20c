/** The editor for a file, by its format: plans and checks work on all of them alike. */
import type { ConfigDocument, ConfigFile, ConfigNode } from '@openviking/memory-core/full';
import { parseDocument, toConfigDocument } from '../json/document.ts';
import { parseToml, tomlToConfigDocument } from '../toml/document.ts';
import { unwireConfig } from './unwire-config.ts';
import { unwireToml, wireToml } from './wire-toml.ts';
import { unwireYaml, wireYaml, yamlToConfigDocument } from './wire-yaml.ts';
import { wireConfig } from './wire-config.ts';
import type { ConfigRecord } from './record.ts';
import type { UnwiredConfig } from './unwire-config.ts';
import type { WiredConfig } from './wire-config.ts';

interface ConfigEditor {
  readonly wire: (text: string | undefined, file: ConfigFile, known: ConfigRecord) => WiredConfig;
  readonly unwire: (text: string, file: ConfigFile, record: ConfigRecord, isPart: boolean) => UnwiredConfig;
  readonly read: (text: string, path: string) => ConfigDocument;
}

const EDITORS: Readonly<Record<ConfigFile['format'], ConfigEditor>> = {
  json: {
    wire: wireConfig,
    unwire: unwireConfig,
    read: (text, path) => toConfigDocument(parseDocument(text, path)),
  },
  toml: {
    wire: wireToml,
    unwire: unwireToml,
    read: (text, path) => tomlToConfigDocument(parseToml(text, path)),
  },
  yaml: { wire: wireYaml, unwire: unwireYaml, read: yamlToConfigDocument },
};

/** Puts our operations into the text of a file. Pure; throws a refusal for a file that cannot be edited. */
export function wire(text: string | undefined, file: ConfigFile, known: ConfigRecord): WiredConfig {
  return EDITORS[file.format].wire(text, file, known);
}

/** Takes our operations out again. `isPart`: others of ours stay. Pure; throws a refusal for a file that cannot be read. */
export function unwire(text: string, file: ConfigFile, record: ConfigRecord, isPart = false): UnwiredConfig {
  return EDITORS[file.format].unwire(text, file, record, isPart);
}

/** A file as a client's own rules see it. Pure; throws a refusal for a file that cannot be read. */
export function readConfig(text: string, { format, path }: Pick<ConfigFile, 'format' | 'path'>): ConfigDocument {
  return EDITORS[format].read(text, path);
}

/** What stands at a path of keys in a file that was read so; undefined for nothing. */
export function nodeAt(root: ConfigNode | undefined, path: readonly string[]): ConfigNode | undefined {
  let node = root;
  for (const key of path) {
    node =
      node?.type === 'object'
        ? node.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1]
        : undefined;
  }
  return node;
}
