/**
 * The core serves clients that it has never heard of: what differs between them is data of their declarations. A client's
 * name in it is the beginning of a special case, which the copies carry into every other harness. Tests of the core may use
 * any id as a sample.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from '@jest/globals';

const LIBS = resolve(import.meta.dirname, '../../../libs');
const CORE = join(LIBS, 'memory-core');

/** Every client that the project knows, built or still to come. */
const IDS = ['claude', 'codex', 'cursor', 'trae', 'trae-cn', 'trae-cli', 'zcode', 'opencode', 'pi', 'dsh'];

const harnesses = readdirSync(LIBS).flatMap((name) => /^harness-(.+)$/.exec(name)?.[1] ?? []);

/** The names for people, as the harnesses spell them: `name: '…'` in their facts. */
const names = harnesses.flatMap((id) => {
  const folder = join(LIBS, `harness-${id}`, 'src');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/^ {2}name: '([^']+)'/gm)])
    .map(([, name = '']) => name);
});

/** How a client is recognised in a text. The short ids and the one that is a word are matched as ids only. */
function patternsFor(word: string): readonly RegExp[] {
  // A cursor is also a place in a file: of the client speak a literal, its folder and its commands, a name within a sentence.
  if (/^cursor$/i.test(word))
    return [/(['"])cursor\1/, /['"`/]\.cursor\b/, /\bcursor-(agent|hook)/, /[a-z,;:] Cursor\b/];
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (word.length <= 3) return [new RegExp(`(?<![\\w])${escaped}(?![\\w])`)];
  return [new RegExp(escaped, 'i')];
}

const patterns = [...new Set([...IDS, ...harnesses, ...names])].flatMap(patternsFor);
const namesClient = (line: string): boolean => patterns.some((pattern) => pattern.test(line));

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

it('finds the clients that it looks for', () => {
  expect(harnesses).toEqual(expect.arrayContaining(['claude', 'cursor', 'trae', 'zcode']));
  expect(names).toEqual(expect.arrayContaining(['Claude Code', 'Cursor', 'TRAE', 'TRAE CN', 'ZCode']));
});

it.each([
  ["if (id === 'cursor') return;", true],
  ['join(home, ".cursor", "hooks.json")', true],
  ['// as seen in Cursor 3', true],
  ["{ kind: 'pi' }", true],
  ['// the OpenCode plugin', true],
  ['class ZcodeHost {}', true],
  ["env['CLAUDE_PROJECT_DIR']", true],
  ['const { cursor } = state; // Cursor of the last record', false],
  ['export const EMPTY_CURSOR: CaptureCursor = {};', false],
  ["readJson('cursor.json').cursor", false],
  ['/** `cursor` without its turns */', false],
  ['return { ...cursor.open };', false],
  ['Math.PI * pixels', false],
])('knows a name from a word: %s', (line, expected) => {
  expect(namesClient(line)).toBe(expected);
});

it('no client is named in the sources of the core or in what its tests share', () => {
  const files = [
    ...sources(join(CORE, 'src')).filter((file) => !/\.test\.ts$/.test(file)),
    ...sources(join(CORE, 'testing')),
  ];
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (namesClient(line) ? [`${relative(CORE, file)}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
