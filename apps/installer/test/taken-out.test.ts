/**
 * Clients that were installed together are taken out in any order and in any groups: what goes takes nothing of the others
 * with it, and the last leaves every byte as it was. A sample by default; `OPENVIKING_ORDERS=all`, which
 * `npm run e2e:orders` sets, tries every order and every group, any other value draws another sample.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, searchTree, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { keepHome } from './support/kept-home.ts';
import { runInProcess, shippedPayloads } from './support/in-process.ts';
import { NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import { ALL, differences, FILES, seedHome, SEEDS } from './support/user-files.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { KeptHome } from './support/kept-home.ts';
import type { Ended, Payloads } from './support/in-process.ts';
import type { Seed } from './support/user-files.ts';

const CHOICE = process.env['OPENVIKING_ORDERS'] ?? 'verify';
const TRIES_ALL = CHOICE === 'all';
/** How many orders and groups a sample has, for each home. */
const SAMPLE = { orders: 10, groups: 4 };
const LIMIT_MS = TRIES_ALL ? 3_600_000 : 1_800_000;

let claude: FakeClaude;
let payloads: Payloads;
beforeAll(() => {
  claude = createFakeClaude();
  payloads = shippedPayloads();
});
afterAll(() => {
  claude.remove();
  payloads.remove();
  const { orders, groups, runs, again } = figures;
  process.stdout.write(
    `taken out: ${orders} orders of ${ALL.length} clients and ${groups} groups with the rest after them, on two homes ` +
      `(${TRIES_ALL ? 'all there are' : `sample "${CHOICE}"`}); ${runs} uninstallations, all byte-exact; ` +
      `installed again ${again} times, nothing changed\n`,
  );
});
const figures = { orders: 0, groups: 0, runs: 0, again: 0 };

/** Spelled in five ways, as the files of one user are: they come from five programs. */
const SPELLINGS = [
  'tabs',
  'CRLF, tabs, no final newline',
  'one compact line',
  'four spaces, no final newline',
  'byte order mark and CRLF',
];
const VALUES = Object.values(FILES).flatMap((files) => Object.values(files));
const HOMES: Readonly<Record<string, Seed>> = {
  'an empty home': {},
  'a home with the files of all': {
    text: (value) => SEEDS[SPELLINGS[VALUES.indexOf(value) % SPELLINGS.length] ?? '']?.text?.(value) ?? '',
  },
};

const run = (home: TemporaryHome, ...args: readonly string[]): Promise<Ended> =>
  runInProcess(args, {
    home: home.path,
    payloadRoot: payloads.folder,
    env: { PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin` },
  });
const install = (home: TemporaryHome): Promise<Ended> =>
  run(home, 'install', '--harness', ALL.join(), '--url', NO_SERVER, '--yes');

/** A home before and after all clients were installed. */
interface Installed {
  readonly home: TemporaryHome;
  readonly before: TreeSnapshot;
  readonly after: TreeSnapshot;
}

async function withInstalled(seed: Seed, work: (installed: Installed) => Promise<void>): Promise<void> {
  await withHome(async (home) => {
    seedHome(home, seed);
    const before = snapshotTree(home.path);
    // 3: the server does not answer.
    expect((await install(home)).code).toBe(3);
    const after = snapshotTree(home.path);
    expect(ALL.filter((client) => !isWired(after, client))).toEqual([]);
    expect(pluginCopies(after)).not.toEqual([]);
    await installAgain({ home, before, after });
    await work({ home, before, after });
  });
}

/** A second installation of what is installed changes nothing. */
async function installAgain({ home, after }: Installed): Promise<void> {
  await install(home);
  const changed = diffTrees(after, snapshotTree(home.path));
  // What Claude Code notes at each of its starts is not ours.
  expect(changed.filter(({ path }) => path !== '.claude.json').map(describeDifference)).toEqual([]);
  figures.again += 1;
}

const folderOf = (client: string): string => `.openviking/agent-integrations/${client}`;
const isWired = (tree: TreeSnapshot, client: string): boolean => tree.has(folderOf(client));
/** Copies that Claude Code has made of our plugin. */
const pluginCopies = (tree: TreeSnapshot): readonly string[] =>
  [...tree.keys()].filter((path) => path.startsWith('.claude/plugins/cache/') && path.includes('openviking'));

/** Takes clients out and looks at every file of every client, and at our own. */
async function takeOut({ home, before, after }: Installed, gone: readonly string[], now: readonly string[]) {
  const end = await run(home, 'uninstall', '--harness', now.join(), '--purge', '--yes');
  expect(end).toMatchObject({ code: 0, stderr: '' });
  figures.runs += 1;
  const out = [...gone, ...now];
  const tree = snapshotTree(home.path);
  for (const [client, files] of Object.entries(FILES)) {
    const isOut = out.includes(client);
    // Claude Code writes its state at every start.
    for (const path of Object.keys(files).filter((file) => file !== '.claude.json'))
      expect([path, tree.get(path)]).toEqual([path, (isOut ? before : after).get(path)]);
    const ours = (one: TreeSnapshot): TreeSnapshot =>
      new Map([...one].filter(([path]) => `${path}/`.startsWith(`${folderOf(client)}/`)));
    expect(diffTrees(isOut ? new Map() : ours(after), ours(tree)).map(describeDifference)).toEqual([]);
  }
  if (out.includes('claude')) expect(pluginCopies(tree)).toEqual([]);
  if (out.length < ALL.length) return;
  expect(differences(before, home)).toEqual([]);
  expect(searchTree(home.path, 'openviking')).toEqual([]);
}

/** Clients that go first, and then one after the other: what orders have in common is done once. */
async function takeOutInOrders(installed: Installed, orders: readonly Order[], gone: readonly string[]): Promise<void> {
  const heads = [...new Set(orders.map((order) => order[gone.length] ?? ''))];
  if (gone.length === ALL.length) {
    figures.orders += 1;
    return;
  }
  const kept: KeptHome | undefined = heads.length > 1 ? keepHome(installed.home) : undefined;
  try {
    for (const [index, head] of heads.entries()) {
      if (index > 0) kept?.restore();
      await takeOut(installed, gone, [head]);
      const those = orders.filter((order) => order[gone.length] === head);
      await takeOutInOrders(installed, those, [...gone, head]);
    }
  } finally {
    kept?.remove();
  }
}

type Order = readonly string[];

function ordersOf(clients: readonly string[]): readonly Order[] {
  if (clients.length === 0) return [[]];
  return clients.flatMap((head) =>
    ordersOf(clients.filter((client) => client !== head)).map((tail) => [head, ...tail]),
  );
}

/** Every group of at least one client. */
function groupsOf(clients: readonly string[]): readonly Order[] {
  return Array.from({ length: 2 ** clients.length - 1 }, (_, bits) =>
    clients.filter((_client, index) => ((bits + 1) & (1 << index)) !== 0),
  );
}

/** Drawn by the seed; all of them when all are asked for. */
function drawn(items: readonly Order[], count: number, place: string): readonly Order[] {
  if (TRIES_ALL) return items;
  const lot = (item: Order): string => createHash('sha256').update(`${CHOICE} ${place} ${item.join()}`).digest('hex');
  return [...items].sort((one, other) => (lot(one) < lot(other) ? -1 : 1)).slice(0, count);
}

describe.each(Object.entries(HOMES))('on %s', (place, seed) => {
  it(
    'one after the other, in any order',
    () =>
      withInstalled(seed, (installed) => takeOutInOrders(installed, drawn(ordersOf(ALL), SAMPLE.orders, place), [])),
    LIMIT_MS,
  );

  it(
    'a group at once, and the rest after it, or all again',
    () =>
      withInstalled(seed, async (installed) => {
        const whole = keepHome(installed.home);
        try {
          for (const group of drawn(groupsOf(ALL), SAMPLE.groups, place)) {
            await takeOut(installed, [], group);
            const rest = ALL.filter((client) => !group.includes(client));
            if (rest.length > 0) {
              const part = keepHome(installed.home);
              await takeOut(installed, group, rest);
              part.restore();
              part.remove();
              await install(installed.home);
              const again = snapshotTree(installed.home.path);
              expect(ALL.filter((client) => !isWired(again, client))).toEqual([]);
              await takeOut(installed, [], ALL);
            }
            figures.groups += 1;
            whole.restore();
          }
        } finally {
          whole.remove();
        }
      }),
    LIMIT_MS,
  );
});
