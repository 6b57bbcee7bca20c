import { handleSessionStart, runHook } from '../../vendor/memory-core/hot.ts';
import { claudeWithoutParser } from '../claude-without-parser.ts';

runHook(claudeWithoutParser, 'session-start', handleSessionStart, 'session-start');
