import { handleTurnEnd, runHook } from '../../vendor/memory-core/hot.ts';
import { zcode } from '../zcode.ts';

runHook(zcode, 'turn-end', handleTurnEnd);
