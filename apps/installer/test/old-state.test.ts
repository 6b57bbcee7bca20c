/** What the earlier hooks knew to be captured, in conversations that may still be under way, is known to ours. */
import { utimesSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Conversation, turnKey } from '@openviking/memory-core/full';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const install = (home: TemporaryHome, client = 'zcode') =>
  installer.run(['install', '--harness', client, '--home', home.path, '--url', NO_SERVER, '--yes']);
const foreignIn = (home: TemporaryHome, session: string): readonly string[] | undefined =>
  new Conversation(home.at('.openviking/spool'), session).captureState().cursor.foreign;
const remember = (home: TemporaryHome, path: string, state: unknown): string =>
  home.write(`.openviking/hook-state/${path}.json`, typeof state === 'string' ? state : JSON.stringify(state));

describe('the state of the earlier hooks', () => {
  it('is taken over once, and nothing of it is changed', () =>
    withHome(async (home) => {
      remember(home, 'zcode/sess_1', { capturedTurnIds: ['t1', 't2'], lastTurnId: 't2', pendingPrompt: 'what?' });
      remember(home, 'trae-cn/s', { lastTurnId: 'other client' });
      const states = snapshotTree(home.at('.openviking/hook-state'));
      await install(home);
      expect(foreignIn(home, 'zc-sess_1')).toEqual([turnKey('t1'), turnKey('t2')]);
      expect(home.has('.openviking/spool/trcn-s')).toBe(false);
      expect(diffTrees(states, snapshotTree(home.at('.openviking/hook-state')))).toEqual([]);
      const after = snapshotTree(home.path);
      await install(home);
      expect(diffTrees(after, snapshotTree(home.path))).toEqual([]);
      await install(home, 'trae-cn');
      expect(foreignIn(home, 'trcn-s')).toEqual([turnKey('other client')]);
    }));

  it('goes along with what waits in the queue of the same conversation', () =>
    withHome(async (home) => {
      remember(home, 'zcode/sess_1', { lastTurnId: 't9' });
      const payload = { role: 'user', content: 'queued', turn_id: 't9' };
      const queued = { type: 'addMessage', sessionId: 'zc-sess_1', payload, createdAt: 1_700_000_000_000 };
      home.write('.openviking/pending/ab_0.json', JSON.stringify(queued));
      await install(home);
      expect(foreignIn(home, 'zc-sess_1')).toEqual([turnKey('t9')]);
      expect(new Conversation(home.at('.openviking/spool'), 'zc-sess_1').read(1)?.messages).toHaveLength(1);
    }));

  it('of conversations that are over, and whatever is no state, is left alone', () =>
    withHome(async (home) => {
      const yesterday = new Date(Date.now() - 13 * 60 * 60_000);
      utimesSync(remember(home, 'zcode/old', { lastTurnId: 't1' }), yesterday, yesterday);
      remember(home, 'zcode/cut', '{"capturedTurnIds":["t1"');
      remember(home, 'zcode/odd', { capturedTurnIds: [1, null, ''], lastTurnId: {} });
      remember(home, 'zcode/list', ['t1']);
      home.makeFolder('.openviking/hook-state/zcode/folder.json');
      const run = await install(home);
      expect(run.code).toBe(3);
      expect(run.stderr).not.toContain('Error');
      expect(home.has('.openviking/spool')).toBe(false);
    }));

  it('is bounded: every record carries it', () =>
    withHome(async (home) => {
      remember(home, 'zcode/long', { capturedTurnIds: Array.from({ length: 1_000 }, (_, index) => `t${index}`) });
      await install(home);
      const foreign = foreignIn(home, 'zc-long');
      expect(foreign).toHaveLength(20);
      expect(foreign?.at(-1)).toBe(turnKey('t999'));
    }));
});
