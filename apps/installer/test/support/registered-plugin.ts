/** Our plugin in a home of the client that the strict fake stands for: whether it is there, and what it has left behind. */
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';

export const SETTINGS = '.claude/settings.json';
export const ID = 'openviking-memory@openviking';

/** Settings in a hand of their own: what a program that writes them anew would not keep. */
export const SEED = '{\n\t"model": "opus", "big": 12345678901234567890,\n\t"hooks": {"Stop": []}\n}';

/** What differs, apart from the client's own bookkeeping. */
export function differences(before: TreeSnapshot, home: TemporaryHome): readonly string[] {
  const isBookkeeping = (path: string): boolean =>
    /^\.claude(\.json$|\/plugins|$)/.test(path) && !path.includes('cache/');
  return diffTrees(before, snapshotTree(home.path))
    .filter(({ path }) => !isBookkeeping(path) && path !== '.claude/plugins/cache')
    .map(describeDifference);
}

/** The client's settings, whoever wrote them last. */
export const settingsOf = (home: TemporaryHome) =>
  JSON.parse(home.readText(SETTINGS).replace(/^\uFEFF/, '')) as {
    enabledPlugins?: Record<string, boolean>;
    extraKnownMarketplaces?: Record<string, unknown>;
    hooks?: Record<string, unknown[]>;
    [key: string]: unknown;
  };

/** True when the client has our plugin and runs it. */
export const isRegistered = (home: TemporaryHome): boolean =>
  home.has(SETTINGS) &&
  settingsOf(home).enabledPlugins?.[ID] === true &&
  home.has('.claude/plugins/installed_plugins.json') &&
  home.readText('.claude/plugins/installed_plugins.json').includes(ID);
