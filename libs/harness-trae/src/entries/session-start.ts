import { handleSessionStart, runHook } from '../../vendor/memory-core/hot.ts';
import { trae } from '../trae.ts';

runHook(trae, 'session-start', handleSessionStart);
