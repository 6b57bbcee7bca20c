import { serveMcp } from '../../vendor/memory-core/full.ts';
import { zcodeWithoutParser } from '../zcode-without-parser.ts';

serveMcp(zcodeWithoutParser);
