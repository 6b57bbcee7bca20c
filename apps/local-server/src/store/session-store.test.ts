import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from './database.ts';
import { MemoryStore } from './memory-store.ts';
import { SessionStore } from './session-store.ts';
import type { NewMessage } from './session-store.ts';

let folder: string;
let database: Database;
let memories: MemoryStore;
let sessions: SessionStore;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-session-'));
  database = new Database(join(folder, 'memory.db'));
  now = Date.UTC(2026, 0, 1);
  memories = new MemoryStore(database);
  sessions = new SessionStore(database, memories, () => now);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function says(role: 'user' | 'assistant', text: string, turnId?: string): NewMessage {
  return {
    role,
    parts: [{ type: 'text', text }],
    turnId,
    peerId: undefined,
    createdAt: now,
    kind: undefined,
    sourceMessageIds: undefined,
  };
}

function events(): string[] {
  return (memories.list('memories/events', { recursive: true, limit: 1_000 }) ?? [])
    .filter((entry) => !entry.isFolder)
    .map((entry) => memories.read(entry.path, undefined) ?? '')
    .sort();
}

describe('a turn that is archived in two steps becomes one memory', () => {
  it('with a turn id', () => {
    sessions.append('s', [
      says('user', 'question', 't'),
      says('assistant', 'first part', 't'),
      says('assistant', 'second part', 't'),
    ]);
    // The rest of the turn is still live: nothing is known yet.
    sessions.commit('s', 2);
    expect(events()).toEqual([]);
    sessions.commit('s', 1);
    expect(events()).toEqual([]);
    sessions.commit('s', 0);
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatch(/question[\s\S]*first part[\s\S]*second part/);
  });

  it('without one', () => {
    sessions.append('s', [says('user', 'before'), says('assistant', 'answer before')]);
    sessions.append('s', [
      says('user', 'one'),
      says('user', 'two'),
      says('assistant', 'three'),
      says('assistant', 'four'),
    ]);
    for (const keep of [3, 2, 1, 0]) sessions.commit('s', keep);
    expect(events()).toHaveLength(2);
    expect(events().find((event) => event.includes('one'))).toMatch(/one[\s\S]*two[\s\S]*three[\s\S]*four/);
  });

  it('when late messages of it arrive after the commit', () => {
    sessions.append('s', [says('user', 'question', 't'), says('assistant', 'answer', 't')]);
    sessions.commit('s', 0);
    sessions.append('s', [says('assistant', 'afterthought', 't')]);
    sessions.commit('s', 0);
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatch(/answer[\s\S]*afterthought/);
    expect(sessions.get('s')).toMatchObject({ totalMessages: 3, liveMessages: 0, commitCount: 2, eventsExtracted: 1 });
  });
});

it('equal turn ids of two sessions are two turns', () => {
  for (const id of ['a', 'b']) {
    sessions.append(id, [says('user', `said in ${id}`, '1'), says('assistant', 'ok', '1')]);
    sessions.commit(id, 0);
  }
  expect(events()).toHaveLength(2);
});

it('a question nobody answered is remembered as well', () => {
  sessions.append('s', [says('user', 'Remember: the answer is 42')]);
  sessions.commit('s', 0);
  expect(events()[0]).toContain('the answer is 42');
});

it('a commit that fails in the middle changes nothing', () => {
  sessions.append('s', [says('user', 'question', 't'), says('assistant', 'answer', 't')]);
  const failing = new SessionStore(
    database,
    Object.assign(Object.create(memories) as MemoryStore, {
      put: () => {
        throw new Error('disk full');
      },
    }),
    () => now,
  );
  expect(() => failing.commit('s', 0)).toThrow('disk full');
  expect(sessions.get('s')).toMatchObject({ liveMessages: 2, commitCount: 0 });
  expect(sessions.archives('s')).toEqual([]);
  sessions.commit('s', 0);
  expect(events()).toHaveLength(1);
});

it('idle commits are due by the last message, and archive everything', () => {
  sessions.ensure('s');
  sessions.configure('s', { autoCommitPolicy: { idle_timeout_seconds: 60, keep_recent_count: 5 } });
  expect(sessions.nextIdleDue()).toBeUndefined();
  sessions.append('s', [says('user', 'x'), says('assistant', 'y')]);
  expect(sessions.nextIdleDue()).toBe(now + 60_000);
  now += 59_999;
  expect(sessions.commitIdle()).toEqual([]);
  now += 1;
  expect(sessions.commitIdle()).toEqual(['s']);
  expect(sessions.get('s')?.liveMessages).toBe(0);
  expect(sessions.nextIdleDue()).toBeUndefined();
});

it('deleting a session keeps what became memory, and forgets what it was shown', () => {
  sessions.append('s', [says('user', 'question', 't')]);
  sessions.commit('s', 0);
  sessions.noteShown('s', ['memories/x.md']);
  sessions.delete('s');
  expect(sessions.get('s')).toBeUndefined();
  expect(sessions.shownWithin('s', 10).size).toBe(0);
  expect(database.get('SELECT count(*) AS n FROM message')?.['n']).toBe(0);
  expect(events()).toHaveLength(1);
});

it('a database of a newer version is refused, not changed', () => {
  const path = join(folder, 'newer.db');
  const newer = new Database(path);
  newer.all('PRAGMA user_version = 99');
  newer.close();
  expect(() => new Database(path)).toThrow(/newer version/);
});
