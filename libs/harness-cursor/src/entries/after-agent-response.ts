import { handleAnswer, runHook } from '../../vendor/memory-core/hot.ts';
import { cursorWithoutParser } from '../cursor-without-parser.ts';

runHook(cursorWithoutParser, 'answer', handleAnswer);
