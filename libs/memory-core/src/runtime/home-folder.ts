/**
 * The user's home folder, without loading `node:os` in the processes that can do without: that costs a hook 0.4 ms, and
 * `homedir()` itself answers with these variables where they are set.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  return named === undefined || named === '' ? process.getBuiltinModule('node:os').homedir() : named;
}
