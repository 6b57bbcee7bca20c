import { handleSessionStart, runHook } from '../../vendor/memory-core/hot.ts';
import { zcodeWithoutParser } from '../zcode-without-parser.ts';

runHook(zcodeWithoutParser, 'session-start', handleSessionStart);
