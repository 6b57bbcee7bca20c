/** Settings as they may be shown: each with the place that set it, and none with a secret. */
import { declarationOf, redactSecrets, SETTING_NAMES } from '@openviking/memory-core/full';
import type { JsonValue, Provenance, ResolvedSettings, SettingName } from '@openviking/memory-core/full';

export interface ShownSetting {
  readonly name: SettingName;
  /** Absent where the setting has none. */
  readonly value?: JsonValue;
  readonly layer: Provenance['layer'];
  readonly file?: string;
  /** As it is spelled there. */
  readonly key?: string;
}

/** In the order of the reference; without `all` only what somebody has set. */
export function displaySettings({ settings, provenance }: ResolvedSettings, all: boolean): readonly ShownSetting[] {
  return SETTING_NAMES.flatMap((name): readonly ShownSetting[] => {
    const { layer, file, key } = provenance[name] ?? { layer: 'default' };
    if (layer === 'default' && !all) return [];
    const value = settings[name];
    return [
      {
        name,
        ...(value === undefined ? {} : { value: shown(name, value) }),
        layer,
        ...(file === undefined ? {} : { file }),
        ...(key === undefined ? {} : { key }),
      },
    ];
  });
}

function shown(name: SettingName, value: JsonValue): JsonValue {
  // Nothing is stored there, and dots would say that something is.
  if (isEmpty(value)) return value;
  if (declarationOf(name).secret === true) return '••••';
  // A filter may spell out what it is to keep from leaving the machine.
  if (typeof value === 'string') return redactSecrets(value);
  return Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? redactSecrets(item) : item)) : value;
}

function isEmpty(value: JsonValue): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
