import { handlePrompt, runHook } from '../../vendor/memory-core/hot.ts';
import { zcodeWithoutParser } from '../zcode-without-parser.ts';

runHook(zcodeWithoutParser, 'prompt', handlePrompt);
