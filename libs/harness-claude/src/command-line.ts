/**
 * How the client is told to start our launcher. Its hooks are lines for a shell, its MCP servers a program with arguments;
 * a path with a blank, a quote or a dollar sign in it must survive both.
 */
import type { JsonObject, WiringContext } from '../vendor/memory-core/hot.ts';

type Launch = Pick<WiringContext, 'launcher' | 'platform'>;

/**
 * The line of a hook. Single quotes hold everything in a POSIX shell, and that is what the client uses on Windows as well
 * (Git Bash), where a path with slashes is understood by all that see it.
 */
export function hookCommand({ launcher, platform }: Launch, entry: string): string {
  const path = platform === 'win32' ? launcher.replaceAll('\\', '/') : launcher;
  return `'${path.replaceAll("'", "'\\''")}' ${entry}`;
}

/** The MCP server of the client: started without a shell, so on Windows a `.cmd` file needs its interpreter. */
export function serverCommand({ launcher, platform }: Launch): JsonObject {
  return platform === 'win32'
    ? { type: 'stdio', command: 'cmd.exe', args: ['/d', '/c', launcher, 'mcp-proxy'] }
    : { type: 'stdio', command: launcher, args: ['mcp-proxy'] };
}
