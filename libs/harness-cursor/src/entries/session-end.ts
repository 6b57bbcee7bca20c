import { handleSessionEnd, runHook } from '../../vendor/memory-core/hot.ts';
import { cursor } from '../cursor.ts';

runHook(cursor, 'session-end', handleSessionEnd);
