import { handleTurnEnd, runHook } from '../../vendor/memory-core/hot.ts';
import { claude } from '../claude.ts';

runHook(claude, 'turn-end', handleTurnEnd, 'stop');
