/** One text of ours in a list of somebody else's: put in, left alone, moved along, taken out. */
import { describe, expect, it } from '@jest/globals';
import type { ConfigFile } from '@openviking/memory-core/full';
import { EMPTY_RECORD } from '../src/wiring/record.ts';
import { unwireConfig } from '../src/wiring/unwire-config.ts';
import { wireConfig } from '../src/wiring/wire-config.ts';

const OURS = '/home/me/.openviking';
const fileFor = (value: string): ConfigFile => ({
  format: 'json',
  path: '/home/me/.client/sandbox.json',
  create: 'always',
  operations: [{ kind: 'item', path: ['filesystem', 'readWrite'], value }],
  check: () => [],
  owns: (text) => (typeof text === 'string' && /^\/[^*]*\/\.openviking$/.test(text) ? 'current' : undefined),
});
const file = fileFor(OURS);
const listOf = (text: string): unknown =>
  (JSON.parse(text) as { filesystem: { readWrite: unknown } }).filesystem.readWrite;

describe.each([
  ['an empty list', '{\n  "filesystem": {\n    "readWrite": [],\n    "readOnly": []\n  }\n}\n'],
  ['a list on one line', '{"filesystem": {"readWrite": ["$WORKSPACE_FOLDER", "~/notes"]}}'],
  ['a list on lines of its own', '{\n\t"filesystem": {\n\t\t"readWrite": [\n\t\t\t"~/notes"\n\t\t]\n\t}\n}'],
  ['no list', '{\r\n  "network": { "default": "allow" }\r\n}\r\n'],
  ['nothing of the kind', '{}\n'],
])('in a file with %s', (_name, text) => {
  const wired = wireConfig(text, file, EMPTY_RECORD);

  it('the text goes in front of the others, once', () => {
    expect(listOf(wired.text)).toEqual([OURS, ...(text.includes('notes') ? others(text) : [])]);
    expect(wireConfig(wired.text, file, wired.record).text).toBe(wired.text);
  });

  it('and comes out without a trace, also after the user has added to the list', () => {
    expect(unwireConfig(wired.text, file, wired.record).text).toBe(text);
    const more = wired.text.replace(JSON.stringify(OURS), `${JSON.stringify(OURS)}, "/srv/mine"`);
    const left = unwireConfig(more, file, wired.record).text;
    expect(left).not.toContain(OURS);
    expect(listOf(left)).toContain('/srv/mine');
  });
});

function others(text: string): readonly unknown[] {
  return listOf(text) as readonly unknown[];
}

it('a text that names an older place of ours is brought up to date where it stands', () => {
  const text = '{"filesystem":{"readWrite":["~/notes","/home/old/.openviking"]}}';
  expect(wireConfig(text, file, EMPTY_RECORD).text).toBe(
    `{"filesystem":{"readWrite":["~/notes",${JSON.stringify(OURS)}]}}`,
  );
});

it('the same text in another list is the user’s word and stays', () => {
  const text = `{"filesystem":{"readWrite":["~/notes"],"readOnly":[${JSON.stringify(OURS)}]}}`;
  const wired = wireConfig(text, file, EMPTY_RECORD);
  expect(wired.text).toContain(`"readOnly":[${JSON.stringify(OURS)}]`);
  expect(unwireConfig(wired.text, file, wired.record).text).toBe(text);
});

it('is refused where the place holds no list', () => {
  expect(() => wireConfig('{"filesystem":{"readWrite":"all"}}', file, EMPTY_RECORD)).toThrow();
});
