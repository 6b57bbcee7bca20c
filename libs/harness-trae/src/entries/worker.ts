import { runWorker } from '../../vendor/memory-core/full.ts';
import { trae } from '../trae.ts';

runWorker(trae, process.argv.slice(2));
