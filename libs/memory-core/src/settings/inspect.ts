/**
 * Loads settings as a hook does, and says in words what is wrong with them. For doctor, `status` and the installer; kept
 * apart from the loader so that no hook carries sentences and spelling suggestions.
 */
import type { Finding } from '../contract/finding.ts';
import type { Localized } from '../contract/harness.ts';
import type { Connection, ResolvedSettings, SettingsContext } from '../contract/settings.ts';
import { betterBaseUrl } from './base-url.ts';
import type { BetterBaseUrl } from './base-url.ts';
import { explainProblem } from './explain.ts';
import type { FileReader } from './file-reader.ts';
import { loadSettings } from './load.ts';
import type { FindingsWriter } from './load.ts';
import { shadowedValues } from './shadowed.ts';
import { unknownKeys } from './unknown-keys.ts';

/** `loadSettings` with every finding: unknown and forbidden keys with suggestions, places in broken files, odd addresses. */
export function inspectSettings(
  context: SettingsContext,
  reader?: FileReader,
  language: keyof Localized = 'en',
): ResolvedSettings {
  return loadSettings(context, { findings: writerIn(language), ...(reader === undefined ? {} : { reader }) });
}

function writerIn(language: keyof Localized): FindingsWriter {
  return {
    explain: (problem) => explainProblem(problem, language),
    further: (context, sources, sections, { settings, connection }) => [
      ...baseUrlFinding(connection, language),
      ...unknownKeys(context, sources, sections, settings, language),
      ...shadowedValues(context, sources, sections, language),
    ],
  };
}

function baseUrlFinding({ baseUrl, source }: Connection, language: keyof Localized): readonly Finding[] {
  const better = betterBaseUrl(baseUrl);
  if (better === undefined) return [];
  return [
    {
      code: 'connection/base-url',
      severity: 'error',
      message: {
        en: `The server address from ${source.url} ${better.problem}.`,
        zh: `来自 ${source.url} 的服务器地址${ADDRESS_PROBLEMS[better.kind]}。`,
      }[language],
      fix: { en: `Write ${better.write} instead.`, zh: `请改写为 ${better.write}。` }[language],
    },
  ];
}

const ADDRESS_PROBLEMS: Readonly<Record<BetterBaseUrl['kind'], string>> = {
  blanks: '含有空白字符',
  scheme: '没有以 http:// 或 https:// 开头',
  invalid: '不是有效的 URL',
  'api-path': '以 API 路径结尾，而该路径会自动添加',
};
