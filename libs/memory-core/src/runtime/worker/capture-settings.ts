/** The settings by which the worker captures: those of the conversation's folder, not those of the shell that started it. */
import type { ResolvedSettings } from '../../contract/settings.ts';
import type { SanitiseRules } from '../../privacy/pipeline.ts';
import { loadSettings } from '../../settings/load.ts';
import { loadFilters } from '../neighbour.ts';
import { sanitiseRules } from '../open-session.ts';
import type { Worker } from './worker.ts';

/** Settings and rules of a conversation in `cwd`, as a hook there would have them. */
export function captureSettings(
  worker: Worker,
  cwd: string,
  env = worker.env,
): { settings: ResolvedSettings['settings']; rules: SanitiseRules } {
  const { settings } = loadSettings({
    harness: worker.harness.declaration.id,
    defaults: worker.harness.declaration.settingDefaults,
    home: worker.home,
    cwd,
    env,
  });
  const rules = sanitiseRules(worker.harness, settings, { loadFilters });
  return { settings, rules };
}
