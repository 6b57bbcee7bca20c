#!/usr/bin/env node
// A strict stand-in for the `claude` program: what its plugin commands do to the user's files was read off version 2.1.332
// (settings written anew in an order of their own, strict JSON only, emptied maps left behind, the cache copy kept at
// removal). `<program>.behaviour.json` beside it changes how it behaves; every call is written to `<program>.log`.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const program = process.argv[1];
const args = process.argv.slice(2);
const behaviour = existsSync(`${program}.behaviour.json`)
  ? JSON.parse(readFileSync(`${program}.behaviour.json`, 'utf8'))
  : {};
const line = args.join(' ');
appendFileSync(`${program}.log`, `${line}\n`);
appendFileSync(`${program}.env.log`, `${JSON.stringify(process.env)}\n`);

const root = process.env.CLAUDE_CONFIG_DIR ?? join(process.env.HOME, '.claude');
const settingsFile = join(root, 'settings.json');
const knownFile = join(root, 'plugins/known_marketplaces.json');
const installedFile = join(root, 'plugins/installed_plugins.json');

function fail(text) {
  process.stderr.write(`✘ ${text}\n`);
  process.exit(1);
}

function read(file, fallback) {
  const text = existsSync(file) ? readFileSync(file, 'utf8').replace(/^\uFEFF/, '') : '';
  return text.trim() === '' ? fallback : JSON.parse(text);
}

function readSettings() {
  try {
    return read(settingsFile, {});
  } catch {
    return fail(`Invalid JSON syntax in settings file at ${settingsFile}`);
  }
}

/** Its own state: it refuses to start with a broken one, a comment included. */
function readState(file) {
  try {
    return read(file, { installs: 1 });
  } catch {
    return fail(`Configuration error in ${file}`);
  }
}

function write(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** The real program brings the keys into an order of its own. */
function writeSettings(settings) {
  write(settingsFile, Object.fromEntries(Object.entries(settings).sort(([one], [other]) => (one < other ? 1 : -1))));
}

function readMarketplace(folder) {
  const marketplace = read(join(folder, '.claude-plugin/marketplace.json'), {});
  if (typeof marketplace.owner !== 'object') fail('Invalid schema: owner: Invalid input: expected object');
  return marketplace;
}

/** A shallow clone, as the real program makes it: a server that only serves files cannot give one. */
function addFromGit(url) {
  const folder = join(root, 'plugins/marketplaces');
  mkdirSync(folder, { recursive: true });
  const fresh = join(folder, `temp_git_${process.pid}`);
  const { status, stderr } = spawnSync('git', ['clone', '--quiet', '--depth', '1', url, fresh], { encoding: 'utf8' });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    fail(`Failed to add marketplace: Failed to clone marketplace repository: ${stderr}`);
  }
  const { name } = readMarketplace(fresh);
  const installLocation = join(folder, name);
  rmSync(installLocation, { recursive: true, force: true });
  renameSync(fresh, installLocation);
  const settings = readSettings();
  settings.extraKnownMarketplaces = { ...settings.extraKnownMarketplaces, [name]: { source: { source: 'git', url } } };
  write(knownFile, { ...read(knownFile, {}), [name]: { source: { source: 'git', url }, installLocation } });
  writeSettings(settings);
}

const commands = {
  'plugin marketplace add': ([folder]) => {
    if (/^https?:/.test(folder)) return addFromGit(folder);
    const { name } = readMarketplace(folder);
    const settings = readSettings();
    settings.extraKnownMarketplaces = {
      ...settings.extraKnownMarketplaces,
      [name]: { source: { source: 'directory', path: folder } },
    };
    write(knownFile, { ...read(knownFile, {}), [name]: { source: { source: 'directory', path: folder } } });
    writeSettings(settings);
  },
  'plugin install': ([id]) => {
    const [plugin, market] = id.split('@');
    const known = read(knownFile, {})[market];
    if (known === undefined) fail(`Plugin "${plugin}" not found in marketplace "${market}"`);
    const source = join(known.source.path ?? known.installLocation, 'plugins', plugin);
    const { version } = read(join(source, '.claude-plugin/plugin.json'));
    const settings = readSettings();
    const installed = read(installedFile, { version: 2, plugins: {} });
    if (installed.plugins[id] === undefined) {
      const installPath = join(root, 'plugins/cache', market, plugin, version);
      cpSync(source, installPath, { recursive: true });
      installed.plugins[id] = [{ scope: 'user', installPath, version }];
      write(installedFile, installed);
    }
    settings.enabledPlugins = { ...settings.enabledPlugins, [id]: true };
    writeSettings(settings);
  },
  'plugin uninstall': ([id]) => {
    const installed = read(installedFile, { version: 2, plugins: {} });
    if (installed.plugins[id] === undefined) fail(`Plugin "${id}" not found in installed plugins`);
    const settings = readSettings();
    delete installed.plugins[id];
    delete settings.enabledPlugins?.[id];
    write(installedFile, installed);
    writeSettings(settings);
  },
  'plugin marketplace remove': ([name]) => {
    const known = read(knownFile, {});
    if (known[name] === undefined) fail(`Marketplace '${name}' not found`);
    const settings = readSettings();
    if (known[name].installLocation !== undefined) rmSync(known[name].installLocation, { recursive: true });
    delete known[name];
    delete settings.extraKnownMarketplaces?.[name];
    write(knownFile, known);
    writeSettings(settings);
  },
  'plugin list --json': () => {
    const { plugins } = read(installedFile, { plugins: {} });
    const { enabledPlugins = {} } = readSettings();
    const known = read(knownFile, {});
    const list = Object.entries(plugins).map(([id, [entry]]) => {
      const [plugin, market] = id.split('@');
      const readFromFolder = known[market]?.source.path && join(known[market].source.path, 'plugins', plugin);
      return {
        id,
        version: entry.version,
        scope: 'user',
        enabled: enabledPlugins[id] === true,
        readFromFolder,
        ...entry,
      };
    });
    process.stdout.write(`${JSON.stringify(list, null, 2)}\n`);
  },
};

if (args[0] === '--version') {
  process.stdout.write(`${behaviour.version ?? '2.1.332'} (Claude Code)\n`);
} else if (line === 'plugin --help') {
  if (behaviour.hasPlugins === false) fail("unknown command 'plugin'");
} else {
  const name = Object.keys(commands).find((command) => line === command || line.startsWith(`${command} `));
  if (name === undefined || behaviour.hasPlugins === false) fail(`unknown command '${line}'`);
  if (behaviour.failAt === name) fail(`${name} fails here, with a reason`);
  // A minute at most, so that it does not outlive a test that fails.
  for (
    let looks = 0;
    behaviour.waitsFor !== undefined && !existsSync(behaviour.waitsFor) && looks < 6_000;
    looks += 1
  ) {
    await new Promise((done) => setTimeout(done, 10));
  }
  // State of its own, at every start.
  const state = process.env.CLAUDE_CONFIG_DIR ? join(root, '.claude.json') : `${root}.json`;
  write(state, readState(state));
  commands[name](args.slice(name.split(' ').length));
  if (behaviour.meanwhile?.at === name) writeSettings({ ...readSettings(), ...behaviour.meanwhile.settings });
}
