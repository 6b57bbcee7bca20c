import { handlePreCompact, runHook } from '../../vendor/memory-core/hot.ts';
import { cursor } from '../cursor.ts';

runHook(cursor, 'pre-compact', handlePreCompact);
