import { handleToolGuard, runHook } from '../../vendor/memory-core/hot.ts';
import { cursorWithoutParser } from '../cursor-without-parser.ts';

runHook(cursorWithoutParser, 'tool-guard', handleToolGuard);
