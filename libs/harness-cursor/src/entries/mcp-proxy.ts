import { serveMcp } from '../../vendor/memory-core/full.ts';
import { cursorWithoutParser } from '../cursor-without-parser.ts';

serveMcp(cursorWithoutParser);
