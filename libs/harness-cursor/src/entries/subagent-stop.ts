import { handleTurnEnd, runHook } from '../../vendor/memory-core/hot.ts';
import { cursor } from '../cursor.ts';

runHook(cursor, 'turn-end', handleTurnEnd, 'subagent-stop');
