import { describe, expect, it } from '@jest/globals';
import { handleToolGuard } from './handle-tool-guard.ts';

const guard = (toolName: string, toolInput: Readonly<Record<string, unknown>>) =>
  handleToolGuard({ kind: 'tool-guard', session: { nativeId: 's', origin: 'event' }, cwd: '/w', toolName, toolInput });

describe('a file tool with a memory for its path', () => {
  it.each([
    ['Read', { file_path: 'viking://~/memories/profile.md' }, 'read(uris=["viking://~/memories/profile.md"])'],
    ['read', { path: ' viking://~/x.md ' }, 'read(uris=["viking://~/x.md"])'],
    ['Read', { file_path: 'VIKING://~/x.md' }, 'read(uris=["VIKING://~/x.md"])'],
    ['Grep', { pattern: 'pnpm', path: 'viking://~/memories' }, 'find(query="…", target_uri="viking://~/memories")'],
    ['LS', { path: 'viking://~/memories' }, 'list(uri="viking://~/memories")'],
    ['Glob', { pattern: '*.md', path: 'viking://~/memories' }, 'list(uri="viking://~/memories")'],
    ['Glob', { pattern: 'viking://~/memories/**/*.md' }, 'list(uri="viking://~/memories/")'],
    ['Glob', { pattern: 'viking://~/memories/e*/{a,b}' }, 'list(uri="viking://~/memories/")'],
    ['Glob', { pattern: 'viking://**' }, 'list(uri="viking://")'],
    ['Write', { file_path: 'viking://~/memories/a.md', content: 'x' }, 'remember(content='],
    ['Edit', { file_path: 'viking://~/skills/deploy/SKILL.md' }, 'add_skill(data='],
    ['Delete', { path: 'viking://~/memories/a.md' }, 'forget(uri="viking://~/memories/a.md")'],
  ])('%s %j is told %s', (tool, input, example) => {
    const reply = guard(tool, input);
    expect(reply).toEqual({ kind: 'deny', reason: expect.stringContaining(example) });
    expect(JSON.stringify(reply)).not.toMatch(/\*|\{a,b\}/u);
  });
});

it('a very long pattern is answered at once', () => {
  const began = performance.now();
  expect(guard('Glob', { pattern: `viking://~/${'a'.repeat(60_000)}` })).toMatchObject({ kind: 'deny' });
  // Where every character may begin the last part of the path, it takes four times as long.
  expect(performance.now() - began).toBeLessThan(5_000);
});

describe('what names no memory', () => {
  it.each([
    ['Grep', { pattern: 'viking://', path: 'src' }],
    ['Glob', { pattern: 'src/**' }],
    ['Write', { file_path: '/w/notes.md', content: 'see viking://~/x' }],
    ['Read', { file_path: '/w/viking:/x' }],
    ['Read', { file_path: ['viking://~/x'] }],
    ['Bash', { command: 'ls' }],
    ['WebFetch', { path: 'viking://~/x' }],
  ])('passes: %s %j', (tool, input) => {
    expect(guard(tool, input)).toEqual({ kind: 'nothing' });
  });
});

it('a shell command that mentions a memory passes, with a note', () => {
  expect(guard('Bash', { command: 'cat viking://~/x.md' })).toEqual({
    kind: 'context',
    text: expect.stringContaining('no shell program can open them'),
  });
});
