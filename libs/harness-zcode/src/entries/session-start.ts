import { handleSessionStart, runHook } from '../../vendor/memory-core/hot.ts';
import { zcode } from '../zcode.ts';

runHook(zcode, 'session-start', handleSessionStart);
