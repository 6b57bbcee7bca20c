import { runWorker } from '../../vendor/memory-core/full.ts';
import { cursor } from '../cursor.ts';

runWorker(cursor, process.argv.slice(2));
