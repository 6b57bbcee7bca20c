/**
 * What keeps an entry of ours from its work although it is there, names our program and is written as it should be. Doctor
 * said "wired" of such entries, and the user looked everywhere but there.
 */
import type { ConfigFile, ConfigOperation, EntrySwitch, JsonValue } from '@openviking/memory-core/full';
import { plainValue, propertyOf } from '../../json/document.ts';
import type { Node } from 'jsonc-parser';

export interface Switched {
  readonly of: EntrySwitch['of'];
  readonly key: string;
  readonly value: JsonValue;
  readonly effect: EntrySwitch['effect'];
  readonly node: Node;
}

/** Pure. `matcher`: what stands beside our handler, on itself or on its group; `operation`: what was wanted there. */
export function switchesOn(
  node: Node,
  matcher: Node | undefined,
  operation: ConfigOperation | undefined,
  { switches = [], unmatched = [] }: Pick<ConfigFile, 'switches' | 'unmatched'>,
): readonly Switched[] {
  const of = operation?.kind === 'entry' ? 'server' : 'hook';
  const found = switches
    .filter((candidate) => candidate.of === of && node.type === 'object')
    .flatMap(({ key, values, effect }): readonly Switched[] => {
      const set = propertyOf(node, key)?.children?.[1];
      if (set === undefined) return [];
      const value = plainValue(set);
      return values === undefined || values.includes(value) ? [{ of, key, value, effect, node: set }] : [];
    });
  const event = operation?.path.at(-1);
  const isMatched = operation?.kind === 'handler' || operation?.kind === 'flat-handler';
  if (matcher === undefined || !isMatched || event === undefined || unmatched.includes(event)) return found;
  const wanted = operation.kind === 'handler' ? operation.matcher : operation.handler['matcher'];
  if (!isNarrower(matcher.value, wanted)) return found;
  return [...found, { of, key: 'matcher', value: plainValue(matcher), effect: 'limited', node: matcher }];
}

/** Whether a matcher leaves out something that the wanted one names; absent, empty and `*` name everything. */
function isNarrower(matcher: unknown, wanted: unknown): boolean {
  if (typeof matcher !== 'string' || isEverything(matcher)) return false;
  if (typeof wanted !== 'string' || isEverything(wanted)) return true;
  const names = alternatives(matcher);
  return !alternatives(wanted).every((name) => names.includes(name));
}

function isEverything(matcher: string): boolean {
  return /^(\*|\.\*|\^\.\*\$)?$/.test(matcher.trim());
}

function alternatives(matcher: string): readonly string[] {
  return matcher
    .replace(/^\^?\(?(.*?)\)?\$?$/s, '$1')
    .split('|')
    .map((name) => name.trim());
}
