import { handleToolGuard, NOTHING, runHook } from '../../vendor/memory-core/hot.ts';
import type { Reply } from '../../vendor/memory-core/hot.ts';
import { cursorWithoutParser } from '../cursor-without-parser.ts';

/** Of a gate even "nothing" has to be said, and only a reply that is not the shared one reaches the dialect. */
const NOTHING_SAID: Reply = { kind: 'nothing' };

runHook(cursorWithoutParser, 'tool-guard', (event) => {
  const reply = handleToolGuard(event);
  return reply === NOTHING ? NOTHING_SAID : reply;
});
