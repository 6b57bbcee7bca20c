import { handlePreCompact, runHook } from '../../vendor/memory-core/hot.ts';
import { claude } from '../claude.ts';

runHook(claude, 'pre-compact', handlePreCompact);
