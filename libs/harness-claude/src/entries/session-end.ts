import { handleSessionEnd, runHook } from '../../vendor/memory-core/hot.ts';
import { claude } from '../claude.ts';

runHook(claude, 'session-end', handleSessionEnd);
