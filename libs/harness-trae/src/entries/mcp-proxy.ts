import { serveMcp } from '../../vendor/memory-core/full.ts';
import { trae } from '../trae.ts';

serveMcp(trae);
