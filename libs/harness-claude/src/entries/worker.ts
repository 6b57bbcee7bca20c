import { runWorker } from '../../vendor/memory-core/full.ts';
import { claude } from '../claude.ts';

runWorker(claude, process.argv.slice(2));
