/** Where Claude Code keeps its files on this machine. One place for it, because one variable moves all of them at once. */
import type { WiringContext } from '../vendor/memory-core/hot.ts';

export interface ClientPaths {
  /** The user's settings: hooks, status line, and which plugins are on. */
  readonly settings: string;
  /** The client's own state, with the user's MCP servers in it. */
  readonly state: string;
  readonly skill: string;
  readonly command: string;
  /** Below the folder of plugins. */
  plugin(...parts: readonly string[]): string;
}

/** Absolute paths. With `CLAUDE_CONFIG_DIR` the state file lies inside that folder too, and not beside it. */
export function clientPaths({ home, platform, env }: Pick<WiringContext, 'home' | 'platform' | 'env'>): ClientPaths {
  const separator = platform === 'win32' ? '\\' : '/';
  const trimmed = (path: string): string => path.replace(/(?<=.)[\\/]+$/, '');
  const moved = env['CLAUDE_CONFIG_DIR']?.trim() ?? '';
  const root = moved === '' ? [trimmed(home), '.claude'].join(separator) : trimmed(moved);
  const below = (...parts: readonly string[]): string => [root, ...parts].join(separator);
  return {
    settings: below('settings.json'),
    state: moved === '' ? [trimmed(home), '.claude.json'].join(separator) : below('.claude.json'),
    skill: below('skills', 'openviking-memory', 'SKILL.md'),
    command: below('commands', 'ov.md'),
    plugin: (...parts) => below('plugins', ...parts),
  };
}
