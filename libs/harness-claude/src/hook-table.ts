/** The hooks in the client's own form, for a settings file and for the plugin alike: written twice, they would drift apart. */
import { hookCommand } from './command-line.ts';
import { hostFacts } from './host-facts.ts';
import type { TreeOperation, EventBinding, JsonObject, WiringContext } from '../vendor/memory-core/hot.ts';

type Launch = Pick<WiringContext, 'launcher' | 'platform'>;

/** The `hooks` of a plugin: event → its one group. `commandFor` gives the shell line that starts an entry. */
export function hookGroups(commandFor: (entry: string) => string): JsonObject {
  return Object.fromEntries(
    hostFacts.events.map((binding) => {
      const { nativeName, matcher } = binding;
      return [nativeName, [{ ...(matcher === undefined ? {} : { matcher }), hooks: [handlerOf(binding, commandFor)] }]];
    }),
  );
}

/** The same as changes to a settings file that others write to as well. */
export function hookOperations(launch: Launch): readonly TreeOperation[] {
  return hostFacts.events.map((binding) => ({
    kind: 'handler',
    path: ['hooks', binding.nativeName],
    ...(binding.matcher === undefined ? {} : { matcher: binding.matcher }),
    handler: handlerOf(binding, (entry) => hookCommand(launch, entry)),
    userKeys: [{ key: 'timeout', isTimeLimit: true }],
  }));
}

/** The command form: builds from before the form with arguments would take only its first word. */
function handlerOf(binding: EventBinding, commandFor: (entry: string) => string): JsonObject {
  const { value, unit } = binding.timeout;
  return {
    type: 'command',
    command: commandFor(binding.entry),
    timeout: unit === 'seconds' ? value : value / 1000,
  };
}
