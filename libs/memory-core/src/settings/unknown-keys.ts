/**
 * Finds what a user wrote and nothing reads: a mistyped setting looks exactly like one that does not work. Also names the
 * keys that a workspace file is not allowed to set. Doctor's part of the loader; hooks skip it.
 */
import type { Finding } from '../contract/finding.ts';
import type { Localized } from '../contract/harness.ts';
import type { Settings, SettingsContext } from '../contract/settings.ts';
import { isObject } from '../fs/json-object.ts';
import { PEER_VARIABLES, templatesOf } from '../workspace/peer.ts';
import { CREDENTIAL_VARIABLES, MODE_VARIABLES } from './connection.ts';
import { shownKey } from './explain.ts';
import { camelCase, harnessSpellings } from './layers.ts';
import type { Section, Sections } from './layers.ts';
import { declarationOf, environmentVariable, PLUGIN_CREDENTIALS, SETTING_NAMES, WORKSPACE_LABELS } from './schema.ts';
import type { Source, Sources } from './sources.ts';
import { nearest, normalKey } from './suggest.ts';

/** More than this from one place says nothing new, and a repository must not be able to flood a report. */
const MAX_PER_PLACE = 20;

/** Keys with which a workspace file would decide where data goes, with which key, or what is read. Normal form. */
const FORBIDDEN_IN_WORKSPACE =
  /^(?:.*url|.*apikey|.*token|.*secret|password|host|port|server|plugin|account(?:id)?|user(?:id)?|.*headers?|auth(?:mode|orization)|cafile|.*path|.*dir|.*file)$/;

export function unknownKeys(
  context: SettingsContext,
  sources: Sources,
  sections: Sections,
  settings: Pick<Settings, 'peerSource'>,
  language: keyof Localized,
): readonly Finding[] {
  const found: readonly Told[] = [
    ...sections.pluginHarness.flatMap((section) => inSection(section, () => false)),
    ...sections.plugin.flatMap((section) => inSection(section, (key) => !resemblesHarness(key, context.harness))),
    ...sections.ovConfHarness.flatMap((section) => inSection(section, () => false)),
    ...[sources.registry, sources.local, sources.workspace].flatMap((source) =>
      source === undefined ? [] : inWorkspace(source),
    ),
    ...inEnvironment(context.env),
    ...inTemplates(settings.peerSource),
  ];
  return found.map(({ message, fix, ...rest }) => ({ ...rest, message: message[language], fix: fix[language] }));
}

/** A finding before the language is chosen. */
type Told = Omit<Finding, 'message' | 'fix'> & { readonly message: Localized; readonly fix: Localized };

function knownSectionKeys(): readonly string[] {
  const credentials = Object.entries(PLUGIN_CREDENTIALS).flatMap(([name, others]) => [name, ...others]);
  return [...SETTING_NAMES.flatMap((name) => [name, ...(declarationOf(name).older ?? [])]), ...credentials];
}

/** `isOther`: an object under this key is the section of another client. */
function inSection(section: Section, isOther: (key: string) => boolean): readonly Told[] {
  const names = knownSectionKeys();
  const known = new Set(names);
  return Object.entries(section.content)
    .filter(([key, value]) => !known.has(key) && !known.has(camelCase(key)) && !(isObject(value) && isOther(key)))
    .slice(0, MAX_PER_PLACE)
    .map(([key]) => unknown(section.file, `${section.label}.${key}`, nearest(key, names)));
}

/** An object in `plugin` belongs to some client, unless its name is nearly, but not quite, this client's. */
function resemblesHarness(key: string, harness: string): boolean {
  const spellings = harnessSpellings(harness);
  return !spellings.includes(key) && nearest(key, spellings) !== undefined;
}

function inWorkspace({ file, content }: Source): readonly Told[] {
  const known = SETTING_NAMES.flatMap((name) => declarationOf(name).workspace ?? []);
  const groups = [...new Set(known.map((key) => key.replace(/\..*$/, '')))];
  const written = Object.entries(content).flatMap(([key, value]) =>
    isObject(value) && groups.includes(key) ? Object.keys(value).map((inner) => [key, inner]) : [[key]],
  );
  return written
    .filter((path) =>
      path.length === 2
        ? !known.includes(path.join('.'))
        : !OWN_KEYS.includes(path.join()) && !groups.includes(path.join()),
    )
    .slice(0, MAX_PER_PLACE)
    .map((path) => {
      const key = path.join('.');
      if (path.length === 1 && known.includes(key)) {
        return {
          ...unknown(file, key, undefined),
          fix: { en: `Write it nested: ${nested(key)}.`, zh: `请写成嵌套形式：${nested(key)}。` },
        };
      }
      if (!FORBIDDEN_IN_WORKSPACE.test(normalKey(path.at(-1) ?? ''))) {
        return unknown(file, key, nearest(key, path.length === 1 ? [...groups, ...OWN_KEYS] : known));
      }
      return {
        code: 'settings/workspace-forbidden-key',
        severity: 'warn',
        file,
        message: {
          en: `${shownKey(key)} is ignored: a workspace file cannot decide where data goes, as whom, or what is read.`,
          zh: `${shownKey(key)} 被忽略：工作区文件不能决定数据发往何处、以何身份发送或读取什么。`,
        },
        fix: {
          en: 'Set it in ~/.openviking/ovcli.conf, and ask who put it into the repository.',
          zh: '请在 ~/.openviking/ovcli.conf 中设置，并查明是谁把它放进仓库的。',
        },
      };
    });
}

function nested(key: string): string {
  const parts = key.split('.').map((part) => `"${part}"`);
  return `{${parts.join(': {')}: …}}`;
}

/** Keys of a workspace file that are no settings. */
const OWN_KEYS: readonly string[] = ['version', '$schema', WORKSPACE_LABELS];

const PREFIX = 'OPENVIKING_';

/** Only near misses: other programs own variables with this prefix, too. */
function inEnvironment(env: SettingsContext['env']): readonly Told[] {
  const known = [
    ...SETTING_NAMES.flatMap((name) => [environmentVariable(name), ...(declarationOf(name).olderEnvironment ?? [])]),
    ...CREDENTIAL_VARIABLES,
    ...MODE_VARIABLES,
    'OPENVIKING_CLI_CONFIG_FILE',
    'OPENVIKING_CONFIG_FILE',
  ];
  const exact = new Set(known);
  const tails = known.map((name) => name.slice(PREFIX.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !exact.has(name))
    .flatMap((name) => {
      const tail = nearest(name.slice(PREFIX.length), tails);
      return tail === undefined ? [] : [unknown(undefined, name, PREFIX + tail)];
    })
    .slice(0, MAX_PER_PLACE);
}

function unknown(file: string | undefined, key: string, suggestion: string | undefined): Told {
  return {
    code: 'settings/unknown-key',
    severity: 'warn',
    ...(file === undefined ? {} : { file }),
    message: { en: `${shownKey(key)} is no setting; it has no effect.`, zh: `${shownKey(key)} 不是设置项，不起作用。` },
    fix:
      suggestion === undefined
        ? { en: 'Remove it.', zh: '请删除它。' }
        : { en: `Did you mean ${suggestion}?`, zh: `您是否想写 ${suggestion}？` },
  };
}

/** Variables that a peer template names and nothing fills: such a template is always passed over. */
function inTemplates(source: Settings['peerSource']): readonly Told[] {
  const known: readonly string[] = PEER_VARIABLES;
  const named = templatesOf(source).flatMap((template) => [...template.matchAll(/\{([^{}]*)\}/g)]);
  const foreign = new Set(
    named.map((match) => (match[1] ?? '').trim()).filter((variable) => !known.includes(variable)),
  );
  return [...foreign].slice(0, MAX_PER_PLACE).map((variable) => ({
    code: 'settings/unknown-template-variable',
    severity: 'warn',
    message: {
      en: `peerSource names {${shownKey(variable)}}, which does not exist; its template is never used.`,
      zh: `peerSource 中的 {${shownKey(variable)}} 不存在，该模板永远不会被采用。`,
    },
    fix: {
      en: `Use one of ${known.map((name) => `{${name}}`).join(', ')}.`,
      zh: `可用的有 ${known.map((name) => `{${name}}`).join('、')}。`,
    },
  }));
}
