import { runWorker } from '../../vendor/memory-core/full.ts';
import { zcode } from '../zcode.ts';

runWorker(zcode, process.argv.slice(2));
