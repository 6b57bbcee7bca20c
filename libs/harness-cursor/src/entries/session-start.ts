import { handleSessionStart, runHook } from '../../vendor/memory-core/hot.ts';
import { cursorWithoutParser } from '../cursor-without-parser.ts';

runHook(cursorWithoutParser, 'session-start', handleSessionStart);
