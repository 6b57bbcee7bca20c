/**
 * The launcher: the one command that clients are told, under a name that never changes between versions. Graphical clients
 * do not inherit a shell's PATH and Node.js moves with every version manager, so it starts the interpreter that installed
 * it and looks further only when that one is gone. It never breaks the client: without an interpreter a hook says nothing.
 */

export interface LauncherOptions {
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  /** Absolute path of the interpreter that runs the installer. */
  readonly interpreter: string;
  /** The folder that the launcher lies in, absolute. */
  readonly folder: string;
  /** Folder of the payload, relative to it. */
  readonly version: string;
  /**
   * `entries`: the first argument names a bundle; only `mcp-proxy` reports a failure by its status.
   * `program`: one file with fixed arguments, to which further ones are added.
   */
  readonly starts: 'entries' | { readonly file: string; readonly args: readonly string[] };
}

/** The lowest major version of Node.js that the bundles run on. */
const MINIMUM_MAJOR = 20;

/** Where version managers and packages put Node.js on POSIX, as shell words; `$home` is set by the launcher. */
const USUAL_PLACES = [
  '"$home"/.nvm/versions/node/*/bin/node',
  '"$home"/.local/share/fnm/node-versions/*/installation/bin/node',
  '"$home"/.fnm/node-versions/*/installation/bin/node',
  '"$home/Library/Application Support/fnm/node-versions"/*/installation/bin/node',
  '"$home/.volta/bin/node"',
  '"$home"/.asdf/installs/nodejs/*/bin/node',
  '"$home"/.local/share/mise/installs/node/*/bin/node',
  '/opt/homebrew/bin/node',
  '/home/linuxbrew/.linuxbrew/bin/node',
  '/usr/local/bin/node',
  '/usr/bin/node',
  '/snap/bin/node',
] as const;

/** The same for Windows, as cmd words. */
const USUAL_PLACES_WINDOWS = [
  '%ProgramFiles%\\nodejs\\node.exe',
  '%LOCALAPPDATA%\\Volta\\bin\\node.exe',
  '%ProgramFiles%\\Volta\\node.exe',
  '%NVM_SYMLINK%\\node.exe',
  '%LOCALAPPDATA%\\fnm\\aliases\\default\\node.exe',
  '%USERPROFILE%\\scoop\\apps\\nodejs\\current\\node.exe',
  '%LOCALAPPDATA%\\mise\\shims\\node.exe',
] as const;

/** The launcher's file name on this platform. */
export function launcherName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'launch.cmd' : 'launch';
}

/** The launcher's text. Pure. */
export function renderLauncher(options: LauncherOptions): string {
  return options.platform === 'win32' ? renderWindows(options) : renderPosix(options);
}

function renderPosix({ home, interpreter, folder, version, starts }: LauncherOptions): string {
  const isProgram = starts !== 'entries';
  const file = isProgram ? `$root/${starts.file}` : '$root/$entry.cjs';
  const call = isProgram ? `"${file}" ${starts.args.map(quote).join(' ')} "$@"` : `"${file}" "$@"`;
  // Built-ins only until the first exec: a subshell or an external command costs more than the rest together.
  return `#!/bin/sh
# Written by openviking-install; a new version writes it again.
home=${quote(home)}
root=${quote(`${folder}/${version}`)}
node=${quote(interpreter)}
${
  isProgram
    ? ''
    : `entry=$1
case $entry in '' | *[!a-z0-9-]*) exit 0 ;; esac
shift
`
}if [ -x "$node" ] && [ -f "${file}" ]; then
  exec "$node" ${call}
fi

# The interpreter or the payload is gone.
give_up() {
  {
    mkdir -p "$home/.openviking/logs"
    printf '%s %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>"$home/.openviking/logs/launcher.log"
  } 2>/dev/null
${
  isProgram
    ? `  printf '%s\\n' "$1" >&2
  exit 127`
    : `  case $entry in mcp-proxy) printf '%s\\n' "$1" >&2; exit 127 ;; esac
  exit 0`
}
}
[ -f "${file}" ] || give_up "${file} is missing: run openviking-install again"
try() {
  [ -x "$1" ] && "$1" -e 'process.exit(process.versions.node.split(".")[0] < ${MINIMUM_MAJOR} ? 1 : 0)' </dev/null >/dev/null 2>&1
}
found=$(command -v node 2>/dev/null)
for node in "$found" ${USUAL_PLACES.join(' \\\n  ')}; do
  if try "$node"; then
    exec "$node" ${call}
  fi
done
give_up "no Node.js ${MINIMUM_MAJOR} or later found for ${file}: install Node.js, then run openviking-install again"
`;
}

function renderWindows({ interpreter, version, starts }: LauncherOptions): string {
  const isProgram = starts !== 'entries';
  // %~dp0 is the launcher's own folder: no path of the user's passes through this file's encoding.
  const file = isProgram ? `%~dp0${version}\\${starts.file.replaceAll('/', '\\')}` : `%~dp0${version}\\%~1.cjs`;
  const call = isProgram ? `"${file}" ${starts.args.map(quoteWindows).join(' ')} %*` : `"${file}" %2 %3 %4 %5`;
  const lines = [
    '@echo off',
    'rem Written by openviking-install; a new version writes it again.',
    'setlocal DisableDelayedExpansion',
    `set "OV_NODE=${percent(interpreter)}"`,
    ...(isProgram ? [] : ['if "%~1"=="" exit /b 0']),
    `if not exist "${file}" goto missing`,
    'if exist "%OV_NODE%" goto run',
    // `for %%I` with `$PATH:` searches PATH without starting another program.
    'for %%I in (node.exe) do set "OV_NODE=%%~$PATH:I"',
    'if exist "%OV_NODE%" goto run',
    ...USUAL_PLACES_WINDOWS.flatMap((place) => [`set "OV_NODE=${place}"`, 'if exist "%OV_NODE%" goto run']),
    'set "OV_WHY=no Node.js found"',
    'goto report',
    ':run',
    `"%OV_NODE%" ${call}`,
    'exit /b %ERRORLEVEL%',
    ':missing',
    'set "OV_WHY=the payload is missing: run openviking-install again"',
    ':report',
    'if not exist "%~dp0..\\..\\logs" mkdir "%~dp0..\\..\\logs" >nul 2>nul',
    '>>"%~dp0..\\..\\logs\\launcher.log" echo %DATE% %TIME% %OV_WHY%',
    ...(isProgram ? ['exit /b 127'] : ['if "%~1"=="mcp-proxy" exit /b 127', 'exit /b 0']),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** One shell word, whatever the path holds. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function quoteWindows(word: string): string {
  return `"${percent(word)}"`;
}

/** In a batch file a percent sign starts a variable unless it is doubled. */
function percent(text: string): string {
  return text.replaceAll('%', '%%');
}
