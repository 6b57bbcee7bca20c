/** Projects in which the user has switched our server off, as the client notes it in its own file. */
import type { ConfigFile } from '@openviking/memory-core/full';
import { placeOf } from '../../json/document.ts';
import { nodeAt, readConfig } from '../../wiring/format.ts';

export interface OffInProject {
  /** Folder of the project, as the client spells it. */
  readonly folder: string;
  readonly key: string;
  readonly name: string;
  readonly line: number;
}

/** Pure; `text` parses. */
export function offInProjects(text: string, file: ConfigFile): readonly OffInProject[] {
  const { offInProjects: wanted } = file;
  if (wanted === undefined) return [];
  const { at, key, names } = wanted;
  const projects = nodeAt(readConfig(text, file).root, at);
  return (projects?.type === 'object' ? (projects.children ?? []) : []).flatMap(({ children }) => {
    const [folder, record] = children ?? [];
    const list = nodeAt(record, [key]);
    return (list?.type === 'array' ? (list.children ?? []) : []).flatMap(
      ({ value, offset }): readonly OffInProject[] =>
        typeof value === 'string' && names.includes(value)
          ? [{ folder: String(folder?.value), key, name: value, line: placeOf(text, offset).line }]
          : [],
    );
  });
}
