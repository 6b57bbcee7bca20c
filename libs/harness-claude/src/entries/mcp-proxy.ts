import { serveMcp } from '../../vendor/memory-core/full.ts';
import { claudeWithoutParser } from '../claude-without-parser.ts';

serveMcp(claudeWithoutParser);
