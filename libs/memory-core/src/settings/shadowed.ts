/**
 * Finds values that a user wrote and a stronger place overrules: somebody who edits the weaker one sees nothing change, and
 * looks for the mistake everywhere else. Doctor's part of the loader; hooks skip it.
 */
import type { Finding } from '../contract/finding.ts';
import type { Localized } from '../contract/harness.ts';
import type { SettingsContext } from '../contract/settings.ts';
import { credentialParts } from './connection.ts';
import { shownKey } from './explain.ts';
import { layersOf } from './layers.ts';
import type { Layer, Sections } from './layers.ts';
import { declarationOf, SETTING_NAMES } from './schema.ts';
import type { Sources } from './sources.ts';

/** One finding per overruled value. Lists and maps are united over the layers: of those nothing is overruled. */
export function shadowedValues(
  { env }: Pick<SettingsContext, 'env'>,
  sources: Sources,
  sections: Sections,
  language: keyof Localized,
): readonly Finding[] {
  const layers = layersOf(
    env,
    sources,
    sections,
    credentialParts(env, sections, () => undefined),
  );
  return SETTING_NAMES.filter((name) => !UNITED.has(declarationOf(name).type)).flatMap((name) => {
    const set = layers.flatMap((layer) => {
      const found = layer.find(name);
      return found === undefined ? [] : [{ layer, ...found }];
    });
    const [winner, ...losers] = set;
    if (winner === undefined) return [];
    return losers
      .filter(({ raw }) => JSON.stringify(raw) !== JSON.stringify(winner.raw))
      .map(({ layer, key }): Finding => {
        const by = placeOf(winner.layer, winner.key);
        return {
          code: 'settings/shadowed',
          severity: 'info',
          ...(layer.file === undefined ? {} : { file: layer.file }),
          message: {
            en: `${shownKey(key)} has no effect: ${by} is stronger.`,
            zh: `${shownKey(key)} 不起作用：${by} 优先。`,
          }[language],
          fix: { en: `Set ${name} in one place only.`, zh: `请只在一处设置 ${name}。` }[language],
        };
      });
  });
}

const UNITED: ReadonlySet<string> = new Set(['list', 'filters', 'map']);

function placeOf({ file }: Layer, key: string): string {
  return file === undefined ? shownKey(key) : `${file} ${shownKey(key)}`;
}
