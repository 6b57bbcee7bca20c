/** Puts our block into a YAML file and takes it out again, as `wireConfig` and `unwireConfig` do for JSON. */
import type { ConfigDocument, ConfigFile } from '@openviking/memory-core/full';
import { newlineOf } from '../toml/block.ts';
import { findBlock, mergedBlock, renderBlock, requireSameShape } from '../yaml/block.ts';
import { requireNothingBroken } from './client-rules.ts';
import { blockOperations } from './handlers.ts';
import { samePath } from './record.ts';
import type { ConfigRecord } from './record.ts';
import type { UnwiredConfig } from './unwire-config.ts';
import type { WiredConfig } from './wire-config.ts';

/** Pure. A missing file is one without content. Throws a refusal for a file that ours would break. */
export function wireYaml(text: string | undefined, file: ConfigFile, known: ConfigRecord): WiredConfig {
  const before = text ?? '';
  let now = before;
  let joint = known.joint;
  const blocks: { path: readonly string[]; text: string }[] = [];
  for (const { path, text: ours } of blockOperations(file.operations)) {
    const [name] = path;
    requireSameShape(now, ours, file.path);
    const newline = newlineOf(now);
    const present = findBlock(now, name, file.path);
    const wrote = known.blocks?.find((block) => samePath(block.path, path))?.text;
    blocks.push({ path, text: ours });
    if (present === undefined) {
      const isEmpty = now.replace(/^\uFEFF/, '') === '';
      const endsLine = isEmpty || now.endsWith('\n');
      if (now === before) joint = endsLine ? '' : newline;
      // A blank line would count in a text that is kept with its last line breaks.
      now += (endsLine ? '' : newline) + renderBlock(name, ours, newline) + (endsLine ? newline : '');
      continue;
    }
    const theirs = present.text.replace(/\r?\n$/, '').replaceAll('\r\n', '\n');
    const merged = renderBlock(name, mergedBlock(theirs, wrote, ours), newline);
    now = now.slice(0, present.start) + merged + now.slice(present.end);
  }
  const violations = requireNothingBroken(yamlToConfigDocument(before), yamlToConfigDocument(now), file);
  const record: ConfigRecord = { ...known, blocks, ...(joint === undefined ? {} : { joint }) };
  return { text: now, base: before, record, foreign: [], replaced: 0, violations };
}

/** Pure. */
export function unwireYaml(text: string, file: ConfigFile, record: ConfigRecord): UnwiredConfig {
  let now = text;
  let removed = 0;
  for (const { path } of blockOperations(file.operations)) {
    const block = findBlock(now, path[0], file.path);
    if (block === undefined) continue;
    removed += 1;
    const endsFile = block.end === now.length;
    // A file without a final line break got its block without one, too.
    const joint = record.joint ?? (endsFile ? newlineOf(now) : '');
    const start = joint !== '' && now.slice(0, block.start).endsWith(joint) ? block.start - joint.length : block.start;
    const rest = now.slice(block.end);
    now = now.slice(0, start) + (joint === '' ? rest.replace(/^\r?\n/, '') : rest);
  }
  return { text: now, removed, isHollow: now.replace(/^\uFEFF/, '').trim() === '' };
}

/** What a client's rules can see of a YAML file. */
export function yamlToConfigDocument(text: string): ConfigDocument {
  const oddities: ConfigDocument['oddities'][number][] = [];
  if (text.startsWith('\uFEFF')) oddities.push({ kind: 'byte-order-mark', offset: 0 });
  if (text.replace(/^\uFEFF/, '').trim() === '') oddities.push({ kind: 'empty', offset: 0 });
  return { oddities };
}
