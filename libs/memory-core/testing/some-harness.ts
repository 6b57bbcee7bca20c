/**
 * A client that does not exist, for tests of what is the same with every client. Said once: whatever a harness must have, a
 * test that forgets it would find another fault than the one it looks for.
 */
import type { Harness, HostFacts } from '../src/contract/harness.ts';
import type { TranscriptReader } from '../src/contract/transcript.ts';

export interface SomeHarness extends Partial<Pick<Harness, 'dialect'>> {
  readonly facts?: Partial<HostFacts>;
  /** How its record is read; by default it keeps none. */
  readonly transcript?: Partial<TranscriptReader>;
}

/** Its sessions begin with `aa-`, and end with an event of their own unless `facts` say otherwise. */
export function someHarness({ facts, dialect, transcript }: SomeHarness = {}): Harness {
  return {
    declaration: {
      id: 'one',
      name: 'One',
      sessionPrefix: 'aa-',
      sessionIdFiller: '-',
      host: 'process',
      events: [],
      commitAt: 'session-end',
      ...facts,
    },
    dialect: dialect ?? { toEvent: () => undefined, toOutput: () => '' },
    ...(transcript === undefined ? {} : { transcript: transcript as TranscriptReader }),
    version: '1.2.3',
  };
}
