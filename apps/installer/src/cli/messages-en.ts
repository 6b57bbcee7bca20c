/**
 * Every text that a user reads, in English. The Chinese table has this type, so a missing translation does not compile.
 */
import type { Command, SpoolAction } from './options.ts';

type ChangeAction = 'create' | 'change' | 'remove' | 'place-payload' | 'remove-payload' | 'run' | 'rewrite';

/** What stands where a file should be, in words. */
const ODD_KINDS = { folder: 'a folder', device: 'a device', pipe: 'a named pipe', socket: 'a socket' } as const;

/** The three kinds of wrong shape, in words. */
const SHAPES = { object: 'an object', list: 'a list', value: 'a single value' } as const;

const ACTIONS: Readonly<Record<ChangeAction, string>> = {
  create: 'create',
  change: 'change',
  remove: 'remove',
  'place-payload': 'place program files in',
  'remove-payload': 'remove folder',
  run: 'run',
  rewrite: 'keep the rest as it is in',
};

/** What is wrong with an archive, in words. */
const ARCHIVE_FAULTS = {
  'not-gzip': 'it is no gzip file',
  truncated: 'it ends too early',
  header: 'it is no tar archive, or a broken one',
  path: 'a path in it leads out of its folder, or does not work on every system',
  kind: 'it holds a link, a device or something else that is neither file nor folder',
  twice: 'two of its entries have one name',
  'too-many': 'it holds too many files',
  'too-large': 'it is too large when unpacked',
  trailing: 'something comes after its end',
  empty: 'it is empty',
} as const;

const OWNED = { skill: 'skill', command: 'command', rule: 'rule', plugin: 'plugin' } as const;

/** A client's line in `status`. */
export interface ClientLine {
  readonly name: string;
  readonly wiring: 'absent' | 'wired' | 'incomplete';
  readonly version: string;
  readonly payload: 'intact' | 'damaged';
  readonly problems: number;
  /** The sign by which a client that is not installed was found. */
  readonly foundAt: string | undefined;
}

/** How long ago a hook ran, and how that went. */
export interface LastRun {
  readonly entry: string;
  readonly agoMs: number;
  readonly durationMs: number | undefined;
  readonly outcome: string | undefined;
  readonly tokens: number | undefined;
}

export const ENGLISH = {
  language: 'en' as 'en' | 'zh',

  error: (message: string) => `Error: ${message}`,
  warning: (message: string) => `Warning: ${message}`,
  note: (message: string) => `Note: ${message}`,

  // Configuration files
  notUtf8: (path: string) => `${path} is not UTF-8 text.`,
  notUtf8Next: 'Nothing of this client was changed. Save the file as UTF-8, then run this again.',
  tooDeep: (path: string) => `${path} is nested too deeply to be read.`,
  brokenFile: (path: string, line: number, column: number) =>
    `${path}:${line}:${column}: from here on this is not valid JSON.`,
  brokenToml: (path: string, line: number, column: number) =>
    `${path}:${line}:${column}: from here on this is not valid TOML.`,
  markersTorn: (path: string, line: number, marker: string) =>
    `${path}:${line}: of the two lines that our block stands between, "${marker}" is missing.`,
  markersTornNext:
    'Nothing of this client was changed. Put the line back, or delete what is left of the block, then run this again.',
  otherYaml: (path: string, line: number, wanted: 'list' | 'map') =>
    `${path}:${line}: the outermost level has to be a ${wanted}, written without brackets.`,
  brokenFileNext: 'Nothing of this client was changed. Correct the file at that place, then run this again.',
  wrongShape: (path: string, line: number, column: number, where: string, wanted: keyof typeof SHAPES) =>
    `${path}:${line}:${column}: ${where === '' ? 'the file' : where} must be ${SHAPES[wanted]}.`,
  wouldBreak: (path: string, what: string) => `The change to ${path} would make the client refuse the file: ${what}.`,
  wouldMean: (path: string) => `The change to ${path} would change more than it is meant to.`,
  reportDefect: 'This is a defect of the installer. Please report it with the output of OPENVIKING_DEBUG=1.',
  clientRule: (path: string, line: number, what: string, fix: string) =>
    `${path}:${line}: ${what}. It was there before and stays as it is. ${fix}`,
  foreignEntry: (path: string, where: string) =>
    `${path}: ${where} is an entry of your own and stays as it is. Rename or remove it, then run this again to get the memory tools.`,
  switchedOn: (path: string, where: string) =>
    `${path}: ${where} goes from false to true, as our hooks need it; hooks of your own in this file run again as well. Uninstalling puts it back, unless you have added a hook by then.`,
  shortTimeLimit: (place: string, event: string, value: string, planned: string) =>
    `${place}: "${value}" is less than the "${planned}" that the hook for ${event} plans with: the client may end it before it has answered. Raise it, or remove that line and run this again.`,
  pluginEnabled: (place: string, id: string, name: string) =>
    `${place}: the plugin ${id} is switched on in ${name}. With both, every prompt would be answered twice and every turn captured twice.`,
  pluginMove: (removal: string) =>
    `To move to this installation: ${removal} Then run this again; memories, queue and connection are the same for both. To keep the plugin, there is nothing to do.`,
  pluginInstalled: (place: string, id: string, name: string) =>
    `${place}: the plugin ${id} is installed in ${name} and switched off. Leave it off: one of the two is enough.`,
  replacedEarlier: (path: string, count: number) =>
    `${path}: ${count} ${count === 1 ? 'entry of an earlier installer gives' : 'entries of an earlier installer give'} way to ours.`,
  foreignFile: (path: string) =>
    `${path} exists and is not ours; it stays as it is. Move it away, then run this again to get ours.`,
  linkedTwice: (one: string, other: string) => `${one} and ${other} are one file by a link: it cannot be both.`,
  linkedTwiceNext: 'Put a file of its own in the place of the link, or leave one of the clients out with --harness.',
  foreignMarketplace: (place: string, name: string) =>
    `${place}: a marketplace called ${name} that is not ours is there. The client knows one of a name: ours would take its place, and its plugins would go.`,
  foreignMarketplaceNext: (line: string) =>
    `Keep it and leave this client out with --harness, or remove it yourself with \`${line}\` and run this again.`,
  strictJson: (path: string, line: number) =>
    `${path}:${line}: a comment or a comma too many was there before and stays as it is; the client reads no file with one, and its plugins are off until it is gone.`,
  pluginSwitchedOff: (id: string, name: string) =>
    `the plugin ${id} is switched off in ${name}, and stays so. Switch it on there when you want the memory back.`,
  commandFailed: (line: string, status: string, said: string) =>
    `${line} failed (${status})${said === '' ? '.' : `:\n${said}`}`,
  commandFailedNext: 'Everything was put back. Run that command yourself to see what is wrong, then run this again.',
  pluginNotListed: (program: string, id: string) => `${program} has taken ${id} and does not list it.`,
  pluginStillListed: (program: string, id: string) => `${program} has removed ${id} and still lists it.`,
  commandGone: (name: string, id: string, paths: readonly string[]) =>
    `${name}: none of its commands was found, so ${id} is taken out of ${paths.join(', ')} only; what ${name} itself has noted about it stays.`,
  userChangedFile: (path: string) => `${path} keeps the changes that you made to it.`,
  userFileStays: (path: string) => `${path} has changes of yours and stays.`,
  onlyOurs: (path: string, count: number) =>
    `${path} has changed since the installation: only our ${count} ${count === 1 ? 'entry is' : 'entries are'} taken out.`,
  switchKept: (path: string, where: string) =>
    `${path}: ${where} stays true: a hook that you have added since the installation needs it. To switch it off, set it to false there.`,
  unknownRemains: (paths: readonly string[]) =>
    `There is no receipt that tells who made these, so they stay, with nothing left in them: ${paths.join(', ')}. Delete what you do not need.`,
  unknownFileStays: (path: string) =>
    `${path} has the name of a file of ours but different content, and there is no receipt: it stays. Delete it if it is not yours.`,
  severalNames: (files: readonly { readonly path: string; readonly names: number }[]) =>
    `${files.map(({ path, names }) => `${path} has ${names} names`).join(', ')} (hard links) and ${files.length === 1 ? 'is' : 'all are'} written in place: the other names show the change too, as those in a copy made by "cp -al" do.`,
  switchUnknown: (path: string, where: string) =>
    `${path}: ${where} stays true: there is no receipt that tells whether it was so before. If no hook of yours needs it, remove it.`,

  // File system
  danglingFolder: (link: string, target: string) => `${link} is a link to ${target}, and there is no such folder.`,
  danglingFolderNext:
    'Nothing of this client was changed. Mount or fetch what belongs there, or remove the link, then run this again.',
  linkLoopNext: 'It is a link that leads back to itself. Remove it or point it to the real place, then run this again.',
  unreadable: (path: string, code: string) => `${path} cannot be read (${code}).`,
  notPlain: (path: string, kind: keyof typeof ODD_KINDS) => `${path} is ${ODD_KINDS[kind]}, not a file.`,
  tooLarge: (path: string, megabytes: number) => `${path} is larger than ${megabytes} MB.`,
  notPlainNext: 'Nothing was written. Look at what it is and move it away, then run this again.',
  unwritable: (path: string, code: string) => `${path} cannot be written (${code}). Everything was put back.`,
  permissionsNext: 'Check who owns the file and its folder and what their permissions are, then run this again.',
  diskFullNext: 'Free some space on that disk, then run this again.',
  readOnly: (path: string) => `${path} is read-only.`,
  readOnlyNext: (path: string) =>
    `Nothing was written. If you want it changed: chmod u+w '${path}', then run this again.`,
  notKept: (path: string) => `${path} does not hold what was written to it. Everything was put back.`,
  notUndone: (paths: readonly string[], why: string | undefined) =>
    `${why === undefined ? 'An earlier run was interrupted' : `The run failed: ${why} What it had done was taken back`}, but these could not be put back: ${paths.join(', ')}.`,
  notUndoneNext:
    'Somebody has changed them since, or they cannot be written. Look at them by hand; everything else is as before. Then run this again.',
  homeOfOther: (home: string) => `${home} belongs to another user.`,
  homeOfOtherNext: 'Run this as the user whose home it is, without sudo.',
  ownHomeMissing: (home: string) => `The home folder ${home} does not exist, or is no folder.`,
  ownHomeMissingNext: 'Nothing was written. Set HOME to your home folder, or name one with --home.',
  variableNotAbsolute: (name: string, value: string) => `${name} is "${value}", which is no absolute path.`,
  variableNotAbsoluteNext: (name: string, better: string) =>
    `Nothing was written. If this is the place, set ${name} to ${better}; a client that was started elsewhere would look for another one.`,
  fileInTheWay: (file: string, path: string) => `${file} is a file, and ${path} needs a folder in its place.`,
  fileInTheWayNext:
    'Nothing was written. Move that file away, or correct the variable that names it, then run this again. --harness leaves a client out.',
  homeMissing: (home: string) => `--home: there is no folder ${home}.`,
  homeMissingNext: 'Create it first, or correct the path.',
  lockHeld: (path: string) => `Another installer is at work in this home (${path}).`,
  lockHeldNext: 'Wait until it has finished, then run this again.',
  recovered: (finished: boolean): string =>
    finished
      ? 'An earlier run was interrupted after its last change; it has been finished.'
      : 'An earlier run was interrupted; what it had changed has been put back.',
  changedMeanwhile: (path: string) => `${path} changed meanwhile: reading it again.`,
  keepsChanging: (path: string) => `${path} is being changed by another program all the time.`,
  keepsChangingNext: 'Nothing was written. Quit the client, then run this again.',
  interrupted: 'Interrupted. Everything is as it was before.',
  declined: 'Nothing was changed.',
  payloadDamaged: (folder: string, files: readonly string[]) =>
    `This package is damaged: ${files.slice(0, 3).join(', ')} in ${folder}.`,
  payloadDamagedNext: 'Install the package again.',

  // Where a plugin comes from
  fetchingPlugin: 'Fetching the plugin…',
  optionOneOf: (flag: string, values: readonly string[]) => `${flag} takes one of: ${values.join(', ')}.`,
  nothingToFetch: (source: string) =>
    `--dist npm is what this package carries: there is nothing to fetch, so --source ${source} does not go with it.`,
  devAlone: '--source dev is the plugin that this checkout has built: --dist does not go with it.',
  distributionWhole: (flag: string) => `${flag} needs the plugin that this package carries: another one comes whole.`,
  distributionWholeNext: 'Leave that option out, or add --dist npm.',
  distributionNoEffect: (client: string) =>
    `${client}: --dist and --source have no effect here; its files come from this package.`,
  noGitAddress: (dist: string) =>
    `There is no git address for --dist ${dist}: object storage serves files, and no git that a client can clone.`,
  noGitAddressNext: (dist: string, variable: string) =>
    `Use --dist ${dist} --source archive, or name a git server in ${variable}.`,
  distAddress: (variable: string) => `${variable} holds no address that can be used.`,
  distAddressNext: (variable: string) =>
    `Set ${variable} to an https address without user, password, query or blanks; http only on this machine.`,
  checkoutMissing: (folder: string) => `There is no built plugin in ${folder}.`,
  checkoutMissingNext: 'Run `npm run build` in the checkout, or name another folder in OPENVIKING_DIST_DEV_DIR.',
  downloadFailed: (url: string, reason: string) => `${url} could not be downloaded: ${reason}.`,
  downloadFailedNext: 'Nothing was changed. Try again later, or use --dist npm: it needs no network.',
  downloadElsewhere: (url: string, host: string) =>
    `${url} leads to ${host}, which is no place of this distribution. Nothing was taken from there.`,
  downloadElsewhereNext: (host: string) =>
    `If that is right, add ${host} to OPENVIKING_DIST_HOSTS; --dist npm needs no network.`,
  checksumMalformed: (url: string) => `${url} holds no checksum of the archive.`,
  checksumWrong: (url: string, wanted: string, found: string) =>
    `${url} is not what its checksum says: ${wanted.slice(0, 16)}… is wanted, ${found.slice(0, 16)}… came.`,
  checksumNext: 'Nothing was changed. Try again later; if it stays so, tell whoever publishes it, and use --dist npm.',
  archiveRefused: (url: string, fault: keyof typeof ARCHIVE_FAULTS, entry: string | undefined) =>
    `${url} is refused: ${ARCHIVE_FAULTS[fault]}${entry === undefined ? '' : ` (${entry})`}.`,
  archiveRefusedNext: 'Nothing was changed. Tell whoever publishes it, and use --dist npm: it needs no network.',
  pluginTreeDamaged: (folder: string) => `The plugin in ${folder} is missing or damaged.`,
  pluginTreeDamagedNext: 'Run the installation again: it is fetched anew. --dist npm needs no network.',
  selfTestFailed: (launcher: string, status: string, what: string) =>
    `The launcher ${launcher} does not work (status ${status})${what === '' ? '' : `: ${what}`}. Everything was put back.`,
  selfTestNext: 'Check that programs may run from that folder and that Node.js 20.18 or later is installed.',
  nodeTooOld: (interpreter: string, version: string, minimum: string) =>
    `${interpreter} is Node.js ${version}; the hooks need ${minimum} or later (of the newer lines 22.3 or later).`,
  nodeTooOldNext: (minimum: string) => `Nothing was written. Install Node.js ${minimum} or later and run this with it.`,

  // Connection
  urlEmpty: '--url is empty.',
  urlSpaces: '--url has a space in it.',
  urlScheme: (better: string) => `--url must start with http:// or https://. Write: ${better}`,
  urlBroken: '--url is not a valid URL.',
  urlUserInfo: '--url must not hold a user name or password; hand the key over with --api-key-stdin.',
  urlQuery: '--url must not have a query or a fragment.',
  urlRoute: (better: string) => `--url is the base address, without the path of the API. Write: ${better}`,
  urlExample: 'Example: --url http://127.0.0.1:1933',
  keyTwice: 'Only one of --api-key, --api-key-env and --api-key-stdin can be given.',
  keyNoVariable: 'The environment variable that --api-key-env names is not set.',
  keyCharacters: 'The API key holds characters that a key cannot have (spaces, line breaks or non-ASCII).',
  keyTooLong: 'What came on stdin is too long for an API key.',
  keyNothing: (source: 'option' | 'variable' | 'stdin', word: string | undefined) => {
    const place = {
      option: '--api-key',
      variable: 'the environment variable that --api-key-env names',
      stdin: 'stdin',
    }[source];
    if (word !== undefined)
      return `The word "${word}" in ${place} is no API key: whatever should have given one found none.`;
    if (source === 'option') return '--api-key holds only white space.';
    return source === 'variable'
      ? 'The environment variable that --api-key-env names is empty.'
      : 'Nothing came on stdin, where --api-key-stdin expects the API key.';
  },
  keyNothingNext:
    "Nothing was changed: a stored key stays. Check the file, command or variable that the key comes from, then run this again. Only --api-key '' removes the stored key.",
  keyTwiceNext: 'Leave all but one of them out. --api-key-stdin keeps the key out of the process list.',
  keyNoVariableNext:
    'Export the variable first, and name it as it is spelled, without "$". Or hand the key over with --api-key-stdin.',
  keyCharactersNext: 'Copy the key again, on one line and without quotes; --api-key-stdin < FILE reads it from a file.',
  keyTooLongNext: 'Give a file that holds the key and nothing else: --api-key-stdin < FILE.',
  identityCharacters: '--account and --user take plain ASCII text only.',
  identityNext: 'Give them as the administrator of the server spells them, or leave them out.',
  localAndUrl: '--local brings its own address and key: --url and --api-key do not go with it.',
  noFreePort: (first: number, last: number) => `No port between ${first} and ${last} is free for the local server.`,
  noFreePortNext:
    'Nothing was changed. End a program that listens there, or use a server of yours with --url, then run this again.',
  portTaken: (port: number) => `Another program has taken port ${port} while the local server was starting.`,
  portTakenNext: 'Everything was put back. Run this again.',
  connectionAside: (path: string, url: string) =>
    `${path}: the key used until now, that of ${url}, is kept in this file. To go back to it, run this again with --previous in place of address and key.`,
  previousMissing: (path: string) => `${path} keeps no earlier address and key.`,
  previousMissingNext: 'Give the address with --url URL and the key with --api-key-stdin.',
  previousAlone: '--previous brings address and key: --url, --local and the options for a key do not go with it.',
  serverReady: 'Server: it answers and accepts the connection.',
  serverUnreachable: (url: string, code: string, launcher: string | undefined, ovcli: string) =>
    launcher === undefined
      ? `the server at ${url} does not answer (${code}). Conversations are kept on this machine until it answers. There are three ways forward: run this again with --local (a server of its own, nothing else needed); or with --url URL, the address of yours; or put the address into ${ovcli} later.`
      : `the local server at ${url} does not answer (${code}). Run ${launcher} in a terminal: it says why. Conversations are kept on this machine until it answers.`,
  serverRejected: (url: string, status: number, isLocal: boolean) =>
    isLocal
      ? `the local server at ${url} refuses the key in ovcli.conf (${status}). Run openviking-install --local again: it gives both the same key.`
      : `the server at ${url} refuses the API key (${status}). Hand over the right one with --api-key-stdin.`,
  serverUnhealthy: (url: string, status: number) =>
    `what answers at ${url} is not a healthy OpenViking server (${status}). Check the address.`,
  serverNotStopped: 'The local server did not stop.',
  serverNotStoppedNext: 'Nothing was removed. End the process openviking-local, then run this again.',

  // Clients
  harnessEmpty: '--harness is empty.',
  harnessUnknown: (name: string, suggestion: string | undefined) =>
    `There is no client "${name}".${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
  harnessNotBuilt: (id: string) => `"${id}" is known but not built yet.`,
  harnessList: (ids: readonly string[]) => `Clients in this release: ${ids.join(', ')}.`,
  noneDetected: 'No supported client was found on this machine. Name one with --harness.',
  clientRefused: (name: string, why: string) => `${name} is left out. ${why}`,
  clientNotFound: (name: string) => `${name} was not found on this machine; it is wired all the same.`,
  pluginNoCommand: (name: string, commands: readonly string[]) =>
    `${name} gets hooks and server in its own files, not as a plugin: on PATH there is no ${commands.join(' and no ')}. Name the command with --claude-bin and run this again to get the plugin.`,
  pluginNoSupport: (name: string, commands: readonly string[]) =>
    `${name} gets hooks and server in its own files, not as a plugin: this build of ${commands.join(', ')} has no plugins. Another build is named with --claude-bin.`,
  removedElsewhere: (name: string, variable: string, there: string | undefined, here: string | undefined) =>
    `${name} was wired ${there === undefined ? `without ${variable}` : `with ${variable}=${there}`}, and is taken out of there; in this shell ${variable} is ${here === undefined ? 'not set' : here}.`,
  clientStays: (name: string, why: string) => `${name} is not removed, and nothing of it is changed. ${why}`,

  // Command line
  optionUnknown: (name: string, suggestion: string | undefined) =>
    `There is no option ${name}.${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`}`,
  optionsExclude: (one: string, other: string) => `${one} and ${other} exclude each other.`,
  commandsEmpty: (name: string) => `${name} names no command.`,
  optionValue: (name: string | undefined, value: string | undefined) =>
    name === undefined
      ? 'An option has a missing or unexpected value.'
      : value === undefined
        ? `${name} takes no value.`
        : `${name} needs a value: ${name}=${value}`,
  optionElsewhere: (name: string, command: Command, commands: readonly Command[]) =>
    `${name} does not belong to ${command}; it belongs to ${commands.join(', ')}.`,
  argumentExtra: 'There is one argument too many.',
  argumentClient: (id: string) => `Clients are named with an option. Did you mean --harness ${id}?`,
  commandUnknown: (suggestion: string | undefined) =>
    `There is no such command.${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
  commandNotBuilt: (name: string) => `"${name}" is known but not built yet.`,
  spoolActionUnknown: (suggestion: string | undefined) =>
    `spool knows list, retry, show and drop.${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
  spoolIdMissing: (action: SpoolAction) => `spool ${action} needs the id of a conversation, a turn or a dead letter.`,
  commandTwice: (command: Command) => `--uninstall does not go with "${command}".`,
  languageUnknown: '--lang is en or zh.',
  seeHelp: 'openviking-install --help shows the commands; after a command it lists what that one takes.',

  // Plan and report
  lookingAtClients: 'Asking the clients what they have',
  planTitle: (names: readonly string[]) => `Install OpenViking memory for ${names.join(', ')}:`,
  confirmPlan: 'Do this now?',
  change: (action: ChangeAction, path: string, files?: number) =>
    `${ACTIONS[action]} ${path}${files === undefined ? '' : ` (${files} ${files === 1 ? 'file' : 'files'})`}`,
  modeChange: (from: string, to: string) => `permissions ${from} -> ${to}`,
  dryRunEnd: 'Dry run: nothing was written.',
  nothingToDo: 'Nothing to do: everything is in place.',
  installed: (name: string) => `${name}: installed`,
  upToDate: (name: string) => `${name}: already in place, nothing changed`,
  reportHooks: (path: string) => `hooks      ${path}`,
  reportServer: (path: string) => `MCP server ${path}`,
  reportSetting: (path: string) => `setting    ${path}`,
  reportOwned: (kind: keyof typeof OWNED, path: string) => `${OWNED[kind].padEnd(10)} ${path}`,
  reportConnection: (url: string, key: string | undefined) =>
    `Connection: ${url}, ${key === undefined ? 'no API key' : `API key ${key}`}`,
  next: 'What to do next:',
  notInstalled: (names: readonly string[]) =>
    names.length === 0 ? 'Nothing is installed: nothing to do.' : `${names.join(', ')}: not installed, nothing to do.`,
  installing: 'Installing',
  removing: 'Removing',
  uninstalledNext: (name: string) =>
    `A conversation that is open in ${name} keeps what it began with: close it, or start ${name} anew.`,
  uninstalled: (name: string) => `${name}: removed`,
  kept: (purge: boolean): string =>
    purge ? 'These stay, as they were there before or hold something of yours:' : 'These stay:',
  keptNext: 'openviking-install uninstall --purge takes these as well, memories and undelivered turns included.',
  remainsRemoved: 'What an earlier installation had left was removed.',
  connectionKept: (path: string, fields: readonly string[]) =>
    `${path}: ${fields.join(', ')} ${fields.length === 1 ? 'has' : 'have'} changed since the installation and ${fields.length === 1 ? 'stays' : 'stay'}.`,
  connectionCleared: (path: string, fields: readonly string[]) =>
    `${path}: ${fields.join(', ')} ${fields.length === 1 ? 'was' : 'were'} cleared on request; the value of before was not kept.`,
  keyOfOther: (path: string, url: string) =>
    `${path}: the key that was there is the one of ${url}, and is not carried over. It is kept in this file: --url with the old address, or --previous, takes it up again. If the new server wants a key, run this again with --api-key-stdin.`,
  purgeOthers: (ids: readonly string[]) =>
    `--purge waits until the last client goes; still installed: ${ids.join(', ')}.`,
  purgeFound: (path: string) => `${path} was there before the installation and stays.`,
  undelivered: (turns: number, deadLetters: number) =>
    `${turns} conversation ${turns === 1 ? 'turn has' : 'turns have'} not been delivered to a server yet${deadLetters === 0 ? '' : `, and ${count(deadLetters, 'message')} that it refused ${deadLetters === 1 ? 'is' : 'are'} kept`}; --purge deletes ${turns + deadLetters === 1 ? 'it' : 'them'}.`,
  localMemories: (path: string, bytes: number, memories: number | undefined) =>
    `${memories === undefined ? 'the memories of the local server are' : memories === 1 ? '1 memory of the local server is' : `${memories} memories of the local server are`} in ${path} (${Math.ceil(bytes / 1024)} KB) and nowhere else; --purge deletes ${memories === 1 ? 'it' : 'them'}.`,
  undeliveredNext: 'Nothing was removed. Add --yes if that is what you want.',
  confirmPurge: 'Delete everything, undelivered turns and local memories included?',

  // Guided run
  guidedTitle: 'OpenViking memory for coding agents',
  guidedClients: 'Which clients shall remember? (arrows, space; enter goes on)',
  guidedFound: (place: string) => `found: ${place}`,
  guidedInstalled: 'installed',
  guidedInstalledAt: (place: string) => `installed; found: ${place}`,
  guidedNotFound: 'not found on this machine',
  guidedNoClient: 'Mark at least one with the space bar, or leave with Esc.',
  guidedConnection: 'Where shall the memories be kept? (arrows; enter goes on)',
  guidedKeep: 'Where they are now',
  guidedLocal: 'On this machine',
  guidedLocalHint: 'a small server; nothing else is needed',
  guidedOwn: 'On a server of your own',
  guidedOwnHint: 'you know its address',
  guidedCloud: 'In OpenViking Cloud',
  guidedCloudHint: 'you have an API key for it',
  guidedUrl: 'Address of the server',
  guidedUrlWrong: 'Write the base address: http:// or https://, a host, no path of the API.',
  guidedKey: 'API key (what you type stays hidden)',
  guidedKeyOptional: 'API key (what you type stays hidden; empty for none)',
  guidedKeyWrong: 'A key has no spaces in it, and only plain letters, digits and signs.',
  guidedKeyMissing: 'OpenViking Cloud needs a key.',
  guidedMemories: (place: string) => `Memories: ${place}`,
  guidedOwnFolder: (changes: number, folder: string) => `${count(changes, 'change')} in our own folder, ${folder}`,
  guidedYes: 'Yes',
  guidedNo: 'No',

  // The earlier installer's queue
  queueTakenOver: (messages: number, folder: string) =>
    `${count(messages, 'message')} that the earlier installer's hooks could not deliver ${messages === 1 ? 'was' : 'were'} taken over and ${messages === 1 ? 'goes' : 'go'} out as soon as the server takes ${messages === 1 ? 'it' : 'them'}. The files are kept in ${folder}.`,
  queueWaiting: (files: number, folder: string) =>
    `${count(files, 'request')} of the earlier installer's hooks would be taken over from ${folder}.`,
  queueInFlight: (files: number, folder: string) =>
    `${count(files, 'request')} in ${folder} ${files === 1 ? 'is' : 'are'} being sent by a hook of the earlier installer. Run this again in ten minutes, to take over what it leaves.`,
  queueUnreadable: (path: string) => `${path} cannot be understood and stays where it is; look at it and delete it.`,
  queueFailed: (folder: string, code: string) =>
    `what the earlier installer's hooks left in ${folder} could not be taken over whole (${code}). Nothing of it is lost: run this again.`,

  // Status
  statusClient: ({ name, wiring, version, payload, problems, foundAt }: ClientLine) => {
    if (wiring === 'absent') return `${name}: not installed${foundAt === undefined ? '' : ` (found: ${foundAt})`}`;
    const state = wiring === 'wired' ? 'installed' : 'installed, but incomplete';
    return `${name}: ${state}, version ${version}, program files ${payload}, ${problems === 0 ? 'healthy' : count(problems, 'problem')}`;
  },
  statusLastHook: (run: LastRun | undefined) =>
    `last hook     ${run === undefined ? 'none has run yet' : `${run.entry}, ${lastText(run)}`}`,
  statusLastRecall: (run: LastRun | undefined) => `last recall   ${run === undefined ? 'none yet' : lastText(run)}`,
  statusLastCapture: (run: LastRun | undefined) => `last capture  ${run === undefined ? 'none yet' : lastText(run)}`,
  statusWiredElsewhere: (variable: string, there: string | undefined, here: string | undefined) =>
    `wired ${there === undefined ? `without ${variable}` : `with ${variable}=${there}`}; in this shell it is ${here === undefined ? 'not set' : here}`,
  statusYields: (other: string) => `inside ${other}: left to the integration of ${other}`,
  statusHere: (what: string, file: string | undefined) =>
    file === undefined ? `In this folder: ${what}` : `In this folder, by ${file}: ${what}`,
  statusSettings: (all: boolean): string => (all ? 'Settings:' : 'Settings that differ from the default:'),
  statusSettingsNone: 'Settings: all at their defaults',
  statusMore: (problems: number) =>
    `${count(problems, 'problem')}. What ${problems === 1 ? 'it means' : 'each means'} and what to do: openviking-install doctor`,
  statusNext: (command: string) => `Next: ${command}`,
  statusServer: (url: string, state: 'ready' | 'rejected' | 'unhealthy' | 'unreachable') =>
    `Server: ${url}, ${{ ready: 'ready', rejected: 'refuses the API key', unhealthy: 'not healthy', unreachable: 'does not answer' }[state]}`,
  statusLocal: (port: number, pid: number | undefined) =>
    `Local server: port ${port}, ${pid === undefined ? 'not running (a hook starts it)' : `running as process ${pid}`}`,
  statusElsewhere: (turns: number) =>
    `${count(turns, 'turn')} ${turns === 1 ? 'waits' : 'wait'} for a hook with the environment ${turns === 1 ? 'it was' : 'they were'} said in (other OPENVIKING_* variables than here). If these are the new ones: openviking-install spool retry --here`,
  statusSpool: (turns: number, oldestMs: number | undefined, blocked: number) => {
    if (turns === 0) return 'Undelivered turns: none';
    const prospect =
      blocked === 0
        ? 'sent when the server answers'
        : `${blocked === turns ? '' : `${blocked} of them `}blocked: the server refuses the key`;
    return `Undelivered turns: ${turns}${oldestMs === undefined ? '' : `, the oldest ${agoText(oldestMs)} old`} (${prospect})`;
  },
  statusDelivery: (
    url: string,
    successMs: number | undefined,
    lastError: string | undefined,
    waitMs: number | undefined,
  ) =>
    [
      `to ${url}: ${successMs === undefined ? 'nothing delivered yet' : `last delivered ${agoText(successMs)} ago`}`,
      ...(lastError === undefined ? [] : [`last error ${lastError}`]),
      ...(waitMs === undefined ? [] : [`next attempt in ${agoText(waitMs)}`]),
    ].join(', '),
  statusFailing: (session: string, lastError: string, waitMs: number | undefined) =>
    [
      `${session}: last error ${lastError}`,
      ...(waitMs === undefined ? [] : [`next attempt in ${agoText(waitMs)}`]),
    ].join(', '),
  statusFailingMore: (conversations: number) => `and ${conversations} more: openviking-install spool list`,

  // Spool
  spoolEmpty: 'Nothing waits for a server.',
  spoolConversation: (conversation: {
    readonly depth: number;
    readonly deadLetters: number;
    readonly oldestMs: number | undefined;
    readonly state: 'delivering' | 'elsewhere' | 'blocked' | 'backing-off' | 'waiting' | 'refused';
    readonly lastError?: string | undefined;
  }) => {
    const { depth, deadLetters, oldestMs, state, lastError } = conversation;
    return [
      `${count(depth, 'turn')}${oldestMs === undefined ? '' : `, the oldest ${agoText(oldestMs)} old`}`,
      ...(deadLetters === 0 ? [] : [count(deadLetters, 'dead letter')]),
      {
        delivering: 'being delivered now',
        elsewhere:
          'waits for a hook with the environment it was said in (other OPENVIKING_* variables than here); if these are the new ones: spool retry --here',
        blocked: 'blocked: the server has refused the credentials',
        'backing-off': 'waiting for the next attempt',
        waiting: 'sent when the server answers',
        refused: 'nothing else waits',
      }[state],
      ...(lastError === undefined ? [] : [`last error ${lastError}`]),
    ].join('; ');
  },
  spoolLastSuccess: (ms: number | undefined) =>
    ms === undefined ? 'nothing of it delivered yet' : `last delivered ${agoText(ms)} ago`,
  spoolListNext: 'More: openviking-install spool show ID. Send now: spool retry. Throw away: spool drop ID.',
  spoolEntry: ({
    at,
    messages,
    reason,
  }: {
    readonly at?: string;
    readonly messages: number;
    readonly reason?: string;
  }) =>
    at === undefined
      ? 'damaged, cannot be read'
      : `${at}, ${count(messages, 'message')}${reason === undefined ? '' : `, refused: ${reason}`}`,
  spoolRequeued: (letters: number) =>
    `${count(letters, 'dead letter')} put back at the end of ${letters === 1 ? 'its conversation' : 'their conversations'}.`,
  spoolStarted: (conversations: number) =>
    `Delivery of ${count(conversations, 'conversation')} has started. How it goes: openviking-install status`,
  spoolElsewhere: (conversations: number) =>
    `${count(conversations, 'conversation')} ${conversations === 1 ? 'waits' : 'wait'} for a hook with other OPENVIKING_* variables than here. If these are the new ones: openviking-install spool retry --here`,
  spoolHere: (turns: number, ids: readonly string[], urls: readonly string[]) =>
    `This sends ${count(turns, 'turn')} of ${ids.join(', ')} to ${urls.join(' and ')}, with the key that counts here. ${turns === 1 ? 'It was' : 'They were'} said with other OPENVIKING_* variables, and will be memories of the one whose key this is.`,
  spoolHereConfirm: 'Send them from here?',
  spoolHereUnconfirmed:
    'spool retry --here asks before it sends turns with another key or address, and there is nobody to ask.',
  spoolHereNext: 'Nothing was changed. Add --yes if these turns belong to the key that counts here.',
  spoolHereBusy: (id: string) => `a delivery worker has ${id} right now, and it was left as it is. Run this again.`,
  spoolHereMisplaced: '--here goes with spool retry.',
  spoolNoClient: 'no installed client can deliver this. Install one first: openviking-install --harness zcode',
  spoolUnreadable: (id: string) =>
    `${id} is damaged and cannot be sent. Look at it with spool show, or remove it with spool drop.`,
  spoolUnknown: 'There is nothing of that id in the spool.',
  spoolUnknownNext: 'openviking-install spool list shows what there is.',
  spoolGone: 'It is not there any more: it has been delivered or dropped meanwhile.',
  spoolDropWhole: (id: string, turns: number, letters: number) =>
    `This removes from ${id}: ${count(turns, 'turn')} and ${count(letters, 'dead letter')}, and with them what the server does not have yet.`,
  spoolDropOne: (id: string, entry: { readonly at?: string; readonly messages: number; readonly reason?: string }) =>
    `This removes ${id}: ${entry.at === undefined ? 'damaged' : `of ${entry.at}, ${count(entry.messages, 'message')}`}. The server does not have it.`,
  spoolConfirm: 'Remove it for good?',
  spoolUnconfirmed: 'spool drop asks before it removes anything, and there is nobody to ask.',
  spoolBusy: 'A delivery worker has this conversation right now.',
  spoolBusyNext: 'Nothing was removed. Wait a moment, then run this again.',
  spoolUnderWay: 'The server may have got a part of this turn already; only another attempt can find out.',
  spoolUnderWayNext:
    'Nothing was removed. Try to send it with openviking-install spool retry, or drop the conversation as a whole.',
  spoolDropped: (id: string) => `${id}: removed`,

  // Doctor
  doctorLooking: 'Looking at everything',
  doctorRepaired: 'Repaired:',
  doctorSummary: (errors: number, warnings: number, remarks: number) =>
    errors + warnings + remarks === 0
      ? 'Everything is in order.'
      : [
          ...(errors === 0 ? [] : [count(errors, 'error')]),
          ...(warnings === 0 ? [] : [count(warnings, 'warning')]),
          ...(remarks === 0 ? [] : [count(remarks, 'remark')]),
        ].join(', '),
  doctorFixable: (findings: number) =>
    `${findings === 1 ? 'One of them has' : `${findings} of them have`} a safe repair: openviking-install doctor --fix`,

  // Help
  helpOwnOptions: 'Options of this command',
  helpCommonOptions: 'Options of every command',
  helpExamples: 'Examples',
  helpExitCodes: 'Exit codes',
  helpMore:
    'openviking-install COMMAND --help lists every option of that command, with examples and exit codes; --lang zh speaks Chinese.',
  helpUsageLine: 'openviking-install [COMMAND] [OPTIONS]',
  helpAboutInstall:
    'Wires the clients that --harness names, or every client that is found, and stores the connection. On a terminal it shows what it will change and asks; without one, and with --yes, it does not ask. Running it again repairs and updates; what is in place is not touched.',
  helpAboutUninstall:
    'Gives every file of the clients back as it was before the installation. Memories, queue and connection stay, unless --purge takes them as well; where that would lose memories or undelivered turns it asks, and without a terminal it ends with 1 until --yes is added.',
  helpAboutStatus:
    'Shows per client whether it is wired and when a hook last ran, recalled and captured; then the server, what waits for it, and the settings that count in the folder where it is run. It changes nothing.',
  helpAboutDoctor:
    'Examines wiring, program files, server, settings and queue, and says for each problem where it is and what to do. It changes nothing without --fix.',
  helpAboutSpool:
    'Shows the turns that no server has taken yet. retry sends them now, show prints one, drop removes one for good and asks first.',
  helpExitDone: 'done; for status and doctor: nothing is wrong',
  helpExitFailed: (command: Command): string =>
    command === 'doctor'
      ? 'there are errors; with --strict also: there are warnings'
      : 'failed, everything was put back; with --strict also: there are warnings',
  helpExitUsage: 'the command line is wrong; nothing was changed',
  helpExitWarnings: 'done, with warnings',
  helpExitInterrupted: 'interrupted; everything is as it was',
  helpTitle: 'openviking-install: long-term memory for coding agents, kept by an OpenViking server',
  helpUsage: 'Usage',
  helpCommands: 'Commands',
  helpOptions: 'Options used most',
  helpCommandInstall: 'wire the clients or bring them up to date; asks on a terminal (default)',
  helpCommandUninstall: 'take everything out again',
  helpCommandStatus: 'show what is installed and whether it works',
  helpCommandDoctor: 'examine everything, say what is wrong and what to do',
  helpHere: 'with spool retry: send from here what was said with other variables',
  helpCommandSpool: 'look at what waits for the server, send it again, or drop it',
  helpHarness: (command: Command | undefined) =>
    `clients, comma-separated or repeated; default: those ${command === 'install' ? 'found' : command === 'uninstall' ? 'installed' : 'found or installed'}`,
  helpAll: (command: Command | undefined) =>
    `every client that is ${command === 'uninstall' ? 'installed' : 'found'}: what counts without --harness`,
  helpUrl: 'address of the OpenViking server',
  helpApiKey: "API key; '' clears the stored one",
  helpApiKeyEnv: 'take the API key from this environment variable',
  helpApiKeyStdin: 'read the API key from stdin, so that no process list shows it',
  helpPrevious: 'go back to the earlier address and key that are kept in ovcli.conf',
  helpAccount: 'account, for servers in trusted mode',
  helpUser: 'user, for servers in trusted mode',
  helpLocal: 'use the embedded local server: nothing else is needed',
  helpDist: 'where a marketplace plugin comes from; default: npm, this package, without a download',
  helpSource: 'how: the client clones a repository, an archive is fetched, or this checkout',
  helpClaudeBin: 'commands of Claude Code to wire, by name or path; default: claude',
  helpStatusLine: 'show the state of the memory in Claude Code’s status line',
  helpNoStatusLine: 'take our status line out again',
  helpHooksOnly: 'only the hooks: recall and capture, no memory tools',
  helpMcpOnly: 'only the memory tools, no hooks',
  helpDryRun: (command: Command | undefined) =>
    `${command === 'doctor' ? 'with --fix: ' : ''}show the changes as diffs, write nothing`,
  helpKeepGoing: 'go on with the other clients when one is refused',
  helpPurge: 'also remove memories, queue and connection that we made',
  helpFix: 'repair what has exactly one safe repair, and nothing else',
  helpSettings: 'every setting with the place that set it',
  helpYes: 'ask nothing',
  helpJson: 'one JSON document on stdout, all else on stderr',
  helpStrict: 'end with 1 instead of 3 when there are warnings',
  helpLang: 'language; default from OPENVIKING_LANG, LC_ALL, LANG',
  helpHome: 'act on another home folder',
  helpUninstall: 'older spelling of the command uninstall',
  helpVersion: 'show the version',
  helpHelp: 'show this',
  helpClients: (ids: readonly string[]) => `Clients in this release: ${ids.join(', ')}.`,
};

export type Messages = typeof ENGLISH;

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function lastText({ agoMs, durationMs, outcome, tokens }: LastRun): string {
  return [
    `${agoText(agoMs)} ago`,
    ...(durationMs === undefined ? [] : [`${Math.round(durationMs)} ms`]),
    ...(outcome === undefined ? [] : [outcome]),
    ...(tokens === undefined ? [] : [`${Math.round(tokens)} tokens`]),
  ].join(', ');
}

function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}
