/** Memory addresses are no files: what happens when the model takes one for a file. */
import { describe, expect, it } from '@jest/globals';
import type { Scene } from './scene.ts';

export function toolGuardConformance(scene: Scene): void {
  const { tools } = scene.options;

  describe('tool guard', () => {
    it('denies a file tool on a memory address and says what to call instead', async () => {
      const session = scene.host.startSession();
      await session.prompt('good morning to you');
      scene.server.forgetRequests();
      const uri = 'viking://~/memories/profile.md';
      const { denied } = await session.tool(tools.read, { file_path: uri }, 'never read');
      expect(denied).toMatch(/openviking/i);
      expect(denied).toContain('read');
      expect(denied).toContain(uri);
      expect(scene.server.requests).toEqual([]);
    });

    it('lets a file be read and a text be searched for', async () => {
      const session = scene.host.startSession();
      await session.prompt('good morning to you');
      const file = { file_path: '/etc/hostname' };
      expect(await session.tool(tools.read, file, 'a name')).toMatchObject({ denied: undefined, note: undefined });
      const search = { pattern: 'viking://', path: 'src' };
      expect(await session.tool(tools.search, search, 'hits')).toMatchObject({ denied: undefined });
    });

    it('lets every shell command pass', async () => {
      const session = scene.host.startSession();
      await session.prompt('good morning to you');
      const command = { command: 'cat viking://~/memories/x.md' };
      expect(await session.tool(tools.shell, command, 'no such file')).toMatchObject({ denied: undefined });
      const other = await session.tool(tools.shell, { command: 'ls' }, 'files');
      expect(other).toMatchObject({ denied: undefined, note: undefined });
    });

    scene.demand('guard-note', 'explains a memory address in a shell command to the model', async () => {
      const session = scene.host.startSession();
      await session.prompt('good morning to you');
      const { note } = await session.tool(tools.shell, { command: 'cat viking://~/memories/x.md' }, 'no such file');
      expect(note).toMatch(/viking:\/\//);
    });
  });
}
