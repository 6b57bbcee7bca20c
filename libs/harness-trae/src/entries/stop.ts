import { handleTurnEnd, runHook } from '../../vendor/memory-core/hot.ts';
import { trae } from '../trae.ts';

runHook(trae, 'turn-end', handleTurnEnd);
