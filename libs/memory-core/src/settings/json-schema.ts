/**
 * JSON Schemas of what users write, projected from the declaration, so that an editor completes and checks exactly what
 * the loader accepts.
 */
import type { JsonObject, JsonValue } from '../contract/harness.ts';
import type { SettingName } from '../contract/settings.ts';
import { HELP } from './help.ts';
import {
  declarationOf,
  PLUGIN_CREDENTIALS,
  RESET,
  SETTING_NAMES,
  WORKSPACE_LABELS,
  WORKSPACE_VERSION,
} from './schema.ts';
import type { Declaration } from './schema.ts';
import { FALSE_WORDS, TRUE_WORDS } from './value.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** Schema of `.openviking/config.json` and `config.local.json`. Unknown keys are allowed: the loader keeps and ignores them. */
export function workspaceSchema(): JsonObject {
  const groups = new Map<string, Record<string, JsonValue>>();
  for (const name of SETTING_NAMES) {
    const [group, key] = declarationOf(name).workspace?.split('.') ?? [];
    if (group === undefined || key === undefined) continue;
    const properties = groups.get(group) ?? {};
    // The loader strips a text that refers to a variable.
    properties[key] = property(name, '^(?![\\s\\S]*\\$\\{)');
    groups.set(group, properties);
  }
  return {
    $schema: DRAFT,
    title: 'OpenViking workspace settings',
    description: 'Settings of one repository. It cannot set a server, a key, an identity or a path.',
    type: 'object',
    required: ['version'],
    properties: {
      $schema: { type: 'string' },
      version: { const: WORKSPACE_VERSION, description: 'Version of this format.' },
      ...Object.fromEntries(
        [...groups].map(([group, properties]) => [group, { type: ['object', 'null'], properties }]),
      ),
      [WORKSPACE_LABELS]: { description: 'Free for your own use; never interpreted.' },
    },
  };
}

/** Schema of the `plugin` section of ovcli.conf: settings for every client, and a section per client. */
export function pluginSchema(): JsonObject {
  return {
    $schema: DRAFT,
    title: 'OpenViking plugin settings',
    description: 'The `plugin` section of ovcli.conf: settings of every client, and one section per client by its id.',
    type: 'object',
    properties: sectionProperties(),
    additionalProperties: { $ref: '#/definitions/client' },
    definitions: {
      client: {
        description: 'Settings of one client; they win over those of every client.',
        type: 'object',
        properties: sectionProperties(),
        additionalProperties: false,
      },
    },
  };
}

function sectionProperties(): JsonObject {
  const properties: Record<string, JsonValue> = {};
  for (const name of SETTING_NAMES) {
    properties[name] = property(name);
    for (const older of declarationOf(name).older ?? []) {
      properties[older] = {
        ...shapeOf(declarationOf(name)),
        description: `Older spelling of ${name}.`,
        deprecated: true,
      };
    }
  }
  for (const [name, others] of Object.entries(PLUGIN_CREDENTIALS)) {
    for (const key of [name, ...others]) properties[key] = { type: ['string', 'null'] };
  }
  return properties;
}

function property(name: SettingName, pattern?: string): JsonObject {
  const declaration = declarationOf(name);
  const fallback = declaration.default;
  return {
    description: HELP[name].en,
    ...shapeOf(declaration, pattern),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** The spellings of a value that the loader takes without a finding; `null` means unset. */
function shapeOf(declaration: Declaration, pattern?: string): JsonObject {
  const text: JsonObject = { type: 'string', ...(pattern === undefined ? {} : { pattern }) };
  switch (declaration.type) {
    case 'boolean':
      return { enum: [true, false, ...TRUE_WORDS, ...FALSE_WORDS, 1, 0, null] };
    case 'integer':
    case 'number': {
      const number: JsonObject = {
        type: [declaration.type, 'null'],
        minimum: declaration.min,
        ...(declaration.max === undefined ? {} : { maximum: declaration.max }),
      };
      return declaration.offIsZero === true ? { anyOf: [number, { enum: ['off', false] }] } : number;
    }
    case 'enum':
      return { enum: [...declaration.members, ...(declaration.members.includes('off') ? [false] : []), null] };
    case 'text':
    case 'path':
      return { ...text, type: ['string', 'null'] };
    case 'list':
    case 'filters':
      return {
        anyOf: [
          { type: 'array', items: text },
          { ...text, type: ['string', 'null'] },
        ],
        $comment: `A first element "${RESET}" drops what weaker layers gave.`,
      };
    case 'alternatives':
      return {
        anyOf: [
          { ...text, type: ['string', 'null'] },
          { type: 'array', items: text, minItems: 1 },
        ],
      };
    case 'map':
      return { type: ['object', 'null'], additionalProperties: { type: ['string', 'number', 'null'] } };
  }
}
