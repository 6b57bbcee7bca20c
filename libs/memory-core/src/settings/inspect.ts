/**
 * Loads settings as a hook does, and says in words what is wrong with them. For doctor, `status` and the installer; kept
 * apart from the loader so that no hook carries sentences and spelling suggestions.
 */
import type { Finding } from '../contract/finding.ts';
import type { Connection, ResolvedSettings, SettingsContext } from '../contract/settings.ts';
import { betterBaseUrl } from './base-url.ts';
import { explainProblem } from './explain.ts';
import type { FileReader } from './file-reader.ts';
import { loadSettings } from './load.ts';
import type { FindingsWriter } from './load.ts';
import { unknownKeys } from './unknown-keys.ts';

/** `loadSettings` with every finding: unknown and forbidden keys with suggestions, places in broken files, odd addresses. */
export function inspectSettings(context: SettingsContext, reader?: FileReader): ResolvedSettings {
  return loadSettings(context, { findings: writer, ...(reader === undefined ? {} : { reader }) });
}

const writer: FindingsWriter = {
  explain: explainProblem,
  further: (context, sources, sections, { settings, connection }) => [
    ...baseUrlFinding(connection),
    ...unknownKeys(context, sources, sections, settings),
  ],
};

function baseUrlFinding({ baseUrl, source }: Connection): readonly Finding[] {
  const better = betterBaseUrl(baseUrl);
  if (better === undefined) return [];
  return [
    {
      code: 'connection/base-url',
      severity: 'error',
      message: `The server address from ${source.url} ${better.problem}.`,
      fix: `Write ${better.write} instead.`,
    },
  ];
}
