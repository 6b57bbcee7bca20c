/**
 * The launcher: the one command that clients are told, under a name that never changes between versions. Graphical clients
 * do not inherit a shell's PATH and Node.js moves with every version manager, so it starts the interpreter that installed
 * it and looks further only when that one is gone. It never breaks the client: without an interpreter a hook says nothing.
 */
import type { HarnessDeclaration } from '@openviking/memory-core/full';

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
   * Otherwise one file with fixed arguments, to which further ones are added, and fixed variables: what starts it later
   * may have another environment than the installation had.
   */
  readonly starts: 'entries' | LaunchedProgram;
  /** What an entry's stdout has to hold when there is nothing to say, by entry; others say nothing. */
  readonly silences?: Readonly<Record<string, string>>;
}

/** `silences` of a client's hooks. */
export function silencesOf(events: HarnessDeclaration['events']): Readonly<Record<string, string>> {
  return Object.fromEntries(events.flatMap(({ entry, silence }) => (silence === undefined ? [] : [[entry, silence]])));
}

export interface LaunchedProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** What the bundles need, for people. */
export const MINIMUM_NODE = '20.18';

/**
 * Ends with 0 on an interpreter that the bundles run on. `getBuiltinModule` came in 20.16 and in 22.3: a higher number alone
 * does not mean that it is there. Without quotes, so that it is one word of sh in single and of cmd in double ones.
 */
const FITS =
  'v=process.versions.node.split(/[.]/);process.exit(process.getBuiltinModule&&(v[0]>20||v[0]==20&&v[1]>=18)?0:1)';

/** Where version managers and packages put Node.js on POSIX, as shell words; `$home` is set by the launcher. */
const USUAL_PLACES_POSIX = [
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

/** Where launchers look, as words of the shell that runs them. */
export const USUAL_PLACES = { posix: USUAL_PLACES_POSIX, windows: USUAL_PLACES_WINDOWS } as const;

/** How long the launcher's log may get before it begins anew, in bytes. */
const LONGEST_LOG = 65_536;

/** Whether the bundles run on this version of Node.js, by its number alone. */
export function runsOn(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 18);
}

/** The launcher's file name on this platform. */
export function launcherName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'launch.cmd' : 'launch';
}

/** The launcher's text. Pure. */
export function renderLauncher(options: LauncherOptions): string {
  return options.platform === 'win32' ? renderWindows(options) : renderPosix(options);
}

/** Whether a text was made by `renderLauncher`, of whichever version. Pure. */
export function isLauncher(text: string): boolean {
  return /^(#!\/bin\/sh\r?\n# |@echo off\r?\nrem )Written by openviking-install;/.test(text);
}

/** The interpreter that a launcher's text tries first: the inverse of `renderLauncher`. Pure; undefined for another text. */
export function recordedInterpreter(
  text: string,
  { platform, home }: Pick<LauncherOptions, 'platform' | 'home'>,
): string | undefined {
  if (platform === 'win32') {
    const word = /^set "OV_NODE=([^"]*)"\r?$/m.exec(text)?.[1];
    return word?.replaceAll('%%', '%').replace(/^%~dp0\.\.\\\.\.\\\.\./, () => home);
  }
  const word = /^node='((?:[^']|'\\'')*)'$/m.exec(text)?.[1];
  return word?.replaceAll("'\\''", "'");
}

function renderPosix({ home, interpreter, folder, version, starts, silences = {} }: LauncherOptions): string {
  const isProgram = starts !== 'entries';
  const file = isProgram ? `$root/${starts.file}` : '$root/$entry.cjs';
  const call = isProgram ? `"${file}" ${starts.args.map(quote).join(' ')} "$@"` : `"${file}" "$@"`;
  // Built-ins only until the first exec: a subshell or an external command costs more than the rest together.
  return `#!/bin/sh
# Written by openviking-install; a new version writes it again.
home=${quote(home)}
# Meant for other programs: a file that it names may be gone, and Node.js would not start.
unset NODE_OPTIONS
${isProgram ? exports(starts.variables) : ''}root=${quote(`${folder}/${version}`)}
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
  umask 077
  log=$home/.openviking/logs/launcher.log
  {
    mkdir -p "$home/.openviking/logs"
    # Every hook would add a line for as long as nobody looks.
    [ "$(wc -c <"$log")" -gt ${LONGEST_LOG} ] && printf '' >"$log"
    printf '%s %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>"$log"
  } 2>/dev/null
${
  isProgram
    ? `  printf '%s\\n' "$1" >&2
  exit 127`
    : `  case $entry in
    mcp-proxy) printf '%s\\n' "$1" >&2; exit 127 ;;
${Object.entries(silences)
  .map(([entry, silence]) => `    ${entry}) printf '%s' ${quote(silence)} ;;\n`)
  .join('')}  esac
  exit 0`
}
}
[ -f "${file}" ] || give_up "${file} is missing: run openviking-install again"
try() {
  [ -x "$1" ] && "$1" -e '${FITS}' </dev/null >/dev/null 2>&1
}
found=$(command -v node 2>/dev/null)
for node in "$found" ${USUAL_PLACES_POSIX.join(' \\\n  ')}; do
  if try "$node"; then
    exec "$node" ${call}
  fi
done
give_up "no Node.js ${MINIMUM_NODE} or later found for ${file}: install Node.js, then run openviking-install again"
`;
}

function exports(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${quote(value)}\nexport ${name}\n`)
    .join('');
}

function renderWindows({ home, interpreter, version, starts, silences = {} }: LauncherOptions): string {
  const isProgram = starts !== 'entries';
  // %~dp0 is the launcher's own folder: no path of the user's passes through this file's encoding.
  const file = isProgram ? `%~dp0${version}\\${starts.file.replaceAll('/', '\\')}` : `%~dp0${version}\\%~1.cjs`;
  const call = isProgram
    ? `"${file}" ${starts.args.map((word) => `"${batchPath(word, home)}"`).join(' ')} %*`
    : `"${file}" %2 %3 %4 %5`;
  const lines = [
    '@echo off',
    'rem Written by openviking-install; a new version writes it again.',
    'setlocal DisableDelayedExpansion',
    // Meant for other programs: a file that it names may be gone, and Node.js would not start.
    'set "NODE_OPTIONS="',
    `set "OV_NODE=${batchPath(interpreter, home)}"`,
    ...(isProgram
      ? Object.entries(starts.variables).map(([name, value]) => `set "${name}=${batchPath(value, home)}"`)
      : []),
    ...(isProgram ? [] : ['if "%~1"=="" exit /b 0']),
    `if not exist "${file}" goto missing`,
    'if exist "%OV_NODE%" goto run',
    // `for %%I` with `$PATH:` searches PATH without starting another program.
    'for %%I in (node.exe) do set "OV_NODE=%%~$PATH:I"',
    'call :fits && goto run',
    ...USUAL_PLACES_WINDOWS.flatMap((place) => [`set "OV_NODE=${place}"`, 'call :fits && goto run']),
    `set "OV_WHY=no Node.js ${MINIMUM_NODE} or later found: install Node.js, then run openviking-install again"`,
    'goto report',
    ':run',
    `"%OV_NODE%" ${call}`,
    'exit /b %ERRORLEVEL%',
    ':missing',
    'set "OV_WHY=the payload is missing: run openviking-install again"',
    ':report',
    'if not exist "%~dp0..\\..\\logs" mkdir "%~dp0..\\..\\logs" >nul 2>nul',
    // Every hook would add a line for as long as nobody looks.
    `if exist "%~dp0..\\..\\logs\\launcher.log" for %%I in ("%~dp0..\\..\\logs\\launcher.log") do if %%~zI gtr ${LONGEST_LOG} del "%%~fI" >nul 2>nul`,
    '>>"%~dp0..\\..\\logs\\launcher.log" echo %DATE% %TIME% %OV_WHY%',
    ...(isProgram
      ? ['exit /b 127']
      : [
          'if "%~1"=="mcp-proxy" exit /b 127',
          // Quotes and braces mean nothing to `echo`; what would mean something is not said.
          ...Object.entries(silences)
            .filter(([, silence]) => /^[\w{}[\]":, .-]+$/.test(silence))
            .map(([entry, silence]) => `if "%~1"=="${entry}" echo ${silence}`),
          'exit /b 0',
        ]),
    ':fits',
    'if not exist "%OV_NODE%" exit /b 1',
    `"%OV_NODE%" -e "${FITS}" <nul >nul 2>nul`,
    'exit /b %ERRORLEVEL%',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** One shell word, whatever the path holds. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A path or word inside the double quotes of a batch file. cmd reads the file in the code page of the machine, and a home
 * may have a name that is not in it: what lies below the home is named from the launcher's own folder, three levels deep.
 */
function batchPath(word: string, home: string): string {
  const isBelow = word === home || word.startsWith(`${home}\\`);
  return isBelow ? `%~dp0..\\..\\..${percent(word.slice(home.length))}` : percent(word);
}

/** In a batch file a percent sign starts a variable unless it is doubled. */
function percent(text: string): string {
  return text.replaceAll('%', '%%');
}
