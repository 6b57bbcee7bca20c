import { handleToolGuard, runHook } from '../../vendor/memory-core/hot.ts';
import { claudeWithoutParser } from '../claude-without-parser.ts';

runHook(claudeWithoutParser, 'tool-guard', handleToolGuard);
