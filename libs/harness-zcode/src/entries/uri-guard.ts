import { handleToolGuard, runHook } from '../../vendor/memory-core/hot.ts';
import { zcode } from '../zcode.ts';

runHook(zcode, 'tool-guard', handleToolGuard);
