/** The same troubles in the files of every client: doctor goes by the declarations, and by nothing that it knows of one. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { CLIENTS } from '../src/clients/catalogue.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const IDS = CLIENTS.map(({ id }) => id);

interface Receipt {
  readonly configs: readonly {
    readonly path: string;
    readonly record: { readonly written: readonly { readonly path: readonly string[] }[] };
  }[];
}

/** Files of the client in which the installation wrote, and where. */
function written(home: TemporaryHome, id: string) {
  const receipt = JSON.parse(home.readText(`.openviking/install/receipts/${id}.json`)) as Receipt;
  return receipt.configs.flatMap(({ path: file, record }) => record.written.map(({ path }) => ({ file, path })));
}

/** Changes the value at a path of a file, the way another program does. */
function edit(
  file: string,
  path: readonly string[],
  change: (container: Record<string, unknown>, key: string) => void,
) {
  const root = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  let container = root;
  for (const key of path.slice(0, -1)) container = container[key] as Record<string, unknown>;
  change(container, path.at(-1) ?? '');
  writeFileSync(file, `${JSON.stringify(root, null, 2)}\n`);
}

const isList = (file: string, path: readonly string[]): boolean => {
  let found = false;
  edit(file, path, (container, key) => (found = Array.isArray(container[key])));
  return found;
};

async function withAll(work: (home: TemporaryHome, healthy: TreeSnapshot) => Promise<void>): Promise<void> {
  await withHome(async (home) => {
    const args = ['--harness', IDS.join(','), '--home', home.path, '--yes', '--url', NO_SERVER];
    expect(await installer.run(args)).toMatchObject({ code: 3 });
    await work(home, snapshotTree(home.path));
  });
}

async function codes(home: TemporaryHome, ...args: readonly string[]): Promise<readonly string[]> {
  const run = await installer.run(['doctor', '--home', home.path, '--json', ...args]);
  const { findings } = JSON.parse(run.stdout) as { findings: readonly { code: string; severity: string }[] };
  const expected = /\/(not-started-yet|yields|unreachable)$/;
  return findings.filter(({ severity, code }) => severity !== 'ok' && !expected.test(code)).map(({ code }) => code);
}

/** What is left to be different after a repair, receipts aside. */
const differences = (healthy: TreeSnapshot, home: TemporaryHome): readonly string[] =>
  diffTrees(healthy, snapshotTree(home.path))
    .filter(({ path }) => !path.startsWith('.openviking/install/receipts/'))
    .map(describeDifference);

describe('all clients', () => {
  it('installed are in order', () => withAll(async (home) => expect(await codes(home)).toEqual([])));

  it('whose hooks were wiped are named one by one, and get them back', () =>
    withAll(async (home, healthy) => {
      for (const id of IDS) {
        for (const { file, path } of written(home, id)) {
          if (isList(file, path)) edit(file, path, (container, key) => delete container[key]);
        }
      }
      expect(await codes(home)).toEqual(IDS.map((id) => `${id}/hooks-wiped`));
      expect(await codes(home, '--fix', '--yes')).toEqual([]);
      expect(differences(healthy, home)).toEqual([]);
    }));

  it('with every hook twice are named, and lose the second ones', () =>
    withAll(async (home) => {
      for (const id of IDS) {
        for (const { file, path } of written(home, id)) {
          if (!isList(file, path)) continue;
          edit(file, path, (container, key) => {
            const list = container[key] as unknown[];
            container[key] = [...list, ...structuredClone(list)];
          });
        }
      }
      expect([...new Set(await codes(home))]).toEqual(IDS.map((id) => `${id}/entries-doubled`));
      expect(await codes(home, '--fix', '--yes')).toEqual([]);
    }));

  it('without the memory tools are named, and get them back', () =>
    withAll(async (home, healthy) => {
      for (const id of IDS) {
        for (const { file, path } of written(home, id)) {
          if (path.at(-1) === 'openviking') edit(file, path, (container, key) => delete container[key]);
        }
      }
      expect(await codes(home)).toEqual(IDS.map((id) => `${id}/entries-missing`));
      expect(await codes(home, '--fix', '--yes')).toEqual([]);
      expect(differences(healthy, home)).toEqual([]);
    }));

  it('of a home that was moved are told so, and get the launcher of this one', () =>
    withAll(async (home, healthy) => {
      for (const id of IDS) {
        for (const file of new Set(written(home, id).map((entry) => entry.file))) {
          writeFileSync(file, readFileSync(file, 'utf8').replaceAll(home.path, '/home/before'));
        }
      }
      expect([...new Set(await codes(home))]).toEqual(IDS.map((id) => `${id}/other-launcher`));
      expect(await codes(home, '--fix', '--yes')).toEqual([]);
      expect(differences(healthy, home)).toEqual([]);
    }));

  it('of which one does not parse are repaired but for that one', () =>
    withAll(async (home) => {
      const [broken = '', ...others] = IDS;
      for (const id of IDS) rmSync(home.at(`.openviking/agent-integrations/${id}/launch`));
      const file = written(home, broken)[0]?.file ?? '';
      writeFileSync(file, '{"a": ');
      const left = await codes(home, '--fix', '--yes');
      expect(left).toEqual([`${broken}/config-broken`]);
      for (const id of [broken, ...others]) expect(home.has(`.openviking/agent-integrations/${id}/launch`)).toBe(true);
      expect(readFileSync(file, 'utf8')).toBe('{"a": ');
    }));
});
